"""Files of more than numbers: what can be read is equal, the rest is named with its reason."""

from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import io
import os
import pathlib
import pickle
import socket
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.command_line import CONFIGS

from abacus_compat import load_conf
from paddle_init import sample, verify
from paddle_init.cli.main import main
from paddle_init.weight_files import WeightFileError
from paddle_init.weight_files.reading import load_weights

FUZZED = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

NUMBERS = (
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3)),
    np.arange(4, dtype=">f4"),
    np.arange(4, dtype=">i8").reshape(2, 2),
    np.array([1.5, -0.0], np.float16),
    np.arange(3, dtype=np.uint16),
    np.array([True, False]),
    np.zeros((0, 3), np.float32),
    np.zeros((3, 0, 2), ">f8", order="F"),
    np.array(7),
    np.array(2.5, np.float32),
    np.arange(24, dtype=np.int8).reshape(2, 3, 4).T,
)
OTHERS = (
    np.array([1 + 2j], np.complex64),
    np.array(["a", "长"]),
    np.array([b"a"]),
    np.array([1, "a", None], object),
    np.array(["2026-01-01"], "datetime64[D]"),
    np.array([3], "timedelta64[s]"),
    np.array([(1, 2.0)], [("é", "i4"), ("b", "f4")]),
    np.array([b"abc"], "V3"),
)
VERSIONS = ((1, 0), (2, 0), (3, 0))


def npy(array: NDArray[Any], version: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    if version < (3, 0) and array.dtype.names:
        version = (3, 0)  # its field's name is no Latin-1
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def equal(found: NDArray[Any], array: NDArray[Any]) -> bool:
    native = array.astype(array.dtype.newbyteorder("="))
    same = found.shape == array.shape and found.dtype == native.dtype
    return same and found.tobytes() == native.tobytes()


MEMBERS = st.tuples(
    st.sampled_from([*NUMBERS, *OTHERS]),
    st.sampled_from(VERSIONS),
    st.sampled_from(
        [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    ),
    st.booleans(),
)


@FUZZED
@given(st.lists(MEMBERS, max_size=6), st.booleans())
def test_archives_are_read_as_numpy_reads_them(
    tmp_path: Path, members: list[Any], noted: bool
) -> None:
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for i, (array, version, compression, zip64) in enumerate(members):
            info = zipfile.ZipInfo(f"m/{i}.npy")
            info.compress_type = compression
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(npy(array, version))
        if noted:
            archive.writestr("m/note.txt", "text")
            archive.writestr("m/", "")
    found = load_weights(path)
    with np.load(path) as theirs:
        for i, (array, *_) in enumerate(members):
            name = f"m/{i}"
            if any(array is other for other in OTHERS):
                assert name in found.unreadable
            else:
                assert equal(found[name], array)
                assert equal(found[name], theirs[name])
    assert len(found) + len(found.unreadable) == len(members) + noted
    assert found.unreadable.get("m/note.txt") == ("it is no .npy file" if noted else None)


@FUZZED
@given(st.data())
def test_changed_archives_are_refused_or_read_alike(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "w.npz"
    arrays = {"a": NUMBERS[0], "b": NUMBERS[1], "c": OTHERS[0]}
    (np.savez_compressed if data.draw(st.booleans()) else np.savez)(path, **arrays)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        read = {name: array.copy() for name, array in load_weights(path).items()}
    except WeightFileError:
        return
    for name, array in read.items():  # a name may have changed
        assert name not in arrays or equal(array, arrays[name])


def test_a_member_without_suffix_is_an_array_too(tmp_path: Path) -> None:
    """As to numpy.load, which looks at the content."""
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w", npy(NUMBERS[0], (1, 0)))
    assert equal(load_weights(path)["w"], NUMBERS[0])


@pytest.mark.parametrize("names", [("w.npy", "w.npy"), ("w", "w.npy")])
def test_members_with_one_name(tmp_path: Path, names: tuple[str, str]) -> None:
    path = tmp_path / "w.npz"
    with (
        zipfile.ZipFile(path, "w") as archive,
        pytest.warns() if names[0] == names[1] else (io.BytesIO()),
    ):
        for name in names:
            archive.writestr(name, npy(NUMBERS[0], (1, 0)))
    with pytest.raises(WeightFileError, match="the name 'w' is given twice: by the members"):
        load_weights(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x93NUMPY\x04\x00" + b"\0" * 20, "version 4.0 is not known"),
        (b"\x93NUMPY\x01\x00\x05\x00{'a'}", "header cannot be read"),
        (b"\x93NUMPY\x01\x00\xff\xff", "header cannot be read"),
        (npy(NUMBERS[0], (1, 0)).replace(b"(2, 3)", b"(2, '3)"), "header cannot be read"),
        (b"", "no .npy file"),
    ],
)
def test_members_that_are_no_npy(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "w.npz"
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(path, "w", compression) as archive:
            archive.writestr("w.npy", content)
            archive.writestr("v.npy", npy(NUMBERS[0], (1, 0)))
        found = load_weights(path)
        assert said in found.unreadable["w"]
        assert equal(found["v"], NUMBERS[0])


def test_a_member_of_too_few_values(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w.npy", npy(NUMBERS[0], (1, 0))[:-4])
    with pytest.raises(WeightFileError, match=r"shape \[2, 3\] and type float32 has 20 bytes"):
        load_weights(path)


def test_an_encrypted_member_is_named(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, a=NUMBERS[0], b=NUMBERS[0])
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[central + 8] |= 1
    path.write_bytes(content)
    found = load_weights(path)
    assert list(found) == ["b"]
    assert "encrypted" in found.unreadable["a"]


KEYS = st.one_of(st.text("ab.长", max_size=3), st.integers(-3, 3), st.none(), st.booleans())
PLAIN = (
    *("text", 3, 2.5, None, True, b"raw", b"", np.float32(1), 1j, {1}, frozenset({2}), set()),
    *(datetime.datetime(2026, 1, 2), argparse.Namespace(lr=0.5), pathlib.PosixPath("a")),
    *(collections.deque([1]), decimal.Decimal("0.5"), bytearray(b"raw"), slice(1)),
)
LEAVES = st.sampled_from([*NUMBERS, *OTHERS, *PLAIN])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(KEYS, inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4).map(collections.OrderedDict),
        st.dictionaries(KEYS, inner, max_size=4).map(
            lambda made: collections.defaultdict(list, made)
        ),
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.tuples(st.sampled_from(["own_w", "own_b"]), st.sampled_from(NUMBERS)),
    ),
    max_leaves=12,
)


def walked(value: Any, keys: tuple[str, ...]) -> list[tuple[str, Any]]:
    """The leaves of a tree by name, and the arrays of pairs of own name and array."""
    if isinstance(value, tuple) and len(value) == 2:
        name, array = value
        if isinstance(name, str) and isinstance(array, np.ndarray):
            return [(".".join(keys), array)]
    if isinstance(value, (list, tuple)):
        value = {str(i): each for i, each in enumerate(value)}
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in walked(each, (*keys, str(key)))]
    return [(".".join(keys), value)]


@FUZZED
@given(st.dictionaries(KEYS, TREES, max_size=5), st.integers(2, 4))
def test_trees_are_read_leaf_by_leaf(tmp_path: Path, tree: dict[Any, Any], protocol: int) -> None:
    path = tmp_path / "w.pdparams"
    path.write_bytes(pickle.dumps(tree, protocol=protocol))
    leaves = walked(tree, ())
    if len(dict(leaves)) < len(leaves):
        with pytest.raises(WeightFileError, match="is given twice: by the keys"):
            load_weights(path)
        return
    found = load_weights(path)
    assert len(found) + len(found.unreadable) == len(leaves)
    for name, value in leaves:
        name = name or "parameter"
        if any(value is array for array in NUMBERS):
            assert equal(found[name], value)
        else:
            assert found.unreadable[name]


@FUZZED
@given(st.data())
def test_changed_pickles_are_refused_or_read(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "w.pdparams"
    tree = {"model": {"w": ("own", NUMBERS[0]), "z": OTHERS[0]}, "list": [NUMBERS[1], "text"]}
    content = bytearray(pickle.dumps(tree, protocol=data.draw(st.integers(2, 4))))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(2, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        found = load_weights(path)
    except WeightFileError:
        return
    for array in found.values():
        assert array.dtype.kind in "fiub"


def test_names_of_parameters_at_any_depth(tmp_path: Path) -> None:
    nets = [paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)]
    own = nets[0].weight.name
    path = str(tmp_path / "w.pdparams")
    states = [net.state_dict() for net in nets]
    paddle.save({"a": {"b": [{"model": states[0]}, {"model": states[1]}]}, "epoch": 1}, path)
    found = load_weights(path)
    place = ("a.b.0.model.weight",)
    for name in (own, f"a.{own}", f"a.b.{own}", f"a.b.0.{own}", f"a.b.0.model.{own}"):
        assert found.aliases[name] == place
    assert found["a.b.1.model.bias"].tolist() == nets[1].bias.numpy().tolist()
    assert found.unreadable == {"epoch": "it is no array (int)"}
    paddle.save({"model": states[0], "ema": states[0]}, path)
    found = load_weights(path)
    assert own not in found.aliases  # which of the two is not known
    assert found.aliases[f"ema.{own}"] == ("ema.weight",)


def test_one_parameter_under_two_names(tmp_path: Path) -> None:
    net = paddle.nn.Linear(2, 2)
    path = str(tmp_path / "w.pdparams")
    for saved in ({"a": net.weight, "b": net.weight}, {"m": {"a": net.weight, "b": net.weight}}):
        paddle.save(saved, path)
        places = load_weights(path).aliases[net.weight.name]
        assert [place.split(".")[-1] for place in places] == ["a", "b"]


def test_a_list_of_a_text_and_an_array_is_no_tensor(tmp_path: Path) -> None:
    path = tmp_path / "w.pdparams"
    path.write_bytes(
        pickle.dumps({"a": ["text", NUMBERS[0]], "b": ("own", NUMBERS[1])}, protocol=4)
    )
    found = load_weights(path)
    assert list(found) == ["a.1", "b"]
    assert found.skipped == ("a.0",)
    assert found.aliases == {"own": ("b",)}


def test_a_name_that_is_given_twice(tmp_path: Path) -> None:
    path = str(tmp_path / "w.pdparams")
    array = paddle.ones([2])
    paddle.save({"a": {"b": array}, "a.b": array}, path)
    with pytest.raises(
        WeightFileError, match=r"'a\.b' is given twice: by the keys \['a', 'b'\] and"
    ):
        load_weights(path)
    paddle.save({"a": {1: array, "1": array}}, path)
    with pytest.raises(WeightFileError, match=r"'a\.1' is given twice"):
        load_weights(path)


def test_trees_without_end(tmp_path: Path) -> None:
    """In depth, in breadth, in the length of names, and in a key."""
    path = tmp_path / "w.pdparams"
    deep: Any = NUMBERS[0]
    for _ in range(64):
        deep = {"d": deep}
    path.write_bytes(pickle.dumps(deep, protocol=4))
    assert list(load_weights(path)) == [".".join("d" * 64)]
    wide: Any = {}
    for _ in range(40):
        wide = {"a": wide, "b": wide}
    long: Any = 1
    for i in range(10):
        long = {("n" * 300_000) + f"{i}{side}": long for side in "abcd"}
    for tree, said in (
        ({"d": deep}, "nested more than 64 deep"),
        (wide, "more than 1048576 values"),
        (long, "longer than 67108864 characters"),
        ({1 << 70_000: NUMBERS[0]}, "neither a text nor a number"),
    ):
        path.write_bytes(pickle.dumps(tree, protocol=4))
        with pytest.raises(WeightFileError, match=said):
            load_weights(path)


@pytest.mark.parametrize("table", [{"OriginShape": (2, 4)}, {"OriginShape": (-2, -3)}, {}])
def test_slices_that_do_not_add_up(tmp_path: Path, table: dict[str, Any]) -> None:
    parts = {"w@@.0": np.arange(4, dtype=np.float32), "w@@.1": np.arange(2, dtype=np.float32)}
    about = {"w": table | {"slices": list(parts)}}
    path = tmp_path / "w.pdparams"
    path.write_bytes(pickle.dumps(parts | {"UnpackBigParamInfor@@": about}, protocol=2))
    with pytest.raises(WeightFileError, match="slices of w"):
        load_weights(path)


def test_slices_within_a_nested_dict(tmp_path: Path) -> None:
    parts = {"w@@.0": np.arange(4, dtype=np.float32), "w@@.1": np.arange(2, dtype=np.float32)}
    about = {"w": {"OriginShape": (2, 3), "slices": list(parts)}}
    names = {"w": "own"}
    inner = parts | {"UnpackBigParamInfor@@": about, "StructuredToParameterName@@": names}
    path = tmp_path / "w.pdparams"
    path.write_bytes(pickle.dumps({"model": inner}, protocol=2))
    found = load_weights(path)
    assert found["model.w"].tolist() == [[0, 1, 2], [3, 0, 1]]
    assert found.aliases["own"] == ("model.w",)


def test_what_is_no_file(tmp_path: Path) -> None:
    """Nothing is waited for, and nothing without end is read."""
    pipe, sock, link = tmp_path / "pipe.npz", tmp_path / "s.npz", tmp_path / "link.npz"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(sock))
        for path in ("/dev/zero", "/dev/null", "/dev/urandom", pipe, sock):
            link.unlink(missing_ok=True)
            link.symlink_to(path)
            for each in (path, link):
                with pytest.raises(WeightFileError, match="a pipe, a socket or a device"):
                    load_weights(each)
    link.unlink()
    link.symlink_to(tmp_path)
    for path, said in (
        (link, "folder"),
        ("/proc/self/maps", "empty"),
        ("/proc/self/mem", "empty"),
        ("a\0b", "no path"),
        (tmp_path / ("n" * 300), "cannot be read"),
    ):
        with pytest.raises(WeightFileError, match=said):
            load_weights(path)


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", w=NUMBERS[0])
    (tmp_path / "link").symlink_to(tmp_path / "w.npz")
    assert equal(load_weights(tmp_path / "link")["w"], NUMBERS[0])


def test_keys_that_hashing_would_follow_without_end(tmp_path: Path) -> None:
    """Tuples in tuples, by depth and by number."""
    path = tmp_path / "w.pdparams"
    twice = b"".join(b"\x94h%c\x86" % i for i in range(60))
    for key in (b")" + b"\x85" * 300_000, b")" + twice):
        path.write_bytes(b"\x80\x04}" + key + b"K\x01s.")
        with pytest.raises(WeightFileError, match="a key of a dict is no text and no number"):
            load_weights(path)


def test_tensors_in_tensors_without_end(tmp_path: Path) -> None:
    path = tmp_path / "w.pdparams"
    head = b"c__builtin__\ntuple\n\x8c\x01n"
    path.write_bytes(b"\x80\x04}\x8c\x01w" + head * 20_000 + b"}" + b"\x86\x85R" * 20_000 + b"s.")
    with pytest.raises(WeightFileError, match="nested too deep"):
        load_weights(path)


def test_dicts_of_other_classes(tmp_path: Path) -> None:
    """An OrderedDict that is made of its pairs, as Python 2 pickles it, loses none of them."""
    path = tmp_path / "w.pdparams"
    plain = pickle.dumps([["w", 1]], protocol=2)[2:-1]
    path.write_bytes(b"\x80\x02ccollections\nOrderedDict\n" + plain + b"\x85R.")
    assert load_weights(path).skipped == ("w",)
    made = collections.defaultdict(dict, model=collections.OrderedDict(w=NUMBERS[0]))
    path.write_bytes(pickle.dumps(made, protocol=4))
    assert equal(load_weights(path)["model.w"], NUMBERS[0])


@pytest.mark.parametrize("suffix", [".npz", ".pdparams"])
@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "junit"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_cannot_be_read_is_told_in_every_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str, form: str, language: str
) -> None:
    spec, path = CONFIGS / "abacus_rank.yaml", tmp_path / f"w{suffix}"
    arrays: dict[str, Any] = dict(sample(load_conf(spec), seed_seq=(0, 1, 2, 3)))
    arrays |= {"extra": OTHERS[0], "words": OTHERS[1]}
    if suffix == ".npz":
        np.savez(path, **arrays)
    else:
        path.write_bytes(pickle.dumps({"state_dict": arrays, "epoch": 1}, protocol=4))
    told = ["--lang", language] if form not in ("json", "junit") else []
    verify = ["verify", str(path), str(spec), "--seed-seq", "0,1,2,3", "--format", form]
    assert main([*verify, *told]) == 0
    out = capsys.readouterr().out
    for word in ("extra", "words", "complex64", "文本" if told and language == "zh" else "text"):
        assert word in out
    assert main(["identify", str(path)]) == 0
    out = capsys.readouterr().out
    assert "extra: its values are complex64;" in out
    assert "\\n" not in out


def test_an_unreadable_parameter_is_missing_and_the_rest_verified(tmp_path: Path) -> None:
    arrays: dict[str, Any] = dict(sample(load_conf(CONFIGS / "abacus_rank.yaml"), seed=1))
    (name, *others) = arrays
    path = tmp_path / "w.npz"
    np.savez(path, **(arrays | {name: arrays[name].astype(np.complex64)}))
    made = verify(path, load_conf(CONFIGS / "abacus_rank.yaml"), seed=1)
    assert {p.name: str(p.verdict) for p in made.parameters} == {
        name: "missing",
        **dict.fromkeys(others, "identical"),
    }
    (told,) = [each for each in made.findings if each.code == "unreadable"]
    assert told.parameter == name
    assert "complex64" in told.message


@pytest.mark.parametrize("name", ["fc1_b", "fc2_w.bias"])
def test_bfloat16_in_another_dtypes_place_is_called_so(name: str) -> None:
    spec = load_conf(CONFIGS / "abacus_rank.yaml")
    arrays = dict(sample(spec, seed=1))
    arrays[name] = np.arange(0x3F80, 0x3F80 + arrays[name].size, dtype=np.uint16)
    told = [each.message for each in verify(arrays, spec, seed=1).findings]
    assert "the dtype is bfloat16, the spec's float32" in told
