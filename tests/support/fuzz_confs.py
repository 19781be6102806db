"""Coverage-guided fuzzing of conf reading: ``fuzz_confs.py [seconds [folder]]``.

Wants atheris (``pip install atheris``), which nothing else here does. Starts from configs/, the
documents of yaml_cases.py and what `folder` holds, and keeps there every input that
reached new code. An input for which `check` fails ends the run and is written to
``folder.finding-*``; it belongs into test_hostile_confs.py. At the end, all that was kept is
compared with a real yaml-cpp.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

CONFIGS = Path(__file__).parents[2] / "configs"
LONGEST = 800  # PyYAML's pure parser takes long for deep nesting
READERS = ("abacus_compat.dump", "paddle_init.specs.yaml_form")


def main(seconds: int = 600, folder: str | None = None) -> int:
    """Fuzz, then compare what was kept with yaml-cpp; return 0 where nothing was found."""
    from support.mangling import INSERTED
    from support.yaml_cases import DEPARTURES, DOCUMENTS, unlike_cpp

    from abacus_compat.conf import LAYER_KEYS, PARAM_KEYS, SECTION_KEYS

    corpus = Path(folder or tempfile.mkdtemp(prefix="fuzz-confs-"))
    corpus.mkdir(exist_ok=True)
    departures = [document for documents in DEPARTURES.values() for document in documents]
    for index, document in enumerate([*DOCUMENTS, *departures]):
        if len(document) <= LONGEST:
            (corpus / f"seed-{index}").write_bytes(document)
    tokens = Path(f"{corpus}.tokens")
    keys = sorted(SECTION_KEYS | PARAM_KEYS | LAYER_KEYS | {"plugins", "dnn_plugin", "NeuralLayer"})
    tokens.write_text("".join(map(_entry, [*map(str.encode, keys), *INSERTED])))
    settings = {
        "max_total_time": seconds,
        "max_len": 2 * LONGEST,
        "timeout": 60,
        "dict": tokens,
        "artifact_prefix": f"{corpus}.finding-",
        "print_final_stats": 1,
    }
    command = [sys.executable, __file__, "--child", str(corpus), str(CONFIGS)]
    command += [f"-{name}={value}" for name, value in settings.items()]
    found = subprocess.run(command, check=False).returncode
    kept = [path.read_bytes() for path in sorted(corpus.iterdir())]
    unlike = unlike_cpp(kept)
    with without_libyaml():
        unlike += unlike_cpp(kept)
    print(f"{corpus}: {len(kept)} inputs kept; read unlike yaml-cpp: {len(unlike)}")
    for document, mine, cpp in unlike:
        print(f"{document!r}\n  ours       {mine!r}\n  yaml-cpp   {cpp!r}")
    return int(bool(found or unlike))


def check(data: bytes) -> None:
    """What holds for any bytes: read or refused, in bounded time, and back again."""
    from support.yaml_trees import ours, refused

    from abacus_compat import dump_conf, parse_conf
    from paddle_init import dump_spec, parse_spec
    from paddle_init.yaml_cpp import DocumentError

    start = time.process_time()
    trees = {ours(data)}
    with without_libyaml():
        trees.add(ours(data))
    assert sum(not refused(tree) for tree in trees) < 2, "PyYAML's two parsers differ"
    spec = None
    with suppress(DocumentError):
        spec = parse_conf(data)
    if spec is not None:
        assert parse_spec(dump_spec(spec)) == spec
        assert parse_conf(dump_conf(spec)) == spec
    assert time.process_time() - start < 10, "ten times a second, as it runs instrumented"


@contextmanager
def without_libyaml() -> Iterator[None]:
    """Parse with PyYAML's pure parser, whose code the fuzzer sees."""
    import yaml

    from paddle_init.yaml_cpp import events as parsing

    libyaml, parsing.LOADER = parsing.LOADER, yaml.SafeLoader
    try:
        yield
    finally:
        parsing.LOADER = libyaml


def _entry(token: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in token) + '"\n'


def _child(arguments: Sequence[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["abacus_compat", "paddle_init", "yaml"]):
        for module in READERS:
            import_module(module)
    atheris.Setup([sys.argv[0], *arguments], check)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2:])
    else:
        sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:3]))
