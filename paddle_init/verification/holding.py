"""Found arrays held against a spec, parameter by parameter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.frameworks import STORAGE
from paddle_init.frameworks.installed import Version
from paddle_init.sampling import sample
from paddle_init.specs import NetSpec, Tensor
from paddle_init.verification.checking import Tests, check_tensor, plan
from paddle_init.verification.comparing import compare_bits
from paddle_init.verification.diagnosing import Arrays, diagnose
from paddle_init.verification.known import known_part
from paddle_init.verification.naming import Named
from paddle_init.verification.records import Check, ParameterVerification, Verdict
from paddle_init.verification.repetition import repetitions
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.suspecting import suspicions
from paddle_init.verification.wording import misfit, of_names, of_stream, repetition, search_command
from paddle_init.weight_files.loading import Weights

__all__ = ["Held"]


@dataclass
class Held:
    """Found arrays held against a spec; `findings` grow as parameters are looked at."""

    spec: NetSpec
    weights: Weights
    named: Named
    alpha: float
    max_ulp: int
    version: Version | None

    def __post_init__(self) -> None:
        self.findings: list[Notice] = []
        self.tests: Tests = plan(self.spec, self.alpha)

    @property
    def found(self) -> Arrays:
        return self.named.arrays

    @cached_property
    def known(self) -> NetSpec:
        """What of the spec can be drawn."""
        return known_part(self.spec)

    def verified(self) -> list[ParameterVerification]:
        self.findings += of_names(self.spec, self.weights, self.named)
        return list(self._by_bits() if self.spec.stream else self._by_tests())

    def _fits(self, tensor: Tensor, found: NDArray[Any]) -> bool:
        return found.shape == tensor.shape and found.dtype == STORAGE[tensor.dtype]

    def _by_bits(self) -> Iterator[ParameterVerification]:
        spec = self.known
        expected = sample(spec, paddle_version=self.version)
        found = {name: self.found[name] for name in expected if name in self.found}
        compared = {
            name: compare_bits(expected[name], array)
            for name, array in found.items()
            if self._fits(spec.tensor_by_name[name], array)
        }
        right = {
            name
            for name, bits in compared.items()
            if not bits.differing or (bits.max_ulp is not None and 0 < bits.max_ulp <= self.max_ulp)
        }
        failing = [name for name in found if name not in right]
        told = (
            diagnose(
                spec,
                expected,
                found,
                failing,
                lambda net: sample(net, paddle_version=self.version),
            )
            if failing
            else {}
        )
        self.findings += [notice for notices in told.values() for notice in notices]
        self.findings += of_stream(spec.stream)
        self._repeated(set(found) - right - set(told))
        for tensor in self.spec.tensors:
            name = tensor.name
            if name not in self.found:
                yield _missing(tensor)
                continue
            if name not in expected:
                yield self._unknown(tensor)
                continue
            verdict = Verdict.IDENTICAL if name in right else Verdict.DIFFERS
            checks: tuple[Check, ...] = ()
            if name in failing and name not in told:
                checks = self._checks(tensor)
                self.findings.append(self._unexplained(tensor, checks))
            yield ParameterVerification(
                name, self.found[name].shape, tensor.role, verdict, compared.get(name), checks
            )

    def _unknown(self, tensor: Tensor) -> ParameterVerification:
        found = self.found[tensor.name]
        verdict = Verdict.UNTESTED
        if not self._fits(tensor, found):
            self.findings.append(misfit(tensor, found))
            verdict = Verdict.DIFFERS
        return ParameterVerification(tensor.name, found.shape, tensor.role, verdict)

    def _unexplained(self, tensor: Tensor, checks: tuple[Check, ...]) -> Notice:
        found = self.found[tensor.name]
        if not self._fits(tensor, found):
            return misfit(tensor, found)
        failed = [check.name for check in checks if not check.passed]
        if failed:
            why = next(iter(suspicions(self.spec, tensor, found)), None)
            says = say.OTHER_DISTRIBUTION(tests=", ".join(failed))
            return why or Notice("distribution", says, tensor.name)
        told = say.OTHER_STREAM(command=search_command(self.spec, self.weights))
        return Notice("stream", told, tensor.name)

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
