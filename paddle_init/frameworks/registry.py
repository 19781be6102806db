"""Frameworks by name, imported when asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from paddle_init.errors import SpecError
from paddle_init.frameworks.base import Framework, Nets
from paddle_init.specs import FrameworkFacts, NetSpec, Seeding
from paddle_init.specs.frameworks import all_facts, framework_facts
from paddle_init.yaml_cpp import Document

# The framework whose parameters everything is brought to: weight files and mappings have its
# names and shapes, confs are translated to it, ``module:object`` names its nets.
HOME = "paddle"


def framework_class(name: str) -> type[Framework]:
    """Return the framework of this name; SpecError where there is none."""
    found: type[Framework] = _loaded(framework_facts(name).implementation)
    return found


def framework_of(spec: NetSpec, version: str | None = None) -> Framework:
    """Return how the framework that `spec` names draws it.

    `version` is one of its `facts.versions`; by default that of the installed one.
    """
    return framework_class(spec.framework).of(spec, version)


def framework_named(name: str) -> Framework:
    """Return the framework of this name, with its default options."""
    return framework_class(name)()


def searched_frameworks() -> tuple[Framework, ...]:
    """Return all frameworks in the order in which unknown streams are looked for in theirs.

    The one that was registered last comes first.
    """
    return tuple(framework_named(facts.name) for facts in reversed(all_facts()))


def usual_framework(seeding: Seeding) -> Framework:
    """Return whose a seeding is that names no framework.

    That of the framework that takes it and has its engine by default, or else of the first that
    takes it: mt19937_64 with a `seed` is Paddle's, with a `seed_seq` abacus's.
    """
    taking = [facts for facts in all_facts() if _takes(facts, seeding)]
    usual = [facts for facts in taking if facts.default_engine == seeding.engine]
    return framework_named([*usual, *taking][0].name)


def home_nets() -> Nets:
    """Return what reads and runs the nets of `HOME`."""
    return framework_named(HOME).nets


def read_framework_document(document: Document, **settings: Any) -> NetSpec:
    """Read a document that is no net spec, as the framework does that has such documents."""
    spec: NetSpec = _of_documents("reads")(document, **settings)
    return spec


def write_framework_document(spec: NetSpec) -> str:
    """Write a net spec as such a document."""
    text: str = _of_documents("writes")(spec)
    return text


def _of_documents(which: str) -> Any:
    paths = (getattr(facts, which) for facts in all_facts())
    return _loaded(next(filter(None, paths)))


def _takes(facts: FrameworkFacts, seeding: Seeding) -> bool:
    try:
        seeding.check(facts.name)
    except SpecError:
        return False
    return True


@cache
def _loaded(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
