"""Numbers and distributions as prose shows them: short, but never alike when they differ."""

from __future__ import annotations

import math

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.languages import Message, Sentence
from paddle_init.statistics.moments import truncated_moments
from paddle_init.texts import short

NORMAL = Sentence("Normal(mean {mean}, std {std})", "正态分布（均值 {mean}，标准差 {std}）")
UNIFORM = Sentence("Uniform(low {low}, high {high})", "均匀分布（下界 {low}，上界 {high}）")
TRUNCATED = Sentence("{normal} cut at {low} and {high}", "在 {low} 和 {high} 处截断的{normal}")
TRUNCATED_NARROWED = Sentence(
    "{normal} cut at {low} and {high} (narrowed to std {std})",
    "在 {low} 和 {high} 处截断的{normal}（标准差缩至 {std}）",
)
CONSTANT = Sentence("the constant {value}", "常数 {value}")
GIVEN = Sentence("{count} given values", "给定的 {count} 个值")
UNKNOWN = Sentence("not known ({description})", "无法判定（{description}）")
WIDER = Sentence("{ratio} times wider", "更宽，是另一侧的 {ratio} 倍")
NARROWER = Sentence("{ratio} times narrower", "更窄，是另一侧的 1/{ratio}")
SLIGHTLY_WIDER = Sentence("{percent} % wider", "比另一侧宽 {percent} %")
SLIGHTLY_NARROWER = Sentence("{percent} % narrower", "比另一侧窄 {percent} %")


def apart(left: float, right: float) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to tell them apart, at least 4."""
    digits = next((n for n in range(4, 17) if short(left, n) != short(right, n)), 17)
    return short(left, digits), short(right, digits)


def times(ratio: float) -> Message:
    """Write a ratio in [0, inf) against 1: ``17.3 times narrower``, ``0.39 % wider``."""
    factor = ratio if ratio > 1 else 1 / ratio if ratio else math.inf
    if factor < 1.1:
        slightly = SLIGHTLY_WIDER if ratio > 1 else SLIGHTLY_NARROWER
        return slightly(percent=short(100 * abs(ratio - 1), 2))
    shown = short(float(short(factor, 3)), 6)  # 3420, and not 3.42e+03
    return (WIDER if ratio > 1 else NARROWER)(ratio=shown)


def percent(share: float) -> str:
    """Write a share in [0, 1]: ``97 %``."""
    return f"{short(100 * share, 2)} %"


def brief(distribution: Simple) -> Message:
    """Write what is drawn in a few words."""
    match distribution:
        case Normal(mean, std):
            return NORMAL(mean=short(mean), std=short(std))
        case Uniform(low, high):
            return UNIFORM(low=short(low), high=short(high))
        case TruncatedNormal(mean, std, low, high):
            normal = NORMAL(mean=short(mean), std=short(std))
            cut = {"normal": normal, "low": short(low), "high": short(high)}
            _, left = truncated_moments(distribution)
            if short(left) != short(std):
                return TRUNCATED_NARROWED(**cut, std=short(left))
            return TRUNCATED(**cut)
        case Constant(value):
            return CONSTANT(value=short(value))
        case Given(values):
            return GIVEN(count=values.size)
        case Unknown(description):
            return UNKNOWN(description=description)
