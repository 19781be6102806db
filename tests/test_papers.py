"""The papers' experiments: interrupted and resumed, the same again, and the page as committed."""

from __future__ import annotations

import json
import sys
from itertools import count
from pathlib import Path

import pytest
from command_line import ROOT

sys.path.append(str(ROOT))  # benchmarks are run from a checkout, not installed

from benchmarks.papers.__main__ import write
from benchmarks.papers.experiments import FULL, SMALL, Experiment, all_experiments
from benchmarks.papers.kept import Kept, read_results
from benchmarks.papers.page import page

FOLDER = ROOT / "docs" / "theory"


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("papers")
    write(folder, SMALL)
    return folder, read_results(folder / "papers" / "results.json")


def test_every_experiment_leaves_its_numbers_and_pictures(
    entries: tuple[Path, dict[str, object]],
) -> None:
    folder, found = entries
    assert list(found) == [experiment.name for experiment in all_experiments(SMALL)]
    text = (folder / "papers.md").read_text()
    pictures = sorted(path.name for path in (folder / "papers").glob("*.png"))
    assert len(pictures) == 6
    for name in pictures:
        assert f"(papers/{name})" in text
    assert "nan" not in text


def test_it_goes_on_where_it_was_interrupted_and_gives_the_same_numbers(
    entries: tuple[Path, dict[str, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = entries
    ran = count()
    run = Experiment.__dict__["__init__"]

    def interrupting(self: Experiment, name: str, settings: object, do: object) -> None:
        def stop_at_third() -> object:
            if next(ran) == 2:
                raise KeyboardInterrupt
            return do()  # type: ignore[operator]

        run(self, name, settings, stop_at_third)

    monkeypatch.setattr(Experiment, "__init__", interrupting)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, SMALL)
    path = tmp_path / "papers" / "results.json"
    assert len(read_results(path)) == 2
    write(tmp_path, SMALL)
    assert next(ran) == 1 + len(found)
    assert read_results(path) == found


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
