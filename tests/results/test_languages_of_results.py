"""Verifications and studies in both languages: every fault, every finding, every form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from support.bilingual import CJK, ENGLISH, check_page_in_both
from support.command_line import CONFIGS
from support.command_line import paddle_init as run
from support.faults import (
    ABACUS,
    BLOCKWISE,
    DISTRIBUTIONS,
    FAULTS,
    MT,
    TOWER,
    UNSEEDED,
    Fault,
    changed,
    planted,
    seeded,
)

from paddle_init.distributions import Unknown
from paddle_init.frameworks.sampling import sample
from paddle_init.results.provenance import Provenance
from paddle_init.schemes import Fixed, Scheme, constant, he_normal, normal, xavier_uniform
from paddle_init.signal.page import as_html as study_html
from paddle_init.signal.page import as_markdown as study_markdown
from paddle_init.signal.page import as_text as study_text
from paddle_init.signal.study import Study, propagate
from paddle_init.specs import Draw, NetSpec
from paddle_init.verification import Verification, verify
from paddle_init.verification.page import as_html, as_markdown, as_text

MADE_BY = Provenance("paddle-init", {"numpy": "2.0"})


def faulty(fault: Fault) -> Verification:
    return verify(fault.plant(fault.spec), fault.spec)


def drawn_otherwise(said: Scheme, drawn: Scheme) -> Verification:
    framework = "abacus" if said.kind == "abacus" else "paddle"
    spec = NetSpec(framework, (Draw("w", (300, 128), said),))
    return verify(sample(NetSpec("paddle", (Draw("w", (300, 128), drawn),)), seed=5), spec)


def odd(spec: NetSpec) -> Verification:
    arrays = sample(TOWER)
    arrays["w1"], arrays["norm"] = arrays["w1"].T, np.ones(3, np.float32)
    arrays["w2"] = arrays["w2"].astype(np.float16)
    del arrays["b2"]
    return verify(arrays, spec)


def near() -> Verification:
    arrays = sample(TOWER)
    arrays["w1"] = np.nextafter(arrays["w1"], np.float32(1))
    return verify(arrays, TOWER, max_ulp=1)


def scaled_blocks() -> Verification:
    factors = np.repeat(np.float32([1, 2]), [200, 100])[:, None]
    return verify({"w": sample(BLOCKWISE, seed=3)["w"] * factors}, BLOCKWISE, seed=3)


def of(arrays: NetSpec, spec: NetSpec, **settings: Any) -> Verification:
    return verify(sample(arrays), spec, **settings)


UNKNOWN = NetSpec("paddle", (Draw("w", (8, 8), Fixed(Unknown("?"))),))
SAME_SEED = seeded(TOWER, op_seed=9)
VERIFICATIONS: dict[str, Callable[[], Verification]] = {
    **{
        f"{fault.spec.framework} {fault.name} {index}": partial(faulty, fault)
        for index, fault in enumerate(FAULTS)
    },
    **{
        f"{name} {index}": partial(drawn_otherwise, said, drawn)
        for index, (name, said, drawn, _) in enumerate(DISTRIBUTIONS)
    },
    "right": lambda: of(TOWER, TOWER),
    "right without a seed": lambda: of(TOWER, UNSEEDED),
    "up to ULP": near,
    "other seed": lambda: of(seeded(TOWER, seed=555), TOWER),
    "seed + 1": lambda: of(seeded(TOWER, seed=2025), TOWER),
    "seed_seq": lambda: of(seeded(MT, seed_seq=(7,)), MT),
    "engine": lambda: of(seeded(ABACUS, engine="mt19937", seed=7), MT),
    "32 bits": lambda: of(seeded(TOWER, seed=5), TOWER, seed=5 + 2**32),
    "op seed": lambda: of(SAME_SEED, UNSEEDED),
    "meant op seed": lambda: of(SAME_SEED, SAME_SEED),
    "odd": lambda: odd(UNSEEDED),
    "odd with a seed": lambda: odd(TOWER),
    "names": lambda: verify({"x": np.ones(3, np.float32)}, TOWER),
    "NaN": lambda: verify(planted((3, 4), np.nan), UNSEEDED),
    "largest": lambda: verify(planted((3, 4), 0.2), UNSEEDED),
    "blocks": scaled_blocks,
    "blocks turned": lambda: verify({"w": sample(BLOCKWISE, seed=3)["w"][::-1]}, BLOCKWISE),
    "bias default": lambda: of(changed(TOWER, b1=constant(0)), UNSEEDED),
    "shifted": lambda: of(changed(TOWER, w1=xavier_uniform()), TOWER),
    "unknown": lambda: verify({"w": np.ones((8, 8), np.float32)}, UNKNOWN),
    "nothing": lambda: verify({}, NetSpec("paddle", ())),
}
STUDIES: dict[str, Callable[[], Study]] = {
    "fine": lambda: propagate([30, 20, 10], "gelu", xavier_uniform()),
    "one layer": lambda: propagate([30, 20], [], he_normal()),
    "vanishing": lambda: propagate([64] * 9, "tanh", normal(0, 0.02)),
    "exploding": lambda: propagate([64] * 9, "relu", normal(0, 5)),
    "saturating": lambda: propagate([64] * 4, "tanh", normal(0, 5)),
    "no signal": lambda: propagate([8] * 4, "relu", constant(0)),
    "means": lambda: propagate([64] * 4, "relu", normal(0.1, 0.02)),
    "unsure": lambda: propagate([2] * 40, "relu", he_normal()),
    "named": lambda: replace(propagate([30, 20], [], he_normal()), origin="30,20"),
}
RESULTS: dict[str, Callable[[], Any]] = {
    **{f"verify: {name}": make for name, make in VERIFICATIONS.items()},
    **{f"propagate: {name}": make for name, make in STUDIES.items()},
}


@cache
def made(name: str) -> Any:
    return RESULTS[name]()


def forms(name: str) -> tuple[list[Callable[..., str]], Callable[..., str]]:
    if name.startswith("verify"):
        return [as_text, as_markdown], as_html
    return [study_text, study_markdown], study_html


@pytest.mark.parametrize("name", RESULTS)
def test_each_language_is_whole(name: str) -> None:
    for form in forms(name)[0]:
        english, chinese = form(made(name)), form(made(name), language="zh")
        assert not re.search(CJK, english)
        assert re.search(CJK, chinese)
        assert ENGLISH.findall(re.sub(r"\s+", " ", chinese)) == []


@pytest.mark.parametrize("name", RESULTS)
def test_a_page_says_everything_twice(name: str) -> None:
    check_page_in_both(forms(name)[1](made(name), made_by=MADE_BY))


def test_the_commands_speak_chinese() -> None:
    done = run("propagate", CONFIGS / "abacus_rank.yaml", "--no-measure", "--lang", "zh")
    assert done.returncode == 0
    assert done.stdout.startswith("没有问题：2 层。")
    for command in ("propagate", "verify"):
        more = [CONFIGS / "flat.yaml"] * (1 + (command == "verify"))
        refused = run(command, *more, "--lang", "zh", "--format", "json")
        assert refused.returncode == 2
        assert "json is one in every language" in refused.stderr
