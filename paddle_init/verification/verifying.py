"""Weights and a net spec to a verification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice, SpecError
from paddle_init.frameworks import STORAGE, as_framework
from paddle_init.frameworks.paddle import Version
from paddle_init.parity.mapping import MappingLike, load_mapping
from paddle_init.parity.resolving import SpecLike, resolve
from paddle_init.parity.sentences.forms import A_NET_SPEC, SIDE
from paddle_init.parity.sides import View
from paddle_init.parity.words import listed
from paddle_init.sampling import as_sampled, sample
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import histogram
from paddle_init.verification.checking import Tests, check_tensor, plan
from paddle_init.verification.comparing import compare_bits
from paddle_init.verification.diagnosing import Arrays, diagnose
from paddle_init.verification.inputs import WeightsLike, as_weights
from paddle_init.verification.naming import found_arrays
from paddle_init.verification.records import (
    Check,
    ParameterVerification,
    Verdict,
    Verification,
)
from paddle_init.verification.repetition import repetitions
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.suspecting import suspicions
from paddle_init.verification.wording import misfit, of_stream, repetition, stream_words
from paddle_init.weight_files.loading import Weights

__all__ = ["verify"]

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
    paddle_version: Version = "3.3.1",
    histograms: bool = False,
) -> Verification:
    """Say whether weights start where a spec says: bit for bit, or by statistical tests.

    With a seed, given here or by the spec's `stream`, every value is drawn and compared; where
    bits differ, known mistakes are tried until one gives exactly the found bits. Without, each
    parameter's mean, std, extremes and form are tested, and parameters that share their draws are
    found.

    Parameters
    ----------
    weights : path, mapping of arrays or tensors by name, or Layer
        A file is .npz, .safetensors or .pdparams.
    spec : NetSpec or path
        A path names an abacus conf or a net spec.
    framework, seed, seed_seq, op_seed, engine, paddle_version
        As `sample` takes them.
    any_seed : bool
        Test distributions alone, even where the spec has a stream.
    mapping : path, mapping of str to str, or pairings
        Which tensors of the spec (left) are which of the weights (right), where names differ; as
        `report` takes it. The names that Paddle's own parameters carry are known without.
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
    (read,) = resolve(spec)
    settled = as_framework(read, framework or read.framework)
    if any_seed:
        settled = replace(settled, stream=None)
    elif given or settled.stream is not None:
        settled = as_sampled(settled, **seeds)  # type: ignore[arg-type]
    opened = as_weights(weights)
    found, used = found_arrays(settled, opened, load_mapping(mapping))
    held = _Held(settled, opened, found, alpha, max_ulp, paddle_version)
    view = View(settled, "", "")
    parameters = [
        replace(
            each,
            spec=view.side(settled.tensor_by_name[each.name]),
            histogram=histogram(found[each.name]) if histograms and each.name in found else None,
        )
        for each in held.verified()
    ]
    extra = tuple(
        ParameterVerification(
            name,
            opened[name].shape,
            None,
            Verdict.UNEXPECTED,
            histogram=histogram(opened[name]) if histograms else None,
        )
        for name in opened
        if name not in used
    )
    return Verification(
        opened.source,
        SIDE(framework=settled.framework, origin=read.origin or A_NET_SPEC()),
        stream_words(settled.stream),
        (*parameters, *extra),
        tuple(held.findings),
        0 if settled.stream else held.tests.count,
        alpha,
    )


@dataclass
class _Held:
    """Found arrays held against a spec; `findings` grow as parameters are looked at."""

    spec: NetSpec
    weights: Weights
    found: Arrays
    alpha: float
    max_ulp: int
    version: Version

    def __post_init__(self) -> None:
        self.findings: list[Notice] = []
        self.tests: Tests = plan(self.spec, self.alpha)

    def verified(self) -> list[ParameterVerification]:
        if not self.found and self.spec.tensors:
            self.findings.append(self._no_name_in_common())
        return list(self._by_bits() if self.spec.stream else self._by_tests())

    def _no_name_in_common(self) -> Notice:
        has, wants = listed(list(self.weights)), listed(list(self.spec.tensor_by_name))
        return Notice("names", say.NO_NAME_IN_COMMON(has=has or say.NONE(), wants=wants))

    def _fits(self, tensor: Tensor, found: NDArray[Any]) -> bool:
        return found.shape == tensor.shape and found.dtype == STORAGE[tensor.dtype]

    def _by_bits(self) -> Iterator[ParameterVerification]:
        spec = self.spec
        expected = sample(spec, paddle_version=self.version)
        compared = {
            t.name: compare_bits(expected[t.name], self.found[t.name])
            for t in spec.tensors
            if t.name in self.found and self._fits(t, self.found[t.name])
        }
        right = {
            name
            for name, bits in compared.items()
            if not bits.differing or (bits.max_ulp is not None and 0 < bits.max_ulp <= self.max_ulp)
        }
        failing = [name for name in self.found if name not in right]
        told = (
            diagnose(
                spec,
                expected,
                self.found,
                failing,
                lambda net: sample(net, paddle_version=self.version),
            )
            if failing
            else {}
        )
        self.findings += [notice for notices in told.values() for notice in notices]
        self.findings += of_stream(spec.stream)
        self._repeated(set(self.found) - right - set(told))
        for tensor in spec.tensors:
            name = tensor.name
            if name not in self.found:
                yield _missing(tensor)
                continue
            verdict = Verdict.IDENTICAL if name in right else Verdict.DIFFERS
            checks: tuple[Check, ...] = ()
            if name in failing and name not in told:
                checks = self._checks(tensor)
                self.findings.append(self._unexplained(tensor, checks))
            yield ParameterVerification(
                name, self.found[name].shape, tensor.role, verdict, compared.get(name), checks
            )

    def _unexplained(self, tensor: Tensor, checks: tuple[Check, ...]) -> Notice:
        found = self.found[tensor.name]
        if not self._fits(tensor, found):
            return misfit(tensor, found)
        failed = [check.name for check in checks if not check.passed]
        if failed:
            why = next(iter(suspicions(self.spec, tensor, found)), None)
            says = say.OTHER_DISTRIBUTION(tests=", ".join(failed))
            return why or Notice("distribution", says, tensor.name)
        return Notice("stream", say.OTHER_STREAM(), tensor.name)

    def _by_tests(self) -> Iterator[ParameterVerification]:
        repeated = self._repeated(set(self.found))
        for tensor in self.spec.tensors:
            if tensor.name not in self.found:
                yield _missing(tensor)
                continue
            found = self.found[tensor.name]
            if not self._fits(tensor, found):
                self.findings.append(misfit(tensor, found))
            checks = self._checks(tensor)
            if not all(check.passed for check in checks):
                self.findings += suspicions(self.spec, tensor, found)
            wrong = not self._fits(tensor, found) or not all(check.passed for check in checks)
            verdict = Verdict.FOLLOWS if checks or not found.size else Verdict.UNTESTED
            if wrong or tensor.name in repeated:
                verdict = Verdict.DIFFERS
            yield ParameterVerification(
                tensor.name, found.shape, tensor.role, verdict, None, checks
            )

    def _checks(self, tensor: Tensor) -> tuple[Check, ...]:
        found = self.found[tensor.name]
        if not self._fits(tensor, found):
            return ()
        drawn = self.spec.distribution(tensor)
        return check_tensor(found, tensor, drawn, self.spec.framework, self.tests)

    def _repeated(self, suspicious: set[str]) -> set[str]:
        fitting = {
            t.name: self.found[t.name]
            for t in self.spec.tensors
            if t.name in self.found and self._fits(t, self.found[t.name])
        }
        repeated = set()
        for each in repetitions(self.spec, fitting, self.tests.threshold):
            # Ops that share a seed share their draws; the bits say whether that was meant.
            meant = self.spec.stream is not None and self.spec.stream.op_seed is not None
            if meant or each.later.name in suspicious:
                self.findings.append(repetition(each.earlier, each.later, each.whole))
                repeated.add(each.later.name)
        return repeated


def _missing(tensor: Tensor) -> ParameterVerification:
    return ParameterVerification(tensor.name, tensor.shape, tensor.role, Verdict.MISSING)
