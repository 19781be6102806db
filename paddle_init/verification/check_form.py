"""A verification as checks, one for every parameter, for the formats of CI systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paddle_init.errors import Source
from paddle_init.results import checks
from paddle_init.verification import sentences as say
from paddle_init.verification.records import ParameterVerification, Verdict, Verification
from paddle_init.verification.summary import answer, found, general, worst_first

__all__ = ["as_checks"]


def as_checks(
    made: Verification, fail_on: Verdict | None = None, known: Mapping[str, Source] | None = None
) -> checks.Suite:
    """Return one check for every parameter, the worst first, and one that fails without any.

    Parameters
    ----------
    fail_on : Verdict, optional
        A parameter fails at this verdict or a worse one, and only warns where it is better than
        that and not in order all the same. By default what is not known fails too.
    known : dict of str to Source, optional
        Where parameters are written that the spec has no place for.
    """
    limit = fail_on or Verdict.UNTESTED
    told = tuple(
        checks.Check(
            each.name,
            _verdict(each.verdict, limit),
            str(each.verdict),
            "\n".join(_details(made, each)),
            (each.spec.source if each.spec else None) or (known or {}).get(each.name),
        )
        for each in worst_first(made)
    )
    if not made.known:
        told = (checks.nothing(answer(made)), *told)
    sides = (("weights", made.weights), ("spec", made.spec))
    return checks.Suite("paddle-init verify", answer(made), sides, told, general(made))


def _verdict(verdict: Verdict, limit: Verdict) -> checks.Verdict:
    if verdict.rank >= limit.rank:
        return checks.Verdict.FAILED
    passes = verdict in (Verdict.IDENTICAL, Verdict.FOLLOWS)
    return checks.Verdict.PASSED if passes else checks.Verdict.WARNED


def _details(made: Verification, parameter: ParameterVerification) -> Iterator[str]:
    why = [each.message for each in made.findings if each.parameter == parameter.name]
    yield from why or [say.VERDICTS[parameter.verdict]()]
    if told := found(parameter):
        yield told
    if parameter.spec:
        yield f"spec: {parameter.spec.formula}"
