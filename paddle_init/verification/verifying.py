"""Weights and a net spec to a verification."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Blocks, Constant, Simple, Unknown
from paddle_init.errors import Notice, SpecError
from paddle_init.file_kinds import weight_format_of
from paddle_init.frameworks.knowledge import Reason, only, origins, seed_notices, unknown_tensors
from paddle_init.frameworks.paddle.facts import Version
from paddle_init.frameworks.resolving import SpecLike, names_object, resolve
from paddle_init.frameworks.sampling import as_sampled, draw_arrays
from paddle_init.frameworks.sides import view_by_framework
from paddle_init.frameworks.transfer import as_framework
from paddle_init.parity.sentences import A_NET_SPEC, SIDE
from paddle_init.specs import NetSpec, Tensor
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.statistics import histogram, number_of_tests
from paddle_init.verification import sentences as say
from paddle_init.verification.checking import Tests, check_tensor, compare_bits, fits, plan
from paddle_init.verification.diagnosing import Arrays, diagnose
from paddle_init.verification.hypotheses import suspicions
from paddle_init.verification.naming import (
    Named,
    found_arrays,
    misfit,
    of_names,
    repetition,
    search_command,
    stream_words,
    untied,
    verified_copies,
)
from paddle_init.verification.records import Check, ParameterVerification, Verdict, Verification
from paddle_init.verification.repetition import LONGEST, repetitions
from paddle_init.weight_files import weights as arrays_said
from paddle_init.weight_files.reading import Weights, load_weights
from paddle_init.weight_files.weights import (
    Leaf,
    Member,
    NestingError,
    gathered,
    key_text,
    unreadable_dtype,
)


@dataclass
class Held:
    """Found arrays held against a spec; `findings` grow as parameters are looked at."""

    spec: NetSpec
    weights: Weights
    named: Named
    alpha: float
    max_ulp: int
    version: Version | None

    any_seed: bool = False

    def __post_init__(self) -> None:
        self.findings: list[Notice] = []
        self.expected: Arrays = {}
        left = [t for t in self.spec.tensors if t.name not in self.exact.tensor_by_name]
        self.tested = any(number_of_tests(part) for t in left for part in _parts(self.spec, t))
        self.tests: Tests = plan(self.spec, left if self.tested else self.spec.tensors, self.alpha)

    @property
    def found(self) -> Arrays:
        return self.named.arrays

    @cached_property
    def unknown(self) -> Mapping[str, Reason]:
        """Which tensors' values are not known, and why."""
        return unknown_tensors(self.spec)

    @cached_property
    def exact(self) -> NetSpec:
        """What of the spec is drawn and compared to the bit.

        Without a stream that is what starts at a seed within the net, or is given. Where constants
        alone are known, the tests say as much.
        """
        known = [t for t in self.spec.tensors if t.name not in self.unknown]
        parts = (part for tensor in known for part in _parts(self.spec, tensor))
        constant = all(isinstance(part, Constant) for part in parts)
        if self.any_seed or (constant and self.spec.stream is None):
            known = []
        return only(self.spec, (tensor.name for tensor in known))

    def verified(self) -> list[ParameterVerification]:
        self.findings += of_names(self.spec, self.weights, self.named)
        exact, repeated = self._compared()
        first = [
            exact.get(tensor.name) or self._by_tests(tensor, repeated)
            if tensor.name in self.found
            else _missing(tensor)
            for tensor in self.spec.tensors
        ]
        self.findings += untied(self.spec, self.named)
        by_name = {each.name: each for each in first}
        further = verified_copies(self.spec, self.named, by_name, self.expected, self.max_ulp)
        return [*first, *further]

    def _compared(self) -> tuple[dict[str, ParameterVerification], set[str]]:
        """Return what was compared to the bit, and which parameters repeat others unexplained."""
        spec = self.exact
        expected = self.expected = draw_arrays(spec, version=self.version)
        found = {name: self.found[name] for name in expected if name in self.found}
        compared = {
            name: compare_bits(expected[name], array)
            for name, array in found.items()
            if fits(spec.tensor_by_name[name], array)
        }
        right = {name for name, bits in compared.items() if bits.within(self.max_ulp)}
        failing = [name for name in found if name not in right]
        told = (
            diagnose(
                spec,
                expected,
                found,
                failing,
                lambda net: draw_arrays(net, version=self.version),
            )
            if failing
            else {}
        )
        self.findings += [notice for notices in told.values() for notice in notices]
        repeated = self._repeated(set(self.found) - right - set(told))
        made = {}
        for name, array in found.items():
            tensor = spec.tensor_by_name[name]
            verdict = Verdict.IDENTICAL if name in right else Verdict.DIFFERS
            checks: tuple[Check, ...] = ()
            if name in failing and name not in told:
                checks = self._checks(tensor)
                self.findings.append(self._unexplained(tensor, checks))
            made[name] = ParameterVerification(
                name, array.shape, tensor.role, verdict, compared.get(name), checks
            )
        return made, repeated

    def _unexplained(self, tensor: Tensor, checks: tuple[Check, ...]) -> Notice:
        found = self.found[tensor.name]
        if not fits(tensor, found):
            return misfit(tensor, found)
        failed = [check.name for check in checks if not check.passed]
        if failed:
            why = next(iter(suspicions(self.spec, tensor, found)), None)
            says = say.OTHER_DISTRIBUTION(tests=", ".join(failed))
            return why or Notice("distribution", says, tensor.name)
        told = say.OTHER_STREAM(command=search_command(self.spec, self.weights))
        return Notice("stream", told, tensor.name)

    def _by_tests(self, tensor: Tensor, repeated: set[str]) -> ParameterVerification:
        found = self.found[tensor.name]
        if not fits(tensor, found):
            self.findings.append(misfit(tensor, found))
        checks = self._checks(tensor)
        failed = [check.name for check in checks if not check.passed]
        if "overwritten" in failed:
            self.findings.append(Notice("set-after-draw", say.NOT_OVERWRITTEN(), tensor.name))
        if failed and failed != ["overwritten"]:
            self.findings += suspicions(self.spec, tensor, found)
        parts = _parts(self.spec, tensor)
        unknown = [part.description for part in parts if isinstance(part, Unknown)]
        tested = (checks or not found.size) and not unknown
        verdict = Verdict.FOLLOWS if tested else Verdict.UNTESTED
        if failed or not fits(tensor, found) or tensor.name in repeated:
            verdict = Verdict.DIFFERS
        if verdict is Verdict.UNTESTED and unknown:
            says = say.NOT_TESTED(why=unknown[0])
            self.findings.append(Notice("not-known", says, tensor.name))
        reason = self.unknown.get(tensor.name)
        if verdict is Verdict.FOLLOWS and reason and self.exact.tensors:
            self.findings.append(
                Notice("not-known", say.TESTED_ALONE(why=reason.message), tensor.name)
            )
        return ParameterVerification(tensor.name, found.shape, tensor.role, verdict, None, checks)

    def _checks(self, tensor: Tensor) -> tuple[Check, ...]:
        found = self.found[tensor.name]
        if not fits(tensor, found):
            return ()
        return check_tensor(found, tensor, self.spec, self.tests)

    def _repeated(self, suspicious: set[str]) -> set[str]:
        fitting = {
            t.name: self.found[t.name]
            for t in self.spec.tensors
            if t.name in self.found
            and fits(t, self.found[t.name])
            and all(each.start >= LONGEST for each in t.overwritten)
        }
        repeated = set()
        starts = origins(self.spec)
        for each in repetitions(self.spec, fitting, self.tests.threshold):
            here, there = each.earlier.blocks[0].draw, each.later.blocks[0].draw
            if here == there:
                continue
            # Draws that start from one state share their values; the bits say whether it was so.
            meant = starts[here].state == starts[there].state
            if meant or each.later.name in suspicious:
                self.findings.append(repetition(each))
            if not meant and each.later.name in suspicious:
                repeated.add(each.later.name)
        return repeated


def _parts(spec: NetSpec, tensor: Tensor) -> tuple[Simple, ...]:
    drawn = spec.distribution(tensor)
    return tuple(p.distribution for p in drawn.parts) if isinstance(drawn, Blocks) else (drawn,)


def _missing(tensor: Tensor) -> ParameterVerification:
    return ParameterVerification(tensor.name, tensor.shape, tensor.role, Verdict.MISSING)


WeightsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Any"


def as_weights(weights: WeightsLike) -> Weights:
    """Return weights by name.

    Parameters
    ----------
    weights
        A path; a mapping of arrays or Paddle tensors by name, which may hold others; or a Layer,
        whose state_dict is taken.

    Raises
    ------
    WeightFileError
        A file cannot be read.
    SpecError
        It is none of these, or holds no array.
    """
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, (str, os.PathLike)):
        return load_weights(weights)
    if not isinstance(weights, Mapping) and hasattr(weights, "state_dict"):
        weights = weights.state_dict()
    if not isinstance(weights, Mapping):
        raise SpecError(
            f"weights: found {type(weights).__name__}, allowed are a path, a mapping of arrays by "
            "name, and a Layer"
        )
    try:
        made = gathered("arrays", weights, _members, _leaf)
    except NestingError as error:
        raise SpecError(f"weights: {error}") from None
    if made.unreadable and not made:
        name, why = next(iter(made.unreadable.items()))
        raise SpecError(f"weights[{name!r}]: expected an array, but {why}")
    return made


def refuse_exchanged(weights: object, spec: object) -> None:
    """Tell a weight file that stands in the spec's place, and a spec in the weights'.

    Raises
    ------
    SpecError
        The two are exchanged.
    """
    if not isinstance(weights, (str, os.PathLike)) or not isinstance(spec, (str, os.PathLike)):
        return
    first, second = os.fspath(weights), os.fspath(spec)
    form = weight_format_of(second)
    if form is None or weight_format_of(first) is not None:
        return
    if os.path.exists(first) or names_object(first):
        raise SpecError(
            f"weights and spec are exchanged: {second} is a weight file ({form}), {first} is none; "
            f"`paddle-init verify {shlex.quote(second)} {shlex.quote(first)}`"
        )


def _members(value: Any) -> Iterable[Member] | None:
    if isinstance(value, Mapping):
        return ((key_text(key), each, None) for key, each in value.items())
    if isinstance(value, (list, tuple)) and not _is_numbers(value):
        return ((str(index), each, None) for index, each in enumerate(value))
    return None


def _is_numbers(value: Any) -> bool:
    """Tell a number, or lists of lists of numbers, from a list of arrays."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_numbers, value))
    return isinstance(value, (int, float, complex))


def _leaf(value: Any) -> Leaf:
    is_tensor = hasattr(value, "numpy")
    if not is_tensor and not isinstance(value, (np.ndarray, np.generic, list, tuple)):
        return Leaf(arrays_said.NO_ARRAY(kind=type(value).__name__))
    try:
        array = np.asarray(value.numpy() if is_tensor else value)
    except (ValueError, OverflowError):  # lists of lists of other lengths
        return Leaf(arrays_said.NO_ARRAY(kind=type(value).__name__))
    if why := unreadable_dtype(array.dtype):
        return Leaf(why)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    own_name = getattr(value, "name", None) if is_tensor else None
    return Leaf(functools.partial(_same, native), own_name if isinstance(own_name, str) else None)


def _same(array: NDArray[Any]) -> NDArray[Any]:
    return array


ALPHA = 1e-6


def verify(
    weights: WeightsLike,
    spec: SpecLike,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    any_seed: bool = False,
    mapping: MappingLike = (),
    alpha: float = ALPHA,
    max_ulp: int = 0,
    paddle_version: Version | None = None,
    histograms: bool = False,
) -> Verification:
    """Say whether weights start where a spec says: bit for bit, or by statistical tests.

    With a seed, given here or by the spec's `stream`, every value that the spec says is drawn and
    compared; where bits differ, known mistakes are tried until one gives exactly the found bits.
    Without, and where only the distribution of a parameter is known and not its place in the
    stream, the mean, std, extremes and form are tested, and parameters that share their draws are
    found. What is drawn behind a seed within the net is compared in any case. A parameter of
    unknown distribution is untested.

    Parameters
    ----------
    weights : path, mapping of arrays or tensors by name, or Layer
        A file is .npz, .safetensors or .pdparams.
    spec : NetSpec, path or str
        A path names an abacus conf or a net spec; ``module:object`` is read by `read_net`. What
        a net does not say of itself stays untested.
    framework, seed, seed_seq, op_seed, engine, paddle_version
        As `sample` takes them.
    any_seed : bool
        Test distributions alone, even where the spec has a stream or seeds of its own.
    mapping : path, mapping of str to str, or pairings
        Which tensors of the spec (left) are which of the weights (right), where names differ; as
        `report` takes it. The names that Paddle's own parameters carry are known without, and so
        is a prefix that all names have, such as "model.".
    alpha : float
        Probability, in (0, 1), that right weights fail any of all tests together, at most.
    max_ulp : int
        The largest distance, in ULP, at which drawn values still pass.
    histograms : bool
        Keep a histogram of every parameter's values, for a page.

    Returns
    -------
    Verification
        The spec's tensors in their order, then what only the weights have.

    Raises
    ------
    WeightFileError, DocumentError, SpecError
        A file cannot be read, or the spec cannot be drawn.
    """
    if not 0 < alpha < 1:
        raise SpecError(f"alpha must be in (0, 1), got {alpha}")
    if max_ulp < 0:
        raise SpecError(f"max_ulp must be 0 or more, got {max_ulp}")
    seeds = {"seed": seed, "seed_seq": seed_seq, "op_seed": op_seed, "engine": engine}
    given = [name for name, value in seeds.items() if value is not None]
    if any_seed and given:
        raise SpecError(f"any_seed and {given[0]} contradict each other; give one")
    refuse_exchanged(weights, spec)
    (read,) = resolve(spec)
    settled = as_framework(read, framework or read.framework)
    if any_seed:
        settled = replace(settled, stream=None)
    elif given or settled.stream is not None:
        settled = as_sampled(settled, **seeds, partial=True)  # type: ignore[arg-type]
    opened = as_weights(weights)
    named = found_arrays(settled, opened, load_mapping(mapping))
    held = Held(settled, opened, named, alpha, max_ulp, paddle_version, any_seed)
    view = view_by_framework(settled)
    arrays = dict(named.arrays) | {
        copy.name: copy.array for copy in named.copies if copy.array is not None
    }
    parameters = [
        replace(
            each,
            spec=view.side(settled.tensor_by_name[each.parameter]),
            histogram=(
                histogram(arrays[each.name]) if histograms and each.name in arrays else None
            ),
        )
        for each in held.verified()
    ]
    seeds_told = seed_notices(settled, given=seed) if held.exact.tensors else ()
    extra = tuple(
        ParameterVerification(
            name,
            opened[name].shape,
            None,
            Verdict.UNEXPECTED,
            histogram=histogram(opened[name]) if histograms else None,
        )
        for name in opened
        if name not in named.used
    )
    return Verification(
        opened.source,
        SIDE(framework=settled.framework, origin=read.origin or A_NET_SPEC()),
        stream_words(settled.stream, within=bool(held.exact.tensors)),
        (*parameters, *extra),
        (*held.findings, *seeds_told),
        held.tests.count if held.tested else 0,
        alpha,
    )
