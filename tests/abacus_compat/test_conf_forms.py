"""The three forms of a conf, includes, encodings, and where every value came from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import environment

from abacus_compat import ConfError, load_conf, parse_conf
from paddle_init.distributions import Constant, Normal
from paddle_init.errors import Source
from paddle_init.frameworks.paddle.module import python_module
from paddle_init.schemes import Abacus, constant
from paddle_init.specs import Draw, Input, Layer, NetSpec, RowBlock, Tensor
from paddle_init.yaml_cpp import DocumentError, UnreadableFileError

CONFIGS = Path(__file__).parents[2] / "configs"
RULE = Abacus(1.0, 0.2, True)
SECTION = (
    "{global_init_range: 0.2, "
    "param: [{name: w, rown: 3, coln: 2, init_range: 1, scale_by_rown: yes}]}"
)


def codes(spec: NetSpec) -> list[str]:
    return [notice.code for notice in spec.notices]


def test_flat() -> None:
    spec = load_conf(CONFIGS / "flat.yaml")
    assert spec == NetSpec(
        "abacus",
        (Draw("weight", (300, 128), RULE), Draw("bias", (1, 128), constant(1))),
        (
            Tensor("weight", "weight", (300, 128), (RowBlock("weight", 0, 300),)),
            Tensor("bias", "bias", (128,), (RowBlock("bias", 0, 1),)),
        ),
    )
    weight, bias = map(spec.distribution, spec.tensors)
    assert weight == Normal(0, 1.0 * 0.2 / 300**0.5)
    assert bias == Constant(1)
    assert codes(spec) == ["bias-reading"]
    assert not spec.layers


def test_section() -> None:
    spec = load_conf(CONFIGS / "abacus_rank.yaml")
    assert spec == NetSpec(
        "abacus",
        (
            Draw("fc1_w", (300, 128), RULE),
            Draw("fc1_b", (1, 128), RULE),
            Draw("fc2_w", (129, 1), RULE),
        ),
        (
            Tensor("fc1_w", "weight", (300, 128), (RowBlock("fc1_w", 0, 300),)),
            Tensor("fc1_b", "bias", (128,), (RowBlock("fc1_b", 0, 1),)),
            Tensor("fc2_w", "weight", (128, 1), (RowBlock("fc2_w", 0, 128),)),
            Tensor("fc2_w.bias", "bias", (1,), (RowBlock("fc2_w", 128, 129),)),
        ),
    )
    assert spec.layers == (
        Layer("fc1", "fc1", (Input("show_input", 300),), "fc1_w", "fc1_b", "relu"),
        Layer("fc2", "fc2", (Input("fc1", 128),), "fc2_w", "fc2_w.bias", "linear"),
    )
    assert codes(spec) == ["bias-row-in-rown"]
    assert spec.origin == str(CONFIGS / "abacus_rank.yaml")


def test_every_value_remembers_its_place() -> None:
    path = str(CONFIGS / "abacus_rank.yaml")
    spec = load_conf(path)
    places = [item.source for item in (*spec.draws, *spec.tensors, *spec.layers)]
    assert places == [
        Source(path, 6, "param[0]"),
        Source(path, 11, "param[1]"),
        Source(path, 16, "param[2]"),
        Source(path, 6, "param[0]"),
        Source(path, 11, "param[1]"),
        Source(path, 16, "param[2]"),
        Source(path, 16, "param[2]"),
        Source(path, 23, "layer[0]"),
        Source(path, 29, "layer[1]"),
    ]
    flat = load_conf(CONFIGS / "flat.yaml")
    assert [draw.source.line for draw in flat.draws if draw.source] == [2, 2]


def test_params_without_layers_stay_draws() -> None:
    spec = load_conf(CONFIGS / "params_only.yaml")
    assert [(draw.name, draw.shape) for draw in spec.draws] == [
        ("emb_w", (64, 8)),
        ("out_w", (7, 1)),
    ]
    assert [(tensor.name, tensor.role, tensor.shape) for tensor in spec.tensors] == [
        ("emb_w", "weight", (64, 8)),
        ("out_w", "weight", (7, 1)),
    ]
    (notice,) = spec.notices
    assert (notice.code, notice.parameter) == ("roles-unknown", None)
    assert notice.message == (
        "the conf names no layers, so nothing says which parameter is a bias; "
        "the towers divide a bias by sqrt(fan_in) of its layer"
    )


def test_a_module_of_parameters_without_layers_denies_no_bias() -> None:
    written = python_module(load_conf(CONFIGS / "params_only.yaml"))
    assert 'fc = paddle.nn.Linear(64, 8, weight_attr=attrs["emb_w"])' in written
    assert "- roles-unknown: the conf names no layers" in written
    assert "bias_attr" not in written


def test_what_may_be_a_bias_is_named() -> None:
    more = ", ".join(
        f"{{name: {name}, rown: {rown}, coln: 2, init_range: 1, scale_by_rown: yes}}"
        for name, rown in (("b", 1), ("v", 2), ("c", 1))
    )
    spec = parse_conf(SECTION.replace("]}", f", {more}]}}"))
    assert codes(spec) == ["roles-unknown"]
    assert "which parameter is a bias: b, c with rown = 1 may be one;" in spec.notices[0].message
    assert not any(tensor.role == "bias" for tensor in spec.tensors)


@pytest.mark.parametrize("layers", ["", "layer:"])
def test_a_list_of_layers_that_is_missing_or_null_says_nothing_of_roles(layers: str) -> None:
    spec = parse_conf(f"{SECTION[1:-1].replace(', param', chr(10) + 'param')}\n{layers}")
    assert codes(spec) == ["roles-unknown"]
    assert [tensor.role for tensor in spec.tensors] == ["weight"]


def test_an_empty_list_of_layers_says_that_no_layer_uses_a_parameter() -> None:
    spec = parse_conf(SECTION.replace("]}", "], layer: []}"))
    assert codes(spec) == ["unused-parameter"]
    assert [tensor.role for tensor in spec.tensors] == ["other"]


def test_a_training_conf_includes_its_section() -> None:
    spec = load_conf(CONFIGS / "training.yaml")
    section = load_conf(CONFIGS / "training_dnn.yaml")
    assert spec == section
    assert spec.layers == section.layers
    assert spec.skipped_layers == ("gate", "both")
    assert {draw.source.file for draw in spec.draws if draw.source} == {
        str(CONFIGS / "training_dnn.yaml")
    }
    assert codes(spec) == [
        "skipped-keys",
        "shared-parameter",
        "zero-scale",
        "unused-parameter",
        "skipped-layers",
        "no-bias",
    ]
    assert [notice.parameter for notice in spec.notices] == [
        None,
        "fc_w",
        "item_b",
        "old_w",
        None,
        "join_w",
    ]


def test_a_training_conf_holds_its_section() -> None:
    text = f"plugins: {{dnn_plugin: {SECTION}}}\nother: [1, 2]\n"
    assert parse_conf(text) == parse_conf(SECTION)


def test_float32_dialect() -> None:
    spec = load_conf(CONFIGS / "float32.yaml", arithmetic="float32", storage_order="C")
    assert (spec.arithmetic, spec.storage_order) == ("float32", "C")
    scheme = spec.draws[0].scheme
    assert isinstance(scheme, Abacus)
    assert scheme.init_range.hex() == "0x1.6666660000000p-1"  # the float next to 0.7
    wide = load_conf(CONFIGS / "float32.yaml")
    assert [spec.drawn(draw.name) for draw in spec.draws] != [
        wide.drawn(draw.name) for draw in wide.draws
    ]
    assert [layer.output for layer in spec.layers] == ["fc1_out", "fc2_out", "ctr_out"]
    assert spec.layers[0].inputs == (Input("query_input", 24), Input("title_input", 40))


def test_gbk_by_detection_and_by_name(tmp_path: Path) -> None:
    path = CONFIGS / "gbk.yaml"
    detected, named = load_conf(path), load_conf(path, encoding="gbk")
    assert detected == named
    assert detected.draws[2].name == "输出_w"
    assert codes(detected) == ["encoding", "bias-row-in-rown"]
    assert codes(named) == ["bias-row-in-rown"]
    utf8 = tmp_path / "utf8.yaml"
    utf8.write_text(path.read_text("gbk"), "utf-8")
    assert load_conf(utf8) == detected


@pytest.mark.parametrize(
    "changed",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.decode().encode("utf-16"),
    ],
    ids=["byte-order mark", "CRLF", "UTF-16"],
)
def test_files_that_differ_in_form_alone(changed: object) -> None:
    data = (CONFIGS / "abacus_rank.yaml").read_bytes()
    assert parse_conf(changed(data)) == parse_conf(data)  # type: ignore[operator]


def test_what_the_reader_noticed_is_told() -> None:
    twice = SECTION.replace("rown: 3", "rown: 3, rown: 5")
    spec = parse_conf(f"{twice}\n---\nmore\n")
    assert spec.draws[0].shape == (3, 2)
    assert sorted(codes(spec)) == ["duplicate-key", "roles-unknown", "second-document"]


def test_keys_that_play_no_part_are_listed() -> None:
    section = SECTION.replace("rown", "lr: 1, rown", 1).replace("{", "{optimizer: adam, ", 1)
    said = [notice.message for notice in parse_conf(section).notices]
    assert "passed over, as they play no part in initialization: optimizer, param.lr" in said
    assert codes(parse_conf(SECTION)) == ["roles-unknown"]


class TestIncludes:
    """dnn_plugin may be the path of another file."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "inner").mkdir()
        (tmp_path / "outside.yaml").write_text(SECTION)
        (tmp_path / "inner" / "section.yaml").write_text(SECTION)
        return tmp_path / "inner"

    def conf(self, folder: Path, include: str, name: str = "conf.yaml") -> Path:
        path = folder / name
        path.write_text(f"train_mode: offline\nplugins:\n  dnn_plugin: {include}\n")
        return path

    @pytest.mark.parametrize("include", ["section.yaml", "./section.yaml", "../inner/section.yaml"])
    def test_found_beside_the_conf(self, folder: Path, include: str) -> None:
        assert load_conf(self.conf(folder, include)) == parse_conf(SECTION)

    def test_found_whatever_the_current_folder(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.conf(folder, "section.yaml")
        monkeypatch.chdir(folder)
        assert load_conf("conf.yaml") == parse_conf(SECTION)
        monkeypatch.chdir("/")
        assert load_conf(folder / "conf.yaml") == parse_conf(SECTION)

    def test_an_absolute_path_in_the_folder(self, folder: Path) -> None:
        path = self.conf(folder, str(folder / "section.yaml"))
        assert load_conf(path) == parse_conf(SECTION)

    def test_through_another_training_conf(self, folder: Path) -> None:
        self.conf(folder, "section.yaml", "between.yaml")
        assert load_conf(self.conf(folder, "between.yaml")) == parse_conf(SECTION)

    def test_out_of_the_folder(self, folder: Path) -> None:
        path = self.conf(folder, "../outside.yaml")
        with pytest.raises(ConfError) as caught:
            load_conf(path)
        assert str(caught.value) == (
            f"{path}:3: dnn_plugin: ../outside.yaml lies outside the folder {folder}; "
            "name a folder that holds both files as root"
        )
        assert load_conf(path, root=folder.parent) == parse_conf(SECTION)

    def test_out_of_the_folder_by_a_link(self, folder: Path) -> None:
        os.symlink(folder.parent / "outside.yaml", folder / "link.yaml")
        with pytest.raises(ConfError, match=r"link\.yaml lies outside the folder"):
            load_conf(self.conf(folder, "link.yaml"))

    @pytest.mark.parametrize("codec", ["utf-8", "gbk"])
    @pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
    def test_by_the_bytes_of_its_name(self, folder: Path, codec: str, locale: str) -> None:
        """As C++ opens it, in whatever locale; a name that was turned to UTF-8 is found too."""
        conf = folder / "conf.yaml"
        conf.write_bytes("plugins: {dnn_plugin: 模型.yaml}\n".encode(codec))
        code = "import abacus_compat; print(abacus_compat.load_conf('conf.yaml').draws[0].name)"
        for name in ("模型.yaml".encode(), "模型.yaml".encode(codec)):
            (folder / os.fsdecode(name)).write_text(
                SECTION.replace("name: w", f"name: n{len(name)}")
            )
            ran = subprocess.run(
                [sys.executable, "-c", code],
                cwd=folder,
                env=environment(LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
                capture_output=True,
                check=False,
            )
            assert ran.stdout.decode() == f"n{len(name)}\n", ran.stderr

    def test_every_file_on_the_way_is_known(self, folder: Path) -> None:
        self.conf(folder, "section.yaml", "between.yaml")
        spec = load_conf(self.conf(folder, "between.yaml"))
        assert spec.origin == str(folder / "conf.yaml")
        assert spec.included == (str(folder / "between.yaml"), str(folder / "section.yaml"))

    def test_missing(self, folder: Path) -> None:
        path = self.conf(folder, "missing.yaml")
        with pytest.raises(UnreadableFileError) as caught:
            load_conf(path)
        assert isinstance(caught.value, FileNotFoundError)
        assert str(caught.value) == (f"{path}:3: dnn_plugin: missing.yaml: there is no such file")

    @pytest.mark.parametrize("include", ["pipe", "/dev/zero"])
    def test_a_pipe_or_a_device(self, folder: Path, include: str) -> None:
        os.mkfifo(folder / "pipe")
        path = self.conf(folder, include)
        with pytest.raises(UnreadableFileError) as caught:
            load_conf(path, root="/")
        assert str(caught.value) == (
            f"{path}:3: dnn_plugin: {include}: this is a pipe, a socket or a device; name a file"
        )

    @pytest.mark.parametrize("include", ["conf.yaml", "other.yaml"])
    def test_a_cycle(self, folder: Path, include: str) -> None:
        path = self.conf(folder, include)
        other = self.conf(folder, "conf.yaml", "other.yaml")
        with pytest.raises(ConfError) as caught:
            load_conf(path)
        last = path if include == "conf.yaml" else other
        assert str(caught.value) == (
            f"{last}:3: dnn_plugin: conf.yaml leads back to itself; name a file with a section"
        )

    def test_a_file_that_is_no_section(self, folder: Path) -> None:
        (folder / "flat.yaml").write_text("rown: 3\n")
        path = self.conf(folder, "flat.yaml")
        with pytest.raises(ConfError) as caught:
            load_conf(path)
        assert str(caught.value) == (
            f"{folder / 'flat.yaml'}:1: expected a plugin section (global_init_range, param, "
            "layer), or a training conf with plugins; found the keys rown"
        )

    def test_errors_stand_in_the_included_file(self, folder: Path) -> None:
        (folder / "section.yaml").write_text(SECTION.replace("rown: 3", "rown: 0"))
        with pytest.raises(DocumentError) as caught:
            load_conf(self.conf(folder, "section.yaml"))
        assert str(caught.value) == (
            f"{folder / 'section.yaml'}:1: rown: parameter w: "
            "expected an integer of at least 1, found 0"
        )

    @pytest.mark.parametrize("include", [r'"a\0b"', r'"\ud800"'])
    def test_no_path(self, folder: Path, include: str) -> None:
        with pytest.raises(DocumentError):
            load_conf(self.conf(folder, include))

    def test_a_text_includes_from_a_root_alone(self, folder: Path) -> None:
        text = "plugins: {dnn_plugin: section.yaml}"
        with pytest.raises(ConfError, match=r"section\.yaml is another file"):
            parse_conf(text)
        spec = parse_conf(text, str(folder / "conf.yaml"), root=folder)
        assert spec == parse_conf(SECTION)
