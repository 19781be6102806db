"""An identification's page: what drew each parameter, and what was searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.distributions import TruncatedNormal
from paddle_init.identification.matching import Match
from paddle_init.identification.records import (
    Identification,
    NetIdentification,
    ParameterIdentification,
    Searched,
)
from paddle_init.identification.truncated_fitting import cuts_nothing
from paddle_init.languages import listed
from paddle_init.results import text
from paddle_init.results.page import Entry, Page, Part, Section
from paddle_init.schemes import describe
from paddle_init.specs import Seeding
from paddle_init.texts import number, short

SHOWN_FITS, SHOWN_NAMES = 3, 8


def as_text(result: Identification) -> str:
    """Write an identification for reading; the first line answers, and no line is wrapped."""
    return text.as_text(page(result), width=None)


def page(result: Identification) -> Page:
    """Return what an identification shows its readers."""
    facts = [Entry("weights", result.weights)]
    parts: list[Part] = []
    if result.net is not None:
        facts.append(Entry("spec", f"{result.net.framework}: {result.net.spec}"))
        parts += _net(result.net)
    parts += map(_parameter, result.parameters)
    reasons: dict[str, list[str]] = {}
    for name, why in result.unreadable.items():
        reasons.setdefault(why, []).append(name)
    unread = [f"not read: {listed(names)}: {why}" for why, names in reasons.items()]
    parts.append(_lines(unread))
    if result.found < len(result.parameters):
        parts.append(_lines(map(_searched, result.searched), "searched, as float32 draws:"))
    return Page("paddle-init identify", _answer(result), facts, parts)


def _lines(lines: Iterable[str], heading: str = "", inner: bool = False) -> Section:
    return Section([Entry("", line) for line in lines], heading, inner=inner)


def _parameter(parameter: ParameterIdentification) -> Section:
    shape = " x ".join(map(str, parameter.shape)) or "a scalar"
    entries = [Entry(label, told) for label, told in _details(parameter)]
    return Section(entries, f"{parameter.name}  ({shape}, {parameter.dtype})")


def _net(net: NetIdentification) -> Iterator[Section]:
    found = {
        "confirmed": net.confirmed,
        "altered": net.altered,
        "different": net.different,
        "constant": net.constant,
        "missing": net.missing,
        "not known": net.not_known,
    }
    width = max(map(len, found))
    entries = [
        Entry(label.ljust(width), f"{len(names)}: {listed(names, SHOWN_NAMES)}")
        for label, names in found.items()
        if names
    ]
    yield Section(entries, inner=True)
    if net.seeding is None and net.searched:
        yield _lines(map(_searched, net.searched), "searched through the net:", inner=True)
    elif net.seeding is None:
        yield _lines(
            (
                "no seed was searched: none of its draws could be looked for in the weights;",
                "--mapping says which tensors of the spec are which arrays, where names differ",
            ),
            inner=True,
        )


def _searched(each: Searched) -> str:
    told = f"{each.engine}, {each.which}"
    if each.draws is None:
        return f"{told}, of whatever seed"
    told = f"{each.engine} by {each.seeding}, {each.seeds} seeds ({each.which})"
    if not each.draws:
        return f"{told}: what they draw first"
    return f"{told}: their first {each.draws} draws, and as many behind each parameter found"


def _answer(made: Identification) -> str:
    streams = [p.stream for p in made.parameters if p.stream]
    exact = [stream for stream in streams if stream.alteration is None]
    altered = sum(p.stream is not None and p.initial is False for p in made.parameters)
    origins = list(dict.fromkeys(_origin(stream) for stream in exact or streams))
    told = []
    if made.net is not None and made.net.seeding is None:
        if made.net.searched:
            told.append(f"No seed that was searched draws the net of {made.net.spec}")
        else:
            told.append(f"Nothing of the net of {made.net.spec} was found to search its seed by")
    if exact:
        share = f"{len(exact)} of {len(made.parameters)} parameters are drawn"
        told.append(f"{share}, bit for bit, by {listed(origins)}")
    elif streams:
        told.append(f"Drawn by {listed(origins)}, but not bit for bit")
    elif not told:
        told.append("Not known: no stream that was searched draws these weights")
    unclear = sum(p.stream is not None and p.initial is None for p in made.parameters)
    if exact and unclear:
        told.append(f"{unclear} more {_are(unclear)} in part")
    if altered:
        told.append(f"{altered} {'was' if altered == 1 else 'were'} drawn so and altered since")
    return "; ".join(told) + "."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _details(parameter: ParameterIdentification) -> Iterator[tuple[str, str]]:
    family = parameter.family
    told = family.name
    if family.name == "constant":
        told += f" {short(family.mean or 0.0, 9)}"
    elif family.scale is not None:
        what = "half width" if family.name == "uniform" else "std"
        told += f", mean {short(family.mean or 0.0)}, {what} {short(family.scale)}"
        if family.low is not None and family.high is not None:
            told += f" (99 %: {short(family.low)} to {short(family.high)})"
    yield "family", told
    for index, fit in enumerate(parameter.fits[:SHOWN_FITS]):
        sure = "exactly" if fit.exact else f"p {short(fit.p_value, 2)}"
        yield "scheme" if not index else "", f"{fit.label} ({sure}): {fit.formula}"
    if len(parameter.fits) > SHOWN_FITS:
        yield "", f"{len(parameter.fits) - SHOWN_FITS} more fit"
    if parameter.stream is not None:
        yield "stream", _stream(parameter.stream)
    yield "initial", _initial(parameter.initial, parameter.remark)


def _initial(initial: bool | None, remark: str) -> str:
    if initial is None:
        return remark
    return f"{'yes' if initial else 'no'}: {remark}"


def _origin(stream: Match) -> str:
    if stream.seeding is not None:
        return f"{stream.engine} {_seeding(stream.engine, stream.seeding)}"
    return f"{stream.engine} from state {stream.state}"


def _seeding(engine: str, seeding: Seeding) -> str:
    if seeding.seed_seq is not None:
        return f"seeded by std::seed_seq{{{', '.join(map(str, seeding.seed_seq))}}}"
    if seeding.op_seed is not None:
        return f"with the op seed {seeding.op_seed}, which is engine.seed({seeding.op_seed})"
    return f"after {'paddle.seed' if engine == 'mt19937_64' else 'engine.seed'}({seeding.seed})"


def _stream(stream: Match) -> str:
    order = {"C": "row-major", "F": "column-major"}[stream.order]
    told = f"{_origin(stream)}, draws {stream.position} to {stream.end}, {order}"
    if stream.folded_into:
        told += f", the last row of those of {stream.folded_into}"
    if stream.left_out:
        told += ", with one more row drawn below it (a folded bias)"
    if stream.seeding is None:
        told += (
            f"; engine.seed({stream.state}) starts there, and no common seed leads to it in few "
            "enough draws to be no coincidence"
        )
    scale = stream.scale
    if stream.drawn is not None:
        told += f"; {describe(stream.drawn)}"
        if isinstance(stream.drawn, TruncatedNormal) and cuts_nothing(stream.drawn):
            told += " (cutoffs that far away cut nothing off and cannot be told)"
    if scale.single is not None:
        return f"{told}; the scale is the float32 {number(scale.single)}"
    return f"{told}; the scale is in [{number(scale.low)}, {number(scale.high)}], no float32"
