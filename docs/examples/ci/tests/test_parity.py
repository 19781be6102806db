"""Both towers start in Paddle where they start in abacus."""

from pathlib import Path

import pytest

import paddle_init

ROOT = Path(__file__).parent.parent
CONFS = sorted((ROOT / "confs").glob("*.yaml"))
assert CONFS, "confs/ holds no .yaml: nothing would be compared"


@pytest.mark.parametrize("conf", CONFS, ids=lambda conf: conf.stem)
def test_the_committed_spec_draws_what_the_conf_draws(conf, parity):
    parity(conf, ROOT / "specs" / conf.name, level="stream")


@pytest.mark.parametrize("conf", CONFS, ids=lambda conf: conf.stem)
def test_no_start_has_changed(conf, parity):
    parity.snapshot(paddle_init.report(conf), f"snapshots/{conf.stem}.json")
