"""What a net spec may say of its framework: one record per framework, loaded when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Literal, TypeAlias

from paddle_init.errors import SpecError
from paddle_init.languages import Sentence
from paddle_init.texts import did_you_mean

SeedKey: TypeAlias = Literal["seed", "seed_seq", "op_seed"]
Layout: TypeAlias = Literal["[in, out]", "[out, in]"]


@dataclass(frozen=True)
class FrameworkFacts:
    """What is fixed about a framework; how it draws is its `Framework`.

    Parameters
    ----------
    name
        As specs and options name it.
    label, place
        As reports name a side of it: "Paddle", "in Paddle". The label's English is also the name
        in errors.
    implementation
        Its `Framework`, as "dotted.module:Class".
    engines
        Which may draw it, by libstdc++'s names; the first is the default.
    seed_keys
        How its stream may be seeded, the usual way first.
    options
        Which of a spec's `arithmetic` and `storage_order` are its own to choose.
    layout
        The shape of a fully connected layer's weight.
    restarts
        Its draws may start anew or go back in the stream: `seed`, `after`, `op_seed`.
    overwrites
        Elements may be set after a draw.
    op_per_tensor
        It draws each tensor by operators of its own, rather than draws that tensors share.
    versions
        Of it, whose bits differ; the newest first.
    nets
        The dotted module that reads and runs its nets, if anything does; see `base.Nets`.
    reads, writes
        What reads its documents, other than net specs, and what writes them: "dotted.module:name".
    """

    name: str
    label: Sentence
    place: Sentence
    implementation: str
    engines: tuple[str, ...]
    seed_keys: tuple[SeedKey, ...]
    options: tuple[str, ...] = ()
    layout: Layout = "[in, out]"
    restarts: bool = False
    overwrites: bool = False
    op_per_tensor: bool = False
    versions: tuple[str, ...] = ()
    nets: str | None = None
    reads: str | None = None
    writes: str | None = None

    @property
    def title(self) -> str:
        """Its name in errors."""
        return self.label.en

    @property
    def default_engine(self) -> str:
        return self.engines[0]


# The module of a framework's own package that has its FACTS, or the record itself.
_registered: dict[str, str | FrameworkFacts] = {
    package.rpartition(".")[2]: f"{package}.facts"
    for package in ("paddle_init.frameworks.abacus", "paddle_init.frameworks.paddle")
}


def register(facts: FrameworkFacts) -> None:
    """Make a framework known; net specs may name it from then on."""
    _registered[facts.name] = facts


def framework_names() -> tuple[str, ...]:
    """Return the names of the known frameworks."""
    return tuple(_registered)


def framework_facts(name: str) -> FrameworkFacts:
    """Return what is fixed about a framework.

    Raises
    ------
    SpecError
        The framework is unknown.
    """
    known = _registered.get(check_framework(name))
    if isinstance(known, str):
        known = _registered[name] = import_module(known).FACTS
    assert isinstance(known, FrameworkFacts)
    return known


def all_facts() -> tuple[FrameworkFacts, ...]:
    """Return what is fixed about every known framework."""
    return tuple(map(framework_facts, _registered))


def check_framework(name: str) -> str:
    """Return the name of a framework, or say that there is none of this name."""
    names = framework_names()
    if name not in names:
        raise SpecError(
            f"framework must be one of {', '.join(names)}, got {name!r}{did_you_mean(name, names)}"
        )
    return name


def default_engine(framework: str) -> str:
    """Return the engine that a framework uses unless told otherwise."""
    return framework_facts(framework).default_engine


def owner(feature: str) -> FrameworkFacts:
    """Return whose a seed key, an option or a flag of `FrameworkFacts` is, for errors."""
    for facts in all_facts():
        if feature in (*facts.seed_keys, *facts.options) or getattr(facts, feature, False):
            return facts
    raise LookupError(feature)
