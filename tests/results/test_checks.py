"""Reports for CI systems: JUnit's XML and GitHub's annotations."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.command_line import CONFIGS, ROOT, paddle_init
from support.parity_specs import RANK

from paddle_init.cli.main import main
from paddle_init.errors import Notice, Source
from paddle_init.parity.building import report
from paddle_init.parity.page import as_checks
from paddle_init.parity.records import Level
from paddle_init.results.checks import Check, Suite, Verdict, as_github, as_junit

CONF = "configs/abacus_rank.yaml"
HOSTILE = "<fc> &\"'%,:\r\n::error::x\x1b[31m\x00\x85\ufffe\udcff]]> 中\U0001f600"

# Elements and attributes of Jenkins' junit-10.xsd, as far as they are used here.
SCHEMA = {
    "testsuites": ({"name", "tests", "failures", "errors", "time", "disabled"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "time", "skipped"},
        {"properties", "testcase", "system-out"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname", "time"}, {"failure", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


def _suite(**changes: object) -> Suite:
    checks = (
        Check("good", Verdict.PASSED, "stream", "fine"),
        Check("odd", Verdict.WARNED, "scale", "100 % wider\ndo this", Source("a.yaml", 3)),
        Check("bad", Verdict.FAILED, "structure", "gone", Source("b,c:d.yaml", 0)),
    )
    told = {"checks": checks, "notices": (), **changes}
    return Suite("paddle-init report", "No.", (("left", "abacus: a.yaml"),), **told)  # type: ignore[arg-type]


def _valid(xml: str) -> ET.Element:
    xml.encode("ascii")
    top = ET.fromstring(xml)
    for element in top.iter():
        attributes, children = SCHEMA[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children
    return top


def test_junit_word_for_word() -> None:
    notice = Notice("zero-scale", "all 0", "odd", Source("a.yaml", 4))
    assert as_junit(_suite(notices=(notice,))) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="paddle-init report" tests="3" failures="1" errors="0" time="0">\n'
        '  <testsuite name="paddle-init report" tests="3" failures="1" errors="0" time="0" '
        'skipped="0">\n'
        "    <properties>\n"
        '      <property name="left" value="abacus: a.yaml" />\n'
        "    </properties>\n"
        '    <testcase classname="abacus: a.yaml" name="good" time="0">\n'
        "      <system-out>stream\nfine</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="abacus: a.yaml" name="odd" time="0">\n'
        "      <system-out>scale\na.yaml:3\n100 % wider\ndo this</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="abacus: a.yaml" name="bad" time="0">\n'
        '      <failure type="structure" message="gone">b,c:d.yaml\ngone</failure>\n'
        "    </testcase>\n"
        "    <system-out>No.\na.yaml:4: warning [zero-scale]: all 0</system-out>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_github_word_for_word(tmp_path: Path) -> None:
    notices = (
        Notice("zero-scale", "all 0", "odd", Source(str(tmp_path / "confs" / "a.yaml"), 4)),
        Notice("mean-in-document", "has no place"),
    )
    assert as_github(_suite(notices=notices), tmp_path) == (
        "No.\n"
        "::error file=b%2Cc%3Ad.yaml,title=bad%3A structure::gone\n"
        "::warning file=a.yaml,line=3,title=odd%3A scale::100 %25 wider%0Ado this\n"
        "::notice file=confs/a.yaml,line=4,title=zero-scale::all 0\n"
    )


def test_github_takes_paths_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = tmp_path / "confs"
    inner.mkdir()
    (inner / "rank.yaml").write_bytes((ROOT / CONF).read_bytes())
    monkeypatch.chdir(inner)
    for workspace, file in ((str(tmp_path), "confs/rank.yaml"), (None, "rank.yaml")):
        if workspace:
            monkeypatch.setenv("GITHUB_WORKSPACE", workspace)
        else:
            monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
        assert main(["report", "rank.yaml", "--format", "github"]) == 0
        assert f"::error file={file},line=11,title=fc1_b%3A scale::" in capsys.readouterr().out


def test_hostile_texts_end_nothing_early() -> None:
    check = Check(HOSTILE, Verdict.FAILED, "scale", HOSTILE, Source(HOSTILE.replace("\0", ""), 7))
    suite = Suite("c", "No.", (("left", HOSTILE),), (check,), (Notice("x", HOSTILE),))
    case = _valid(as_junit(suite)).find(".//testcase")
    assert case is not None
    assert (
        case.get("name")
        == case.get("classname")
        == ("<fc> &\"'%,:\\r\\n::error::x\\x1b[31m\\x00\\x85\\ufffe\\udcff]]> 中\U0001f600")
    )
    answer, command, rest = as_github(suite).split("\n")
    assert (answer, rest) == ("No.", "")
    command.encode("utf-8")
    found = re.fullmatch(r"::error file=([^,:]*),line=7,title=([^,:]*)::(.*)", command)
    assert found
    file, title, message = found.groups()
    assert _unescaped(title) == f"{case.get('name')}: scale"
    assert _unescaped(file) == str(case.get("name")).replace("\\x00", "")
    assert message.isprintable()
    assert _unescaped(message) == str(case.get("name")).replace("\\n", "\n")


def _unescaped(text: str) -> str:
    """As the runner does it: a percent sign last."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@pytest.mark.parametrize(
    ("limit", "verdicts"),
    [
        (None, "FFFP"),
        (Level.STREAM, "FFFF"),
        (Level.SCALE, "FFFP"),
        (Level.DISTRIBUTION, "WWWP"),
        (Level.STRUCTURE, "WWWP"),
    ],
)
def test_a_parameter_fails_at_a_level_and_warns_where_it_starts_elsewhere(
    limit: Level | None, verdicts: str
) -> None:
    found = as_checks(report(RANK), limit).checks
    assert "".join(check.verdict.name[0] for check in found) == verdicts
    assert [check.name for check in found] == ["fc1_b", "fc2_w", "fc2_w.bias", "fc1_w"]


def test_the_command_writes_both_formats(tmp_path: Path) -> None:
    ran = paddle_init("report", CONF, "--format", "junit", "--fail-on", "scale", cwd=ROOT)
    told = "failed (--fail-on scale): No: 3 of 4 parameters start elsewhere (scale 3).\n"
    assert (ran.returncode, ran.stderr) == (1, told)
    top = _valid(ran.stdout)
    assert [case.get("name") for case in top.iter("testcase")] == [
        "fc1_b", "fc2_w", "fc2_w.bias", "fc1_w",
    ]  # fmt: skip
    failure = top.find(".//failure")
    assert failure is not None
    assert str(failure.text).startswith(f"{CONF}:11\nThe bias is drawn 17.3 times narrower")
    assert "\nIn Paddle, write initializer=paddle.nn.initializer.Normal(" in str(failure.text)
    out = tmp_path / "annotations"
    ran = paddle_init("report", CONF, "--format", "github", "-o", out, cwd=ROOT)
    assert (ran.returncode, ran.stdout) == (0, "")
    lines = out.read_text("utf-8").splitlines()
    assert [line.split(" ")[0] for line in lines[1:]] == ["::error"] * 3 + ["::notice"]


def test_parameters_without_partner_have_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = CONFIGS / "abacus_rank.yaml", CONFIGS / "blockwise.yaml"
    assert main(["report", str(one), "--against", str(other), "--format", "github"]) == 0
    found = re.findall(
        r"::error file=\S*/(\w+)\.yaml,line=(\d+),title=(\S+)%3A structure", _out(capsys)
    )
    assert found == [
        ("abacus_rank", "6", "fc1_w"),
        ("abacus_rank", "11", "fc1_b"),
        ("abacus_rank", "16", "fc2_w"),
        ("blockwise", "5", "fc1_show_w"),
    ]


def _out(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_json_and_junit_count_alike(capsys: pytest.CaptureFixture[str]) -> None:
    conf = str(CONFIGS / "training.yaml")
    main(["report", conf, "--format", "json"])
    counts = json.loads(_out(capsys))["summary"]["counts"]
    main(["report", conf, "--format", "junit"])
    suite = _valid(_out(capsys)).find("testsuite")
    assert suite is not None
    assert int(suite.get("tests", "")) == sum(counts.values())
    apart = ("scale", "distribution", "structure")
    assert int(suite.get("failures", "")) == sum(counts[level] for level in apart)
