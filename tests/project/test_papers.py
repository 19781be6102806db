"""The papers' experiments: interrupted and resumed, the same again, and the page as committed."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.command_line import ROOT

sys.path.append(str(ROOT))  # benchmarks are run from a checkout, not installed

from benchmarks.papers.__main__ import run
from benchmarks.papers.experiments import FULL, SMALL, Experiment, all_experiments
from benchmarks.papers.kept import Kept, read_results
from benchmarks.papers.page import page
from benchmarks.papers.pictures import pictures

FOLDER = ROOT / "docs" / "theory"


def test_every_experiment_runs(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    experiments = list(all_experiments(SMALL))
    run(experiments, Kept(path))
    found = read_results(path)
    assert list(found) == [experiment.name for experiment in experiments]
    assert "NaN" not in page(found)


def test_it_goes_on_where_it_was_interrupted_and_gives_the_same_numbers(tmp_path: Path) -> None:
    experiments = list(all_experiments(SMALL))[-4:]
    run(experiments, Kept(tmp_path / "at once.json"))
    ran = []

    def counted(experiment: Experiment) -> Experiment:
        def counting() -> object:
            ran.append(experiment.name)
            if len(ran) == 3:
                raise KeyboardInterrupt
            return experiment.run()

        return replace(experiment, run=counting)

    path = tmp_path / "in two goes.json"
    with pytest.raises(KeyboardInterrupt):
        run(list(map(counted, experiments)), Kept(path))
    assert len(read_results(path)) == 2
    run(list(map(counted, experiments)), Kept(path))
    names = [experiment.name for experiment in experiments]
    assert ran == [*names[:3], *names[2:]]
    assert path.read_text() == (tmp_path / "at once.json").read_text()


def _inked(data: bytes) -> bool:
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(data))[..., :3]
    return bool((np.ptp(pixels, axis=2) > 0.15).mean() > 0.005)


def test_the_page_shows_every_picture_and_none_is_empty() -> None:
    text = (FOLDER / "papers.md").read_text("utf-8")
    paths = list((FOLDER / "papers").glob("*.png"))
    assert len(paths) == 6
    for path in paths:
        assert f"(papers/{path.name})" in text
        assert _inked(path.read_bytes())


@pytest.mark.slow
def test_the_pictures_are_drawn_from_the_numbers() -> None:
    found = read_results(FOLDER / "papers" / "results.json")
    drawn = pictures(found)
    assert sorted(drawn) == sorted(path.name for path in (FOLDER / "papers").glob("*.png"))
    assert all(map(_inked, drawn.values()))


def test_other_settings_are_run_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "results.json")
    first, *_ = all_experiments(SMALL, 0)
    kept.add(first, {"a": 1})
    again = Kept(tmp_path / "results.json")
    assert again.has(first)
    assert not again.has(next(all_experiments(SMALL, 1)))
    assert not again.has(next(all_experiments(FULL, 0)))


def test_the_page_is_what_its_numbers_make() -> None:
    found = json.loads((FOLDER / "papers" / "results.json").read_text())
    assert list(found) == [experiment.name for experiment in all_experiments(FULL)]
    assert (FOLDER / "papers.md").read_text("utf-8") == page(found)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.*")) < 1.5e6


def test_what_the_page_claims() -> None:
    found = {
        name: entry["result"]
        for name, entry in read_results(FOLDER / "papers" / "results.json").items()
    }
    for row in found["table"].values():
        assert abs(row["experiment"] - row["normal"]) < 5 * row["standard_error"]
    for name, result in found.items():
        if name.startswith("deep constant variance"):
            assert result["predicted_std"] == pytest.approx([1] * 32, rel=1e-5)
        if name.startswith("deep half"):
            assert result["predicted_std"] == pytest.approx([0.5] * 32, rel=1e-5)
    geometric, quadratic = found["stack geometric"], found["stack quadratic"]
    assert geometric["exact"] == pytest.approx([1] * 6, rel=1e-5)
    assert quadratic["exact"][-1] < found["stack arithmetic"]["exact"][-1] < 1
    for result in (geometric, quadratic, found["stack arithmetic"]):
        for way in ("forward", "backward"):
            for value, error, exact in zip(
                result[way], result[f"{way}_error"], result["exact"], strict=True
            ):
                assert abs(value - exact) < 5 * error
