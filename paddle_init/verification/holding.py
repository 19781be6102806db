"""Found arrays held against a spec, parameter by parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from paddle_init.distributions import Blocks, Constant, Simple, Unknown
from paddle_init.errors import Notice
from paddle_init.frameworks.installed import Version
from paddle_init.frameworks.knowledge import Reason, only, origins, unknown_tensors
from paddle_init.sampling import draw_arrays
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import number_of_tests
from paddle_init.verification.checking import Tests, check_tensor, plan
from paddle_init.verification.comparing import compare_bits, fits
from paddle_init.verification.copies import untied, verified_copies
from paddle_init.verification.diagnosing import Arrays, diagnose
from paddle_init.verification.naming import Named
from paddle_init.verification.records import Check, ParameterVerification, Verdict
from paddle_init.verification.repetition import LONGEST, repetitions
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.suspecting import suspicions
from paddle_init.verification.wording import misfit, of_names, repetition, search_command
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
