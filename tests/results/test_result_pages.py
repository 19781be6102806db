"""The pages of verify and propagate in a real browser: the same frame, each with its own table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from support.bilingual import CJK, ENGLISH
from support.browser import Page
from support.command_line import CONFIGS, paddle_init
from support.page_reading import HOSTILE, MANY, SECONDS, VERSIONS, faults, head, shown

from paddle_init.errors import Source
from paddle_init.frameworks.sampling import sample
from paddle_init.results.html import FIRST
from paddle_init.schemes import he_normal, normal, paddle_fc, uniform
from paddle_init.signal.dense import mlp
from paddle_init.signal.page import as_html as study_html
from paddle_init.signal.study import propagate
from paddle_init.specs import Draw, NetSpec
from paddle_init.texts import printable
from paddle_init.verification import verify
from paddle_init.verification.page import as_html

SMALL = NetSpec(
    "paddle",
    (
        Draw("fc1_w", (300, 128), paddle_fc(0.2)),
        Draw("fc1_b", (128,), paddle_fc(0.2, 300)),
        Draw("fc2_w", (128, 64), paddle_fc(0.2)),
        Draw("fc2_b", (64,), paddle_fc(0.2, 128)),
    ),
)


@dataclass(frozen=True)
class Kind:
    """A page of four rows: what stands where, by the numbers of its columns."""

    command: str
    answer: str
    chinese: str
    rows: tuple[str, ...]
    sorts: dict[int, tuple[str, ...]]
    filters: dict[str, tuple[str, ...]]
    detail: tuple[str, ...]


KINDS = {
    "verify": Kind(
        "paddle-init verify",
        "No: 1 of 4 parameters do not start where the spec says.",
        "否：4 个参数中有 1 个的起点与规格不符。",
        ("fc1_w", "fc1_b", "fc2_w", "fc2_b"),
        {4: ("fc1_w", "fc2_w", "fc2_b", "fc1_b")},
        {"differs": ("fc1_b",), "weight": ("fc1_w", "fc2_w")},
        ("std = init_range", "bias-scale", "the bias is not divided by sqrt(fan_in)"),
    ),
    "propagate": Kind(
        "paddle-init propagate",
        "Vanishing gradient, vanishing signal: 4 layers. From layer to layer",
        "梯度消失、信号消失：4 层。向前每过一层",
        ("fc1", "fc2", "fc3", "fc4"),
        {5: ("fc4", "fc3", "fc2", "fc1"), 7: ("fc1", "fc2", "fc3", "fc4")},
        {"linear": ("fc4",), "tanh": ("fc1", "fc2", "fc3")},
        ("predicted", "measured", "y mean 0, y rms", "activations, measured"),
    ),
}


def verification() -> str:
    arrays = sample(SMALL, seed=3)
    arrays["fc1_b"] = arrays["fc1_b"] * np.float32(300**0.5)
    return as_html(verify(arrays, SMALL, histograms=True), made_by=VERSIONS)


def many_parameters() -> str:
    spec = NetSpec("paddle", tuple(Draw(f"fc{i}_w", (8, 4), normal(0, 1)) for i in range(MANY)))
    random = np.random.default_rng(5)
    arrays = {draw.name: random.normal(0, 1, (8, 4)).astype(np.float32) for draw in spec.draws}
    return as_html(verify(arrays, spec, histograms=True), made_by=VERSIONS)


def hostile_parameters() -> str:
    source = Source("/tmp/\"a\" 'b' <i>.yaml", 7)
    draws = tuple(Draw(name, (8, 4), normal(0, 1), source) for name in HOSTILE)
    spec = NetSpec("paddle", draws, origin=source.file)
    arrays = sample(spec, seed=3)
    arrays[HOSTILE[0]] = arrays[HOSTILE[1]]  # findings name others
    arrays |= {f"more {name}": np.ones(3, np.float32) for name in HOSTILE}
    return as_html(verify(arrays, spec, histograms=True), made_by=VERSIONS)


def study() -> str:
    made = propagate([64] * 5, "tanh", normal(0, 0.02), measured=True, batch=32)
    return study_html(made, made_by=VERSIONS)


def many_layers() -> str:
    return study_html(propagate([4] * (MANY + 1), "relu", he_normal()), made_by=VERSIONS)


def hostile_layers() -> str:
    layers = mlp([8] * (len(HOSTILE) + 1), "tanh", normal(0, 0.01))
    named = [replace(layer, name=name) for layer, name in zip(layers, HOSTILE, strict=True)]
    made = replace(propagate(named, measured=True, batch=8), origin="/tmp/\"a\" 'b' <i>.yaml")
    return study_html(made, made_by=VERSIONS)


MAKERS = {
    ("verify", "few"): verification,
    ("verify", "many"): many_parameters,
    ("verify", "hostile"): hostile_parameters,
    ("propagate", "few"): study,
    ("propagate", "many"): many_layers,
    ("propagate", "hostile"): hostile_layers,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {key: folder / f"{'-'.join(key)}.html" for key in MAKERS}
    for key, make in MAKERS.items():
        found[key].write_text(make(), "utf-8")
    return found


@pytest.fixture(params=KINDS)
def few(
    request: pytest.FixtureRequest, page: Page, files: dict[tuple[str, str], Path], width: int
) -> Kind:
    """The page with four rows, opened at each width."""
    page.open(files[request.param, "few"])
    return KINDS[request.param]


@pytest.mark.parametrize("size", ["few", "many", "hostile"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_wider_than_the_screen(
    page: Page, files: dict[tuple[str, str], Path], width: int, kind: str, size: str
) -> None:
    page.open(files[kind, size])
    for language in ("en", "zh-CN"):
        page.click(f"button[data-language={language}]")
        page.click(".open-all")
        root = "document.documentElement"
        assert page.run(f"{root}.scrollWidth") == page.run(f"{root}.clientWidth")


@pytest.mark.parametrize("key", MAKERS)
def test_the_page_is_valid_html(files: dict[tuple[str, str], Path], key: tuple[str, str]) -> None:
    assert faults(files[key].read_text("utf-8")) == []


def test_the_first_line_answers(page: Page, few: Kind) -> None:
    assert page.text("h1").startswith(few.answer)
    assert page.run("document.title") == page.text("h1")
    assert page.text(".tool") == few.command
    assert shown(page) == list(few.rows)
    assert "paddle-init report 'a b.yaml'" in page.text("footer")


def test_headings_sort(page: Page, few: Kind) -> None:
    for column, names in few.sorts.items():
        page.click(head(column))
        assert shown(page) == list(names)
        page.click(head(column))
        assert sorted(shown(page)) == sorted(names)
        page.click(head(column))
        assert shown(page) == list(few.rows)


def test_filters_and_search(page: Page, few: Kind) -> None:
    for value, names in few.filters.items():
        page.click(f"input[value={value}]")
        assert shown(page) == list(names)
        page.click(f"input[value={value}]")
    page.type("input[type=search]", few.rows[1].upper())
    assert shown(page) == [few.rows[1]]


def test_a_row_opens_with_its_plot(page: Page, few: Kind) -> None:
    page.click("tbody:nth-of-type(2) .toggle")
    told = page.text("#d1")
    for part in few.detail:
        assert part in told
    tallest = "Math.max(...[...document.querySelectorAll('#d1 svg path:not(.axis)')]"
    assert page.run(f"{tallest}.map(path => path.getBBox().height))") > 80


def test_the_language_is_switched(page: Page, few: Kind) -> None:
    page.click(".open-all")
    english = page.text("body")
    assert not re.search(CJK, english.replace("中文", ""))
    page.click("button[data-language=zh-CN]")
    chinese = page.text("body")
    assert few.chinese in chinese
    assert ENGLISH.findall(chinese.replace(str(VERSIONS.command), "")) == []
    page.click("button[data-language=en]")
    assert page.text("body") == english


def test_it_prints(page: Page, few: Kind) -> None:
    assert page.printed().startswith(b"%PDF-")
    page.call("Emulation.setEmulatedMedia", media="print")
    visible = "document.querySelector('{}').checkVisibility()".format
    assert page.run(visible("#d1"))
    assert not page.run(visible("form.filters"))
    page.call("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("kind", KINDS)
def test_thousands_open_and_sort_in_seconds(
    page: Page, files: dict[tuple[str, str], Path], width: int, kind: str
) -> None:
    before = page.metric("TaskDuration")
    page.open(files[kind, "many"])
    page.click(head(1))
    page.click(head(1))
    assert page.metric("TaskDuration") - before < SECONDS
    assert len(shown(page)) == FIRST
    assert page.text("output") == "5000 / 5000"
    assert shown(page)[0] == ("fc4999_w" if kind == "verify" else "fc5000")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_text(
    page: Page, files: dict[tuple[str, str], Path], width: int, kind: str
) -> None:
    page.open(files[kind, "hostile"])
    assert shown(page)[: len(HOSTILE)] == [printable(name) for name in HOSTILE]
    page.click(".open-all")
    assert "/tmp/\"a\" 'b' <i>.yaml" in page.text(".sides")
    assert page.run("window.hit") is None
    assert page.run("document.querySelectorAll('script').length") == 3
    assert page.run("document.querySelectorAll('main img, main textarea, main i').length") == 0


def test_sizes_are_drawn_layer_by_layer(page: Page, files: dict[tuple[str, str], Path]) -> None:
    page.size(1280)
    page.open(files["propagate", "few"])
    forward, backward = page.run(
        "[...document.querySelectorAll('.figures svg')].map(svg => {"
        "const path = svg.querySelector('.left');"
        "const ends = [0, path.getTotalLength()].map(l => path.getPointAtLength(l).y);"
        "return ends[0] - ends[1] })"
    )
    assert forward < -50  # the signal falls from the first layer to the last, the gradient rises
    assert backward > 50
    dots = "document.querySelector('.figures .points').getAttribute('d').split('M').length - 1"
    assert page.run(dots) == 4


def pages_of_commands(folder: Path) -> Iterator[tuple[str, list[object]]]:
    conf, weights = CONFIGS / "abacus_rank.yaml", folder / "start.npz"
    paddle_init("sample", conf, "--seed-seq", "0,1,2,3", "-o", weights)
    yield "是，就检验所见", ["verify", weights, conf, "--any-seed"]
    yield "没有问题：2 层。", ["propagate", conf, "--no-measure"]


def test_the_commands_write_pages_that_tell_their_command(page: Page, tmp_path: Path) -> None:
    page.size(1280)
    for answer, command in pages_of_commands(tmp_path):
        written = tmp_path / "page.html"
        done = paddle_init(*command, "--format", "html", "--lang", "zh", "-o", written)
        assert done.returncode == 0
        page.open(written)
        assert page.text("h1").startswith(answer)
        told = " ".join(map(str, command))
        assert page.text("footer pre") == f"paddle-init {told} --format html --lang zh -o {written}"


def test_a_uniform_histogram_lies_under_its_density() -> None:
    """Both are densities on one scale: the steps stay near the flat top."""
    spec = NetSpec("paddle", (Draw("w", (400, 100), uniform(-1, 1)),))
    html = as_html(verify(sample(spec, seed=1), spec, histograms=True))
    (steps,) = re.findall(r'<path class="left" d="(M[^"]*)"', html)
    heights = [float(y) for y in re.findall(r"V([\d.]+)", steps)][:-1]
    (flat,) = re.findall(r'<path class="right" d="M\S+ \S+L\S+ ([\d.]+)C', html)
    assert len(heights) == 48
    assert all(abs(height - float(flat)) < 15 for height in heights)
