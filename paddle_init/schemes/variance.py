"""The general rule: variance = gain**2 / fan, named specializations, and gains for any curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from paddle_init.distributions import Normal, TruncatedNormal, Uniform, finite_double
from paddle_init.errors import SchemeError
from paddle_init.schemes.base import MODES, Arithmetic, Shape, check_range, fan, fans, size
from paddle_init.texts import not_one_of, number

Mode: TypeAlias = Literal["fan_in", "fan_out", "fan_avg", "fan_geo_avg", "fan_quad_avg"]
Form: TypeAlias = Literal["normal", "uniform", "truncated_normal"]
FORMS: tuple[Form, ...] = ("normal", "uniform", "truncated_normal")

# std of a standard normal truncated to (-2, 2)
TRUNCATED_STD = 0.87962566103423978


@dataclass(frozen=True)
class VarianceScaling:
    """Mean 0 and variance gain**2 / fan, as a normal, a uniform or a normal cut at 2 stds.

    Parameters
    ----------
    gain
        In [0, inf); sqrt(2) for ReLU.
    mode
        Which fan: fan_in, fan_out, fan_avg, fan_geo_avg or fan_quad_avg.
    distribution
        "normal", "uniform" (bound gain * sqrt(3 / fan)) or "truncated_normal" (corrected so that
        the variance after truncation is the stated one; a normal where its std is 0).
    fan_in, fan_out
        Given where the shape does not say them, as for a bias.

    The operations stand in the order of paddle/nn/initializer/xavier.py and kaiming.py, so the
    doubles are Paddle's.
    """

    gain: float = 1.0
    mode: Mode = "fan_in"
    distribution: Form = "normal"
    fan_in: int | None = None
    fan_out: int | None = None
    kind: ClassVar[str] = "variance_scaling"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", check_range("variance_scaling", "gain", self.gain))
        for name, allowed in (("mode", tuple(MODES)), ("distribution", FORMS)):
            if getattr(self, name) not in allowed:
                message = not_one_of(f"{self.kind}: {name}", getattr(self, name), allowed)
                raise SchemeError(message)
        for name in ("fan_in", "fan_out"):
            if getattr(self, name) is not None:
                value = size("variance_scaling", name, getattr(self, name))
                object.__setattr__(self, name, value)

    def __call__(
        self, shape: Shape, arithmetic: Arithmetic = "float64"
    ) -> Normal | Uniform | TruncatedNormal:
        value = self.count(shape)
        if self.distribution == "uniform":
            bound = self._finite("bound", self.gain * math.sqrt(3.0 / value))
            return Uniform(-bound, bound)
        if self.mode in ("fan_in", "fan_out"):
            std = self.gain / math.sqrt(value)
        else:
            std = self.gain * math.sqrt(1.0 / value)
        if self.distribution == "truncated_normal":
            std /= TRUNCATED_STD
            cutoff = self._finite("cutoff", 2 * std)
            if cutoff > 0:
                return TruncatedNormal(0.0, std, -cutoff, cutoff)
        return Normal(0.0, std)

    @property
    def rule(self) -> str:
        """The rule without the numbers of a shape, as ``std = gain / sqrt(fan_in)``."""
        return f"{_left(self.distribution)} = {_formula(self.distribution, 'gain', self.mode)}"

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        numbers = _formula(self.distribution, number(self.gain), number(self.count(shape)))
        return f"{self.rule} = {numbers} = {_scale(self(shape))}"

    def _finite(self, name: str, value: float) -> float:
        if math.isinf(value):
            raise SchemeError(
                f"variance_scaling: the {name} of gain {number(self.gain)} overflows float64"
            )
        return value

    def count(self, shape: Shape) -> float:
        """Return the fan that the variance of this shape is divided by."""
        needed = {"fan_in": (None, 1), "fan_out": (1, None)}.get(self.mode, (None, None))
        given = [
            own if own is not None else default
            for own, default in zip((self.fan_in, self.fan_out), needed, strict=True)
        ]
        m, n = fans(self.kind, shape, *given)
        size(self.kind, "fan_in", m)
        size(self.kind, "fan_out", n)
        return fan(self.mode, m, n)


def _left(form: Form) -> str:
    return "bound" if form == "uniform" else "std"


def _formula(form: Form, gain: str, fan: str) -> str:
    """Write a gain over the root of a fan, with their names or with their numbers."""
    if form == "uniform":
        return f"{gain} * sqrt(3 / {fan})"
    correction = f" / {number(TRUNCATED_STD)}" if form == "truncated_normal" else ""
    return f"{gain} / sqrt({fan}){correction}"


def _scale(drawn: Normal | Uniform | TruncatedNormal) -> str:
    return number(drawn.high if isinstance(drawn, Uniform) else drawn.std)


variance_scaling = VarianceScaling


def xavier_normal(gain: float = 1.0, mode: Mode = "fan_avg") -> VarianceScaling:
    """Glorot and Bengio (2010): variance gain**2 * 2 / (fan_in + fan_out)."""
    return VarianceScaling(gain, mode, "normal")


def xavier_uniform(gain: float = 1.0, mode: Mode = "fan_avg") -> VarianceScaling:
    """Glorot and Bengio (2010): bound gain * sqrt(6 / (fan_in + fan_out))."""
    return VarianceScaling(gain, mode, "uniform")


def geometric_normal(gain: float = 1.0) -> VarianceScaling:
    """Su (2021): std gain / (fan_in * fan_out)^(1/4); a product m -> n -> m keeps its variance."""
    return xavier_normal(gain, "fan_geo_avg")


def geometric_uniform(gain: float = 1.0) -> VarianceScaling:
    """Su (2021): as geometric_normal, with bound gain * sqrt(3 / sqrt(fan_in * fan_out))."""
    return xavier_uniform(gain, "fan_geo_avg")


def quadratic_normal(gain: float = 1.0) -> VarianceScaling:
    """Su (2021): variance gain^2 (m + n) / (m^2 + n^2); every step errs least, both ways."""
    return xavier_normal(gain, "fan_quad_avg")


def quadratic_uniform(gain: float = 1.0) -> VarianceScaling:
    """Su (2021): as quadratic_normal, with bound gain * sqrt(3 (m + n) / (m^2 + n^2))."""
    return xavier_uniform(gain, "fan_quad_avg")


def he_normal(negative_slope: float = 0.0, mode: Mode = "fan_in") -> VarianceScaling:
    """He et al. (2015): std sqrt(2 / (1 + slope**2)) / sqrt(fan_in)."""
    return VarianceScaling(_he_gain("he_normal", negative_slope), mode, "normal")


def he_uniform(negative_slope: float = 0.0, mode: Mode = "fan_in") -> VarianceScaling:
    """He et al. (2015): bound sqrt(2 / (1 + slope**2)) * sqrt(3 / fan_in)."""
    return VarianceScaling(_he_gain("he_uniform", negative_slope), mode, "uniform")


def _he_gain(owner: str, negative_slope: float) -> float:
    slope = finite_double(owner, "negative_slope", negative_slope)
    try:
        return math.sqrt(2.0 / (1 + slope**2))
    except OverflowError:
        raise SchemeError(
            f"{owner}: the square of negative_slope {number(slope)} overflows float64"
        ) from None


def lecun_normal() -> VarianceScaling:
    """LeCun et al. (1998): std 1 / sqrt(fan_in)."""
    return VarianceScaling(1.0, "fan_in", "normal")


def lecun_uniform() -> VarianceScaling:
    """LeCun et al. (1998): bound sqrt(3 / fan_in)."""
    return VarianceScaling(1.0, "fan_in", "uniform")


kaiming_normal = he_normal
kaiming_uniform = he_uniform


TwoForms: TypeAlias = Literal["normal", "uniform"]
TWO_FORMS: tuple[TwoForms, ...] = ("normal", "uniform")


@dataclass(frozen=True)
class ConstantVariance:
    """Mean 0 and std c / sqrt(fan_in) with c = std / sqrt(E[a(std z)^2]), z ~ N(0, 1).

    Parameters
    ----------
    activation
        What is applied to the layer's input before the weight, by name, e.g. ``gelu`` or
        ``leaky_relu(0.2)``; kept as its canonical text.
    std
        The std of pre-activations that is to be kept, in (0, inf).
    distribution
        "normal" or "uniform" (bound c * sqrt(3 / fan_in)).
    fan_in
        Given where the shape does not say it, as for a bias.

    Source: "Constant Variance Weight Initialisation".
    """

    activation: str
    std: float = 1.0
    distribution: TwoForms = "normal"
    fan_in: int | None = None
    kind: ClassVar[str] = "constant_variance"

    def __post_init__(self) -> None:
        from paddle_init.activations.builtin import ActivationError
        from paddle_init.activations.notation import activation

        if not isinstance(self.activation, str):
            raise SchemeError(
                "constant_variance: activation must be a name, as gelu or leaky_relu(0.2), got "
                f"{self.activation!r}; for a callable take its gain and variance_scaling(gain)"
            )
        try:
            object.__setattr__(self, "activation", activation(self.activation).text)
        except ActivationError as error:
            raise SchemeError(f"{self.kind}: {error}") from None
        std = check_range(self.kind, "std", self.std)
        if std == 0:
            raise SchemeError(f"{self.kind}: std must be in (0, inf), got 0")
        object.__setattr__(self, "std", std)
        if self.distribution not in TWO_FORMS:
            message = not_one_of(f"{self.kind}: distribution", self.distribution, TWO_FORMS)
            raise SchemeError(message)
        if self.fan_in is not None:
            object.__setattr__(self, "fan_in", size(self.kind, "fan_in", self.fan_in))

    @property
    def gain(self) -> float:
        """c: the std of a weight times sqrt(fan_in)."""
        from paddle_init.activations.builtin import ActivationError
        from paddle_init.activations.gains import gain

        try:
            return gain(self.activation, std=self.std).gain
        except ActivationError as error:
            raise SchemeError(f"{self.kind}: {error}") from None

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Normal | Uniform:
        if self.distribution == "uniform":
            bound = self.gain * math.sqrt(3.0 / self._fan_in(shape))
            return Uniform(-bound, bound)
        return Normal(0.0, self.gain / math.sqrt(self._fan_in(shape)))

    @property
    def rule(self) -> str:
        """The rule without the numbers of a shape, as ``std = gain(gelu) / sqrt(fan_in)``."""
        target = "" if self.std == 1 else f", std {number(self.std)}"
        gain = f"gain({self.activation}{target})"
        return f"{_left(self.distribution)} = {_formula(self.distribution, gain, 'fan_in')}"

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        numbers = _formula(self.distribution, number(self.gain), str(self._fan_in(shape)))
        return f"{self.rule} = {numbers} = {_scale(self(shape))}"

    def _fan_in(self, shape: Shape) -> int:
        fan_in, _ = fans(self.kind, shape, self.fan_in, 1)
        return size(self.kind, "fan_in", fan_in)


constant_variance = ConstantVariance
