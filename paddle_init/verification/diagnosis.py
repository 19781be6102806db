"""Which known mistake explains the values that were found, by their bits or by tests."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from paddle_init.distributions import Constant, Given, Simple, Uniform, Unknown
from paddle_init.dtypes import as_numbers, distances
from paddle_init.errors import Notice, SchemeError, SpecError
from paddle_init.frameworks.registry import framework_of
from paddle_init.languages import joined, listed
from paddle_init.schemes import Fixed
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics.goodness import goodness
from paddle_init.statistics.laws import law
from paddle_init.texts import number, short
from paddle_init.verification import sentences as messages
from paddle_init.verification.comparison import (
    bits_of,
    kept_values,
    row_blocks,
    same_bits,
    same_form,
)
from paddle_init.verification.hypotheses import (
    Array,
    Hypothesis,
    default_of,
    other_distributions,
    other_forms,
    other_nets,
    other_storage,
)

Arrays: TypeAlias = Mapping[str, Array]
Drawing: TypeAlias = Callable[[NetSpec], Arrays]
Notices: TypeAlias = dict[str, list[Notice]]

# Of a long net, a hypothesis that explains none of so many failing tensors, the first ones that
# it draws, is not drawn further: there are a dozen, each as long as the net.
PROBED = 256

# Differences up to this are another rounding.
ROUNDINGS_ULP = 64
# A tenth of many values is equal by no chance: two draws share all their bits once in 10^7.
LEAST_SHARE, LEAST = 10, 4
# The least correlation that counts, in standard deviations of Fisher's z: by chance 1e-15.
SIGMAS = 8.0
# Roundings of a product, in units of the dtype's eps.
ROUNDINGS = 4
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}

# A distribution is named where none of its tests gives a smaller p-value.
PLAUSIBLE = 1e-3
SHOWN = 2


def diagnose(
    spec: NetSpec, expected: Arrays, found: Arrays, failing: list[str], draw: Drawing
) -> Notices:
    """Return what explains each failing tensor, by name; those without are not explained.

    Known mistakes are tried, the likeliest first, until one gives the found bits.
    """
    known = _Diagnosis(spec, expected, found, draw, list(failing))
    known.by_nets(other_storage(spec), forms=False)
    known.explain(known.by_bits(expected))
    known.by_nets(other_storage(spec))
    known.explain(known.exchanged())
    known.explain(known.defaults())
    known.by_values(partial(rescaled, spec, 2.0**-23))
    known.by_values(edited)
    known.by_nets(other_nets(spec))
    known.by_values(partial(rescaled, spec, 0.0))
    known.by_values(moved)
    return known.explained


@dataclass
class _Diagnosis:
    """What is explained so far, and the names of what is left to be."""

    spec: NetSpec
    expected: Arrays
    found: Arrays
    draw: Drawing
    left: list[str]
    explained: Notices = field(default_factory=dict)

    def explain(self, notices: Notices) -> None:
        self.explained |= notices
        self.left = [name for name in self.left if name not in notices]

    def by_values(self, look: Callable[[Tensor, Array, Array], list[Notice]]) -> None:
        """Explain tensors by what `look` says of the expected and the found values of each."""
        tensors = (self.spec.tensor_by_name[name] for name in self.left)
        notices = {t.name: look(t, self.expected[t.name], self.found[t.name]) for t in tensors}
        self.explain({name: each for name, each in notices.items() if each})

    def by_nets(self, nets: Iterable[Hypothesis[NetSpec]], forms: bool = True) -> None:
        """Explain tensors by what other nets draw."""
        for other in nets:
            if not self.left:
                return
            try:
                if len(self.left) > PROBED:
                    head, probed = _head(other.outcome, self.left)
                    if not self.by_bits(self._changed(head), other, forms, probed):
                        continue
                drawn = self._changed(other.outcome)
            except (SpecError, SchemeError):
                continue
            self.explain(self.by_bits(drawn, other, forms))

    def _changed(self, net: NetSpec) -> Arrays:
        """Leave out what another net draws as the spec's does: it explains nothing there."""
        drawn = self.draw(net).items()
        return {name: array for name, array in drawn if not same_bits(array, self.expected[name])}

    def by_bits(
        self,
        drawn: Arrays,
        net: Hypothesis[NetSpec] | None = None,
        forms: bool = True,
        names: Iterable[str] | None = None,
    ) -> Notices:
        """Return what is drawn so, or is that in another form."""
        found, cause = self.found, [] if net is None else [net]
        names = [name for name in names or self.left if name in drawn]
        notices = {}
        for name in names:
            if net and same_bits(drawn[name], found[name]):
                if _random(found[name]):
                    notices[name] = [net.notice(name)]
                continue
            for form in other_forms(drawn[name], found[name]) if forms else ():
                if same_bits(form.outcome, found[name]) and _random(found[name]):
                    notices[name] = [form.notice(name), *(net.notice(name) for net in cause)]
                    break
        if notices and net:  # one equal value alone would be no evidence
            single = [n for n in names if found[n].size == 1 and n not in notices]
            notices |= {n: [net.notice(n)] for n in single if same_bits(drawn[n], found[n])}
        return notices

    def exchanged(self) -> Notices:
        """Return which tensors hold what another one should."""
        drawn = reversed(list(self.expected.items()))
        owners = {_digest(values): name for name, values in drawn if _random(values)}
        notices = {}
        for name in self.left:
            other = owners.get(_digest(self.found[name]), name)
            if other != name and same_bits(self.expected[other], self.found[name]):
                notices[name] = [Notice("exchanged", messages.EXCHANGED(other=other), name)]
        return notices

    def defaults(self) -> Notices:
        """Return which were left at a default or a constant, and which were drawn after them."""
        spec, found = self.spec, self.found
        changed: dict[str, Simple] = {}
        notices: Notices = {}
        default_by_name = {name: default_of(spec.tensor_by_name[name]) for name in self.left}
        for name, default in default_by_name.items():
            constant = _constant(found[name])
            if constant is not None:
                equal = messages.ALL_EQUAL(value=f"{constant.value:g}")
                plain = constant == default.outcome and math.copysign(1, constant.value) > 0
                message = default.message if plain else equal
                changed[name], notices[name] = constant, [Notice("default", message, name)]
            elif isinstance(default.outcome, Uniform) and _within(found[name], default.outcome):
                changed[name] = default.outcome
        own = {t.blocks[0].draw: changed[t.name] for t in spec.tensors if t.name in changed}
        if not own:
            return {}
        draws = (replace(d, scheme=Fixed(own[d.name])) if d.name in own else d for d in spec.draws)
        try:
            drawn = self.draw(replace(spec, draws=tuple(draws)))
        except (SpecError, SchemeError):
            return notices
        shifted = messages.SHIFTED(names=listed(list(changed)))
        for name, default in default_by_name.items():
            if name in notices or not _random(found[name]):
                continue
            if same_bits(drawn[name], found[name]):
                after = Notice("shifted", shifted, name)
                notices[name] = [default.notice(name) if name in changed else after]
        return notices


def _head(net: NetSpec, names: list[str]) -> tuple[NetSpec, list[str]]:
    """Return a net's draws up to those of the first `PROBED` tensors of `names`, and these."""
    place = {draw.name: i for i, draw in enumerate(net.draws)}
    last = {t.name: max(place[block.draw] for block in t.blocks) for t in net.tensors}
    probed = sorted(names, key=last.__getitem__)[:PROBED]
    end = last[probed[-1]]
    tensors = tuple(
        replace(t, bias_of=() if t.role == "bias" else None)
        for t in net.tensors
        if last[t.name] <= end
    )
    return replace(net, draws=net.draws[: end + 1], tensors=tensors, layers=()), probed


def _random(array: Array) -> bool:
    """Tell whether there is enough in an array for equal bits to be no coincidence."""
    return array.size > 1 and bool((array.reshape(-1)[1:] != array.reshape(-1)[0]).any())


def _digest(array: Array) -> tuple[Any, ...]:
    """Return what is equal for arrays of equal bits, and else, but for collisions, unequal."""
    return array.shape, array.dtype, hashlib.blake2b(array.tobytes(), digest_size=16).digest()


def _constant(array: Array) -> Constant | None:
    if not array.size or _random(array) or (array.size == 1 and array.reshape(-1)[0]):
        return None
    value = float(as_numbers(array).reshape(-1)[0])
    return Constant(value) if np.isfinite(value) else None


def _within(array: Array, drawn: Uniform) -> bool:
    return bool((np.abs(as_numbers(array)) <= drawn.high * (1 + 2.0**-20)).all())


def edited(tensor: Tensor, expected: Array, found: Array) -> list[Notice]:
    """Tell of values that are the drawn ones, but for order or places."""
    if not same_form(expected, found) or not _random(expected):
        return []
    here, there = bits_of(expected), bits_of(found)
    if order := _permuted(here, there):
        return [Notice("permuted", messages.PERMUTED(order=order), tensor.name)]
    unequal = here != there
    size, differing = here.size, int(np.count_nonzero(unequal))
    equal = size - differing
    apart = distances(here[unequal], there[unequal])
    if equal < LEAST or equal * LEAST_SHARE < size or apart.max(initial=0) <= ROUNDINGS_ULP:
        return []
    where, what = _places(unequal), _values(as_numbers(found)[unequal])
    message = messages.OVERWRITTEN(equal=equal, size=size, where=where, what=what)
    return [Notice("overwritten", message, tensor.name)]


def moved(tensor: Tensor, expected: Array, found: Array) -> list[Notice]:
    """Tell of values each of which lies near its own draw."""
    if not same_form(expected, found) or not _random(expected):
        return []
    a, b = _doubles(expected), _doubles(found)
    if a.size < LEAST + 1 or not np.isfinite(b).all() or not b.std():
        return []
    apart = distances(bits_of(expected).reshape(-1), bits_of(found).reshape(-1))
    if (furthest := int(apart.max())) <= ROUNDINGS_ULP:
        count = int(np.count_nonzero(apart))
        message = messages.WITHIN_ULP(differing=count, size=a.size, max_ulp=furthest)
        return [Notice("rounding", message, tensor.name)]
    r = min(float(np.corrcoef(a, b)[0, 1]), 1 - 2.0**-52)
    if math.atanh(r) * math.sqrt(a.size - 3) < SIGMAS:
        return []
    shift = float((b - a).mean())
    if np.ptp(b - a) <= np.abs(b).max() * 2.0**-20 < abs(shift):
        return [Notice("mean", messages.MEAN(shift=short(shift, 4)), tensor.name)]
    far = short(float(np.abs(b - a).max()), 3)
    return [Notice("moved", messages.MOVED(r=short(r, 4), far=far), tensor.name)]


def _doubles(array: Array) -> Array:
    return as_numbers(array).astype(np.float64).reshape(-1)


def _permuted(here: Array, there: Array) -> str | None:
    if here.sum(dtype=np.uint64) != there.sum(dtype=np.uint64):
        return None
    if not np.array_equal(np.sort(here, None), np.sort(there, None)):
        return None
    if here.ndim == 2 and np.array_equal(_sorted_rows(here), _sorted_rows(there)):
        return messages.WHOLE_ROWS()
    if here.ndim == 2 and np.array_equal(_sorted_rows(here.T), _sorted_rows(there.T)):
        return messages.WHOLE_COLUMNS()
    return messages.SHUFFLED()


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in the order of their values, from the first column on."""
    return matrix[np.lexsort(matrix.T[::-1])]


def _places(unequal: Array) -> str:
    rows = np.flatnonzero(unequal.reshape(len(unequal), -1).any(axis=1))
    if len(unequal) == 1 or rows.size > 1 + (len(unequal) >> 1):
        return ""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 != rows.size:
        return messages.IN_ROWS_FROM(count=rows.size, first=first)
    if first == last:
        return messages.IN_ROW(first=first)
    return messages.IN_ROWS(first=first, stop=last + 1)


def _values(changed: Array) -> str:
    if wild := int(np.count_nonzero(~np.isfinite(changed))):
        return messages.WILD(wild=wild)
    if (changed == changed[0]).all():
        return messages.TO_VALUE(value=short(float(changed[0])))
    return ""


def rescaled(
    spec: NetSpec, least: float, tensor: Tensor, expected: Array, found: Array
) -> list[Notice]:
    """Tell by which factor each block's values are off, and why; nothing where they are not so.

    Factors within `least` of 1 are passed over.
    """
    drawn = [law(spec.drawn(block.draw)) for block in tensor.blocks]
    if expected.shape != found.shape or None in drawn:
        return []
    notices = []
    for start, stop, draw in row_blocks(tensor):
        factor = _factor(expected[start:stop], found[start:stop], tensor.dtype)
        if factor is None:
            return []
        if abs(factor.value - 1) > max(least, factor.error):
            notices.append(_of_rows(tensor, start, stop, *_scale(spec, tensor, draw, factor)))
    return notices


@dataclass(frozen=True)
class Factor:
    """found = value * expected, up to a relative error of `error` in value."""

    value: float
    error: float


def _factor(expected: Array, found: Array, dtype: str) -> Factor | None:
    a, b = _doubles(expected), _doubles(found)
    power = float(a @ a)
    if a.size < 2 or not power or not np.isfinite(b).all():
        return None
    value = float(a @ b) / power
    slack = ROUNDINGS * EPS[dtype]
    far = np.abs(b - value * a) > slack * np.abs(b) + slack * 1e-6 * abs(b).max()
    if value == 0 or far.any():
        return None
    return Factor(value, max(slack / np.sqrt(a.size), 1e-15))


def _scale(spec: NetSpec, tensor: Tensor, name: str, factor: Factor) -> tuple[str, str]:
    """Return code and words for a factor, with the mistake that would make it."""
    own = law(spec.drawn(name))
    assert own is not None
    start = messages.RESCALED(factor=short(factor.value, 10))
    if abs(factor.value - 1) < 2.0**-23:
        narrow = number(float(np.float32(own.std)))
        message = messages.STD_NARROWED(what=start, std=number(own.std), narrow=narrow)
        return "std-narrowed", message
    for each in other_distributions(spec, tensor, spec.draw_by_name[name]):
        other = law(each.outcome)
        if other is None or other.family != own.family:
            continue
        if abs(other.std / own.std / factor.value - 1) < 1e-6 + factor.error:
            return each.code, messages.BECAUSE(what=start, why=each.message)
    return "scale", start


def _of_rows(tensor: Tensor, start: int, stop: int, code: str, message: str) -> Notice:
    if len(tensor.blocks) > 1:
        message = messages.OF_ROWS(rows=f"[{start}, {stop})", what=message)
    return Notice(code, message, tensor.name)


def other_distribution(spec: NetSpec, tensor: Tensor, found: Array) -> list[Notice]:
    """Tell what the values follow instead, or else in what they differ; one notice per block."""
    notices = []
    for start, stop, draw in row_blocks(tensor):
        values = kept_values(tensor, found, start, stop)
        drawn = spec.drawn(draw)
        if isinstance(drawn, (Given, Unknown)) or not values.size:
            continue
        if not _follows(values, tensor, spec, drawn):
            notices.append(_of_rows(tensor, start, stop, *_followed(spec, tensor, draw, values)))
    return notices


def _followed(spec: NetSpec, tensor: Tensor, name: str, values: Array) -> tuple[str, str]:
    numbers = _doubles(values)
    if wild := int(np.count_nonzero(~np.isfinite(numbers))):
        return "finite", messages.NOT_FINITE(count=wild)
    others = other_distributions(spec, tensor, spec.draw_by_name[name])
    fitting = [each for each in others if _follows(values, tensor, spec, each.outcome)]
    if fitting:
        return fitting[0].code, joined(messages.OR, (each.message for each in fitting[:SHOWN]))
    if numbers.size > 1 and (numbers == numbers[0]).all():
        return "constant", messages.ALL_EQUAL(value=short(float(numbers[0])))
    own = law(spec.drawn(name))
    if own is None:
        return "distribution", messages.NOT_THE_CONSTANT()
    ratio = float(np.sqrt(np.mean((numbers - own.mean) ** 2))) / own.std
    mean = short(float(numbers.mean()), 4)
    return "distribution", messages.SPREAD(ratio=short(ratio, 4), mean=mean)


def _follows(values: Array, tensor: Tensor, spec: NetSpec, drawn: Simple) -> bool:
    taken = framework_of(spec).effective(drawn, tensor.dtype)
    if not isinstance(taken, Constant) and law(taken) is None:
        return False
    tests = goodness(values, taken, tensor.dtype)
    return all(test.p_value >= PLAUSIBLE for test in tests)
