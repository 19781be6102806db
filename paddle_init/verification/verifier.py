"""Weights and a net spec to a verification."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from paddle_init.distributions import Constant, Unknown
from paddle_init.errors import Notice, SpecError
from paddle_init.frameworks.knowledge import Reason, only, origins, unknown_tensors
from paddle_init.frameworks.registry import framework_of
from paddle_init.frameworks.resolving import SpecLike, resolve
from paddle_init.frameworks.sampling import as_sampled, draw_arrays
from paddle_init.frameworks.sides import view_by_framework
from paddle_init.frameworks.transfer import as_framework
from paddle_init.parity.sentences import A_NET_SPEC, SIDE
from paddle_init.specs import NetSpec, Seeding, Tensor
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.statistics.histograms import histogram
from paddle_init.verification import sentences as messages
from paddle_init.verification.arrays import (
    Copy,
    FoundArrays,
    WeightsLike,
    as_weights,
    found_arrays,
    misfit,
    name_notices,
    refuse_exchanged,
)
from paddle_init.verification.comparison import (
    Tests,
    check_tensor,
    compare_bits,
    fits,
    parts,
    plan,
    same_bits,
)
from paddle_init.verification.diagnosis import Arrays, diagnose, other_distribution
from paddle_init.verification.hypotheses import Array
from paddle_init.verification.records import (
    BitComparison,
    Check,
    ParameterVerification,
    Verdict,
    Verification,
)
from paddle_init.verification.repetition import LONGEST, Repetition, repetitions
from paddle_init.weight_files.weights import Weights

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
    paddle_version: str | None = None,
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
    net = as_framework(read, framework or read.framework)
    if any_seed:
        net = replace(net, stream=None)
    elif given or net.stream is not None:
        net = as_sampled(net, **seeds, partial=True)  # type: ignore[arg-type]
    opened = as_weights(weights)
    found = found_arrays(net, opened, load_mapping(mapping))
    verifier = _Verifier(net, opened, found, alpha, max_ulp, paddle_version, any_seed)
    view = view_by_framework(net)
    parameters = [
        replace(each, spec=view.side(net.tensor_by_name[each.parameter]))
        for each in verifier.parameters()
    ]
    parameters += [
        ParameterVerification(name, opened[name].shape, None, Verdict.UNEXPECTED)
        for name in opened
        if name not in found.used
    ]
    if histograms:
        arrays = found.arrays | {c.name: c.array for c in found.copies if c.array is not None}
        parameters = [_with_histogram(each, arrays, opened) for each in parameters]
    compared = bool(verifier.exact.tensors)
    seed_notices = framework_of(net).seed_notices(net, given=seed) if compared else ()
    return Verification(
        opened.source,
        SIDE(framework=net.framework, origin=read.origin or A_NET_SPEC()),
        _stream_words(net.stream, within=compared),
        tuple(parameters),
        (*verifier.notices, *seed_notices),
        verifier.planned.count,
        alpha,
    )


def _with_histogram(
    each: ParameterVerification, arrays: Arrays, weights: Weights
) -> ParameterVerification:
    values = weights[each.name] if each.verdict is Verdict.UNEXPECTED else arrays.get(each.name)
    return each if values is None else replace(each, histogram=histogram(values))


@dataclass
class _Verifier:
    """Compares found arrays with a spec; `notices` grow as parameters are looked at."""

    spec: NetSpec
    weights: Weights
    found: FoundArrays
    alpha: float
    max_ulp: int
    version: str | None
    any_seed: bool
    notices: list[Notice] = field(default_factory=list)

    @cached_property
    def unknown(self) -> dict[str, Reason]:
        """Which tensors' values are not known, and why."""
        return unknown_tensors(self.spec)

    @cached_property
    def exact(self) -> NetSpec:
        """What of the spec is drawn and compared to the bit.

        Without a stream that is what starts at a seed within the net, or is given. Where constants
        alone are known, the tests say as much.
        """
        known = [t for t in self.spec.tensors if t.name not in self.unknown]
        drawn = (part for tensor in known for *_, part in parts(self.spec, tensor))
        telling = self.spec.stream or any(not isinstance(part, Constant) for part in drawn)
        compared = telling and not self.any_seed
        return only(self.spec, (tensor.name for tensor in known if compared))

    @cached_property
    def planned(self) -> Tests:
        """The tests of what is not compared to the bit."""
        left = (t for t in self.spec.tensors if t.name not in self.exact.tensor_by_name)
        return plan(self.spec, left, self.alpha)

    @cached_property
    def tests(self) -> Tests:
        """Those that are planned, or, where there are none, those of what differs in its bits."""
        return (
            self.planned if self.planned.count else plan(self.spec, self.spec.tensors, self.alpha)
        )

    @cached_property
    def expected(self) -> Arrays:
        return draw_arrays(self.exact, version=self.version)

    def parameters(self) -> list[ParameterVerification]:
        """Return the spec's tensors in their order, and after them their further arrays."""
        self.notices += name_notices(self.spec, self.weights, self.found)
        arrays, exact = self.found.arrays, self.exact.tensor_by_name
        drawn = {name: arrays[name] for name in self.expected if name in arrays}
        bits = {
            name: compare_bits(self.expected[name], array)
            for name, array in drawn.items()
            if fits(exact[name], array)
        }
        right = {name for name, each in bits.items() if each.within(self.max_ulp)}
        failing = [name for name in drawn if name not in right]
        explained = {}
        if failing:
            explained = diagnose(self.exact, self.expected, drawn, failing, self._draw)
        self.notices += [notice for notices in explained.values() for notice in notices]
        repeated = self._repeated(set(arrays) - right - set(explained))
        made = {
            name: self._by_bits(exact[name], bits.get(name), name in right, name in explained)
            for name in drawn
        }
        for tensor in self.spec.tensors:
            if tensor.name not in arrays:
                made[tensor.name] = _entry(tensor, Verdict.MISSING)
            elif tensor.name not in drawn:
                made[tensor.name] = self._by_tests(tensor, tensor.name in repeated)
        self.notices += self._untied()
        first = [made[tensor.name] for tensor in self.spec.tensors]
        return [*first, *(self._copy(copy, made[copy.of]) for copy in self.found.copies)]

    def _draw(self, net: NetSpec) -> Arrays:
        return draw_arrays(net, version=self.version)

    def _by_bits(
        self, tensor: Tensor, bits: BitComparison | None, right: bool, explained: bool
    ) -> ParameterVerification:
        checks: tuple[Check, ...] = ()
        if not right and not explained:
            checks = self._checks(tensor)
            self.notices.append(self._unexplained(tensor, checks))
        verdict = Verdict.IDENTICAL if right else Verdict.DIFFERS
        entry = _entry(tensor, verdict, self.found.arrays[tensor.name])
        return replace(entry, bits=bits, checks=checks)

    def _unexplained(self, tensor: Tensor, checks: tuple[Check, ...]) -> Notice:
        found = self.found.arrays[tensor.name]
        if not fits(tensor, found):
            return misfit(tensor, found)
        if failed := _failed(checks):
            message = messages.OTHER_DISTRIBUTION(tests=", ".join(failed))
            notices = other_distribution(self.spec, tensor, found)
            return notices[0] if notices else Notice("distribution", message, tensor.name)
        command = _search_command(self.spec, self.weights)
        return Notice("stream", messages.OTHER_STREAM(command=command), tensor.name)

    def _by_tests(self, tensor: Tensor, repeated: bool) -> ParameterVerification:
        name, found = tensor.name, self.found.arrays[tensor.name]
        if not fits(tensor, found):
            self.notices.append(misfit(tensor, found))
        checks = self._checks(tensor)
        failed = _failed(checks)
        if "overwritten" in failed:
            self.notices.append(Notice("set-after-draw", messages.NOT_OVERWRITTEN(), name))
        if failed and failed != ["overwritten"]:
            self.notices += other_distribution(self.spec, tensor, found)
        drawn = [part for *_, part in parts(self.spec, tensor)]
        unknown = [part.description for part in drawn if isinstance(part, Unknown)]
        reason = self.unknown.get(name) if self.exact.tensors else None
        verdict = Verdict.FOLLOWS
        if failed or not fits(tensor, found) or repeated:
            verdict = Verdict.DIFFERS
        elif unknown:
            verdict, message = Verdict.UNTESTED, messages.NOT_TESTED(why=unknown[0])
            self.notices.append(Notice("not-known", message, name))
        elif not checks and found.size:
            verdict = Verdict.UNTESTED
        elif reason:
            message = messages.TESTED_ALONE(why=reason.message)
            self.notices.append(Notice("not-known", message, name))
        return replace(_entry(tensor, verdict, found), checks=checks)

    def _checks(self, tensor: Tensor) -> tuple[Check, ...]:
        found = self.found.arrays[tensor.name]
        return check_tensor(found, tensor, self.spec, self.tests) if fits(tensor, found) else ()

    def _repeated(self, suspicious: set[str]) -> set[str]:
        """Return which of some parameters repeat others, and should not."""
        arrays = self.found.arrays
        fitting = {
            t.name: arrays[t.name]
            for t in self.spec.tensors
            if t.name in arrays
            and fits(t, arrays[t.name])
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
                self.notices.append(_repetition_notice(each))
            if not meant and each.later.name in suspicious:
                repeated.add(each.later.name)
        return repeated

    def _untied(self) -> Iterator[Notice]:
        """Tell which further arrays are not equal to the first, and which of them Paddle keeps."""
        aliases = {alias for tensor in self.spec.tensors for alias in tensor.aliases}
        last = {copy.of: copy.name for copy in self.found.copies if copy.name in aliases}
        for copy in self.found.copies:
            tensor, found = self.spec.tensor_by_name[copy.of], self.found.arrays.get(copy.of)
            if copy.array is None or found is None or same_bits(found, copy.array):
                continue
            if not fits(tensor, copy.array):
                yield misfit(replace(tensor, name=copy.name, aliases=()), copy.array)
            message = messages.UNTIED(name=copy.of)
            if copy.name in aliases:
                message = messages.UNTIED_LAST(what=message, last=last[copy.of])
            yield Notice("untied", message, copy.name)

    def _copy(self, copy: Copy, first: ParameterVerification) -> ParameterVerification:
        """Compare a further array of a parameter with what the net draws for it.

        Where that is not known, it is compared with the first array: the net has one value for
        both.
        """
        tensor, drawn = self.spec.tensor_by_name[copy.of], self.expected.get(copy.of)
        found = self.found.arrays.get(copy.of)
        bits, verdict = None, Verdict.DIFFERS
        if copy.array is None:
            verdict = Verdict.MISSING
        elif found is not None and same_bits(found, copy.array):
            return replace(first, name=copy.name, alias_of=copy.of)
        elif drawn is not None and fits(tensor, copy.array):
            bits = compare_bits(drawn, copy.array)
            verdict = Verdict.IDENTICAL if bits.within(self.max_ulp) else Verdict.DIFFERS
        entry = _entry(tensor, verdict, copy.array)
        return replace(entry, name=copy.name, bits=bits, alias_of=copy.of)


def _entry(tensor: Tensor, verdict: Verdict, found: Array | None = None) -> ParameterVerification:
    shape = tensor.shape if found is None else found.shape
    return ParameterVerification(tensor.name, shape, tensor.role, verdict)


def _failed(checks: Iterable[Check]) -> list[str]:
    return [check.name for check in checks if not check.passed]


def _repetition_notice(found: Repetition) -> Notice:
    earlier, later, trap = found.earlier.name, found.later, messages.SEED_TRAP()
    if found.whole:
        return Notice("repeated", messages.EQUALS(earlier=earlier, trap=trap), later.name)
    if found.equal < found.compared:
        message = messages.MOST_EQUAL(
            equal=found.equal, compared=found.compared, earlier=earlier, trap=trap
        )
    else:
        kind = messages.KIND_BIAS() if later.role == "bias" else messages.KIND_PARAMETER()
        message = messages.BEGINS_WITH(kind=kind, earlier=earlier, trap=trap)
    return Notice("repeats", message, later.name)


def _stream_words(stream: Seeding | None, *, within: bool = False) -> str | None:
    """Name the stream; `within` where the net seeds draws itself."""
    if stream is None:
        return messages.SEEDS_WITHIN() if within else None
    if stream.seed_seq is not None:
        return f"{stream.engine}, seed_seq {{{', '.join(map(str, stream.seed_seq))}}}"
    if stream.op_seed is not None:
        return messages.OP_SEED(engine=stream.engine, seed=stream.op_seed)
    return messages.SEED(engine=stream.engine, seed=stream.seed)


def _search_command(spec: NetSpec, weights: Weights) -> str:
    """Return the command line that searches the seed of weights through the spec's net."""
    if spec.origin in (None, "<stdin>") or weights.source == "arrays":
        return "identify(weights, spec)"
    return shlex.join(["paddle-init", "identify", weights.source, "--spec", str(spec.origin)])
