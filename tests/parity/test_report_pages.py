"""The HTML form in a real browser: shown, sorted, filtered, translated, printed, and left alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bilingual import ENGLISH
from support.browser import Page
from support.command_line import CONFIGS, paddle_init
from support.page_reading import HOSTILE, MANY, SECONDS, VERSIONS, faults, head, shown
from support.parity_specs import ABACUS, RANK

from paddle_init.errors import Source
from paddle_init.parity.building import report
from paddle_init.parity.page import as_html, as_json
from paddle_init.results.html import FIRST
from paddle_init.schemes import Scheme, abacus, constant, normal, truncated_normal, uniform
from paddle_init.specs import Draw, NetSpec, Seeding
from paddle_init.texts import printable


def many_schemes(i: int) -> Scheme:
    return [
        abacus(1, 0.2 + i % 17 / 100, True),
        normal(i % 3, 0.1 + i / 7000),
        uniform(-1, 1 + i / MANY),
        truncated_normal(0, 1, -2, 2),
        constant(i % 5),
    ][i % 5]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    many = tuple(Draw(f"fc{i}_w", (100 + i % 900, 8), many_schemes(i)) for i in range(MANY))
    bad = tuple(Draw(name, (3, 4), ABACUS) for name in HOSTILE)
    source = Source("/tmp/\"a\" 'b' <i>.yaml", 7)
    bad += tuple(replace(d, name=f"late {d.name}", source=source) for d in many[:FIRST])
    bad += tuple(replace(d, name=f"late {d.name}", source=source) for d in bad[: len(HOSTILE)])
    specs = {
        "few": RANK,
        "many": NetSpec("abacus", many),
        "hostile": NetSpec("abacus", bad, origin=source.file),
    }
    pages = {name: as_html(report(spec), made_by=VERSIONS) for name, spec in specs.items()}
    pages["chinese"] = as_html(report(RANK), made_by=VERSIONS, language="zh")
    folder = tmp_path_factory.mktemp("pages")
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in pages}


NAME, ROLE, SHAPE, LEVEL, LEFT, RIGHT, RATIO = range(1, 8)


def test_the_first_line_answers(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["few"])
    assert page.text("h1") == "No: 3 of 4 parameters start elsewhere (scale 3)."
    assert page.run("document.title") == page.text("h1")
    assert shown(page) == ["fc1_w", "fc1_b", "fc2_w", "fc2_w.bias"]
    assert "paddle-init report 'a b.yaml'" in page.text("footer")
    assert "numpy\n2.0" in page.text("footer")
    assert page.text(".warnings").startswith("bias-row-in-rown fc2_w holds its bias")


@pytest.mark.parametrize("name", ["few", "many", "hostile", "chinese"])
def test_nothing_is_wider_than_the_screen(
    page: Page, files: dict[str, Path], width: int, name: str
) -> None:
    page.open(files[name])
    page.click(".open-all")
    root = "document.documentElement"
    assert page.run(f"{root}.scrollWidth") == page.run(f"{root}.clientWidth")


@pytest.mark.parametrize("name", ["few", "many", "hostile", "chinese"])
def test_the_page_is_valid_html(files: dict[str, Path], name: str) -> None:
    html = files[name].read_text("utf-8")
    assert faults(html) == []
    broken = html.replace("</dd>", "", 1).replace('id="d1"', 'id="d0"', 1)
    assert faults(broken)[-2:] == ["an id stands twice", "no id d1"]
    assert "closes <dd>" in faults(broken)[0]


def test_a_click_on_a_heading_sorts(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["few"])
    first = shown(page)
    for order in ("ascending", "descending", "none"):
        page.click(head(RATIO))
        assert page.run(f"document.querySelector('thead th:nth-child({RATIO})').ariaSort") == order
        expected = {
            "ascending": ["fc1_b", "fc1_w", "fc2_w", "fc2_w.bias"],
            "descending": ["fc2_w", "fc2_w.bias", "fc1_w", "fc1_b"],
            "none": first,
        }
        assert shown(page) == expected[order]
    page.click(head(LEVEL))
    assert shown(page)[0] == "fc1_w"
    if width > 1000:
        page.click(head(SHAPE))
        assert shown(page) == ["fc2_w.bias", "fc1_b", "fc2_w", "fc1_w"]


def test_numbers_sort_as_numbers(page: Page, tmp_path: Path) -> None:
    """Also where a text stands around them: 0.02 is less than 0.1, and a constant has no std."""
    schemes = {"a": normal(0, 0.1), "b": normal(0, 0.02), "c": constant(7), "d": uniform(-30, 30)}
    spec = NetSpec("abacus", tuple(Draw(name, (10, 4), each) for name, each in schemes.items()))
    (tmp_path / "page.html").write_text(as_html(report(spec)), "utf-8")
    page.size(1280)
    page.open(tmp_path / "page.html")
    page.click(head(LEFT))
    assert shown(page) == ["c", "b", "a", "d"]


def test_drawn_values_of_both_sides_are_shown(page: Page, tmp_path: Path, width: int) -> None:
    left = replace(RANK, stream=Seeding("minstd_rand0", 1))
    right = replace(RANK, stream=Seeding("minstd_rand0", 2))
    made = report(left, right, histograms=True)
    assert all(each.histograms for each in made.parameters)
    assert "histograms" not in as_json(made)
    counts = [sum(each.counts) for each in made.parameters[0].histograms or () if each]
    assert counts == [300 * 128] * 2
    (tmp_path / "page.html").write_text(as_html(made), "utf-8")
    page.open(tmp_path / "page.html")
    page.click(".open-all")
    assert page.run("document.querySelectorAll('#d0 svg').length") == 2
    assert "left, drawn values" in page.text("#d0")
    heights = "[...document.querySelectorAll('#d0 figure + figure path:not(.axis)')]"
    assert page.run(f"Math.min(...{heights}.map(path => path.getBBox().height))") > 80
    page.click("button[data-language=zh-CN]")
    assert "右侧，抽到的值" in page.text("#d0")
    assert report(left, right).parameters[0].histograms is None
    assert report(RANK, histograms=True).parameters[0].histograms is None


def test_filters_and_search(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["few"])
    page.click("input[value=scale]")
    assert shown(page) == ["fc1_b", "fc2_w", "fc2_w.bias"]
    page.click("input[value=bias]")
    assert shown(page) == ["fc1_b", "fc2_w.bias"]
    assert page.text("output") == "2 / 4"
    page.type("input[type=search]", "FC2")
    assert shown(page) == ["fc2_w.bias"]
    page.type("input[type=search]", " nowhere")
    assert shown(page) == []
    assert page.text(".nothing") == "Nothing fits the search and the filters."
    page.click("input[value=bias]")
    page.click("input[value=scale]")
    page.run("document.querySelector('input[type=search]').value = ''")
    page.click("input[value=stream]")
    assert shown(page) == ["fc1_w"]


def test_a_row_opens_by_mouse_and_by_keyboard(
    page: Page, files: dict[str, Path], width: int
) -> None:
    page.open(files["few"])
    visible = "document.querySelector('#d1').checkVisibility()"
    assert not page.run(visible)
    page.click("tbody:nth-of-type(2) .toggle")
    assert page.run(visible)
    assert "The bias is drawn 17.3 times narrower in Paddle" in page.text("#d1")
    assert "write initializer=paddle.nn.initializer.Normal(mean=0.0, std=0.2)." in page.text("#d1")
    page.run("document.querySelector('tbody:nth-of-type(2) .toggle').focus()")
    page.press("Enter", 13, "\r")
    assert not page.run(visible)
    page.press(" ", 32, " ")
    assert page.run(visible)
    expanded = "document.querySelector('tbody:nth-of-type(2) .toggle').ariaExpanded"
    assert page.run(expanded) == "true"


def test_every_control_is_reached_by_the_keyboard(page: Page, files: dict[str, Path]) -> None:
    page.size(1280)
    page.open(files["few"])
    reached = []
    for _ in range(30):
        page.press("Tab", 9)
        reached.append(page.run("document.activeElement.outerHTML.slice(0, 60)"))
    for part in ("data-language", "search", 'value="scale"', "sort", "toggle", "open-all"):
        assert any(part in each for each in reached), part


def test_densities_are_drawn_to_one_scale(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["few"])
    page.click("tbody:nth-of-type(2) .toggle")
    boxes = page.run(
        "['left', 'right'].map(side => {"
        "const box = document.querySelector(`#d1 path.${side}`).getBBox();"
        "return [box.width, box.height] })"
    )
    (wide, low), (narrow, high) = boxes
    assert wide / narrow == pytest.approx(17.3, rel=0.02)
    assert high / low == pytest.approx(17.3, rel=0.05)  # places are rounded to a tenth
    assert page.text("#d1 figcaption").split("\n")[0].startswith("left: std 0.2")


def test_the_language_is_switched(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["few"])
    page.click(".open-all")
    english = page.text("body")
    assert not re.search("[\u4e00-\u9fff]", english.replace("中文", ""))
    page.click("button[data-language=zh-CN]")
    chinese = page.text("body")
    assert "4 个参数中有 3 个起点不同" in chinese
    assert ENGLISH.findall(chinese.replace(str(VERSIONS.command), "")) == []
    assert page.run("document.documentElement.lang") == "zh-CN"
    assert page.run("document.title") == page.text("h1")
    page.click("button[data-language=en]")
    assert page.text("body") == english


def test_the_language_asked_for_comes_first(page: Page, files: dict[str, Path]) -> None:
    page.size(1280)
    page.open(files["chinese"])
    assert page.text("h1") == "否：4 个参数中有 3 个起点不同（scale 3）。"
    assert page.run("document.querySelector('[data-language=zh-CN]').ariaPressed") == "true"


@pytest.mark.parametrize("name", ["few", "many"])
def test_it_prints(page: Page, files: dict[str, Path], name: str) -> None:
    page.size(1280)
    page.open(files[name])
    printed = page.printed()
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page\n") >= (2 if name == "few" else 20)
    page.call("Emulation.setEmulatedMedia", media="print")
    visible = "document.querySelector('{}').checkVisibility()".format
    assert page.run(visible("#d1"))
    assert not page.run(visible("form.filters"))
    assert page.run(visible(".more")) is (name == "many")  # that not all is on paper is said
    page.call("Emulation.setEmulatedMedia", media="")


def test_thousands_open_and_sort_in_seconds(page: Page, files: dict[str, Path], width: int) -> None:
    before = page.metric("TaskDuration")
    page.open(files["many"])
    page.click(head(NAME))
    page.click(head(NAME))
    assert page.metric("TaskDuration") - before < SECONDS
    assert shown(page)[:2] == ["fc4999_w", "fc4998_w"]
    assert len(shown(page)) == FIRST
    assert page.text("output") == "5000 / 5000"
    assert page.text(".more").startswith("4900 more rows")


def test_rows_that_wait_are_shown_found_and_opened(
    page: Page, files: dict[str, Path], width: int
) -> None:
    page.open(files["many"])
    page.click(".show-more")
    assert len(shown(page)) == 2 * FIRST
    page.type("input[type=search]", "fc4321_w")
    assert shown(page) == ["fc4321_w"]
    page.click("tbody .toggle")
    assert "left: mean 1, std 0.7173" in page.text("tbody .detail")
    page.run("document.querySelector('input[type=search]').select()")
    page.type("input[type=search]", "fc432")
    assert page.text("output") == "11 / 5000"
    assert page.run("document.querySelectorAll('tbody.open').length") == 1  # it stays open


def test_hostile_names_are_text(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["hostile"])
    page.click(".show-more")
    names = shown(page)
    assert names[: len(HOSTILE)] == [printable(name) for name in HOSTILE]
    assert names[-len(HOSTILE) :] == [printable(f"late {name}") for name in HOSTILE]
    page.click(".open-all")
    assert "/tmp/\"a\" 'b' <i>.yaml:7" in page.text("tbody:last-of-type .detail")
    assert page.text(".sides").split("\n")[1] == "abacus: /tmp/\"a\" 'b' <i>.yaml"
    assert page.run("window.hit") is None
    assert page.run("document.querySelectorAll('script').length") == 3
    assert page.run("document.querySelectorAll('main img, main textarea, main i').length") == 0


def test_the_policy_lets_nothing_else_run(page: Page, files: dict[str, Path]) -> None:
    page.open(files["few"])
    page.run(
        "document.body.insertAdjacentHTML('beforeend',"
        '\'<img src=x onerror="window.hit = 1"><img src="https://example.org/x.png">\')'
    )
    page.run("new Promise(done => setTimeout(done, 100))")
    assert page.run("window.hit") is None
    said = " ".join(page.problems)
    assert "inline event handler violates" in said
    assert "Loading the image 'https://example.org/x.png' violates" in said.replace("\\'", "'")
    page.problems.clear()
    page.requests.clear()  # they are told even where the policy stops them


def test_without_scripts_everything_first_is_there_to_read(
    page: Page, files: dict[str, Path], width: int
) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.load(files["few"])
        nodes = page.call("DOMSnapshot.captureSnapshot", computedStyles=[])
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    laid_out = nodes["documents"][0]["layout"]["text"]
    text = " ".join(nodes["strings"][each] for each in laid_out if each >= 0)
    assert "The bias is drawn 17.3 times narrower" in text
    assert "Search" not in text


def test_a_screen_reader_finds_a_table_and_names(page: Page, files: dict[str, Path]) -> None:
    page.size(1280)
    page.open(files["few"])
    tree = page.call("Accessibility.getFullAXTree")["nodes"]

    def named(role: str) -> list[str]:
        return [
            node["name"]["value"]
            for node in tree
            if not node["ignored"] and node["role"]["value"] == role
        ]

    assert named("table") == ["Parameters"]
    assert named("columnheader")[:3] == ["parameter ↕", "role ↕", "shape ↕"]
    assert [name.lstrip("▸ ") for name in named("rowheader")] == shown(page)
    assert named("searchbox") == ["Search"]
    assert "stream 1" in named("checkbox")


def luminance(color: str) -> float:
    parts = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_texts_have_contrast_by_day_and_by_night() -> None:
    style = as_html(report(RANK)).partition("<style>")[2].partition("</style>")[0]
    themes = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colors: dict[str, Any] = dict(re.findall(r"--(\w+): (#\w{6})", theme))
        grounds = [luminance(colors.pop(name)) for name in ("ground", "panel")]
        colors.pop("line")
        for name, color in colors.items():
            for ground in grounds:
                bright, dark = sorted((luminance(color), ground), reverse=True)
                assert (bright + 0.05) / (dark + 0.05) >= 4.5, name  # WCAG 2.1, AA


def test_the_command_writes_a_page_that_tells_its_command(page: Page, tmp_path: Path) -> None:
    written = tmp_path / "report.html"
    conf = CONFIGS / "flat.yaml"
    done = paddle_init("report", conf, "--format", "html", "--lang", "zh", "-o", written)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page.size(1280)
    page.open(written)
    assert page.text("h1").startswith("否：")
    command = f"paddle-init report {conf} --format html --lang zh -o {written}"
    assert page.text("footer pre") == command
    assert "paddlepaddle" in page.text(".versions")
