"""What the adapter refuses or warns of, where Paddle would say nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import paddle
import pytest
from support.paddle_graph import fresh_names

from paddle_init.distributions import (
    Block,
    Blocks,
    Constant,
    Distribution,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.errors import SchemeError, Source, SpecError
from paddle_init.frameworks.paddle.nets.attrs import NotASchemeError, param_attr, param_attrs
from paddle_init.frameworks.paddle.nets.initializers import InitializerWarning
from paddle_init.schemes import (
    Abacus,
    VarianceScaling,
    abacus,
    constant,
    he_normal,
    normal,
    paddle_fc,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

OWN = paddle.nn.initializer


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (OWN.Normal, "got the class Normal; give an instance"),
        (OWN.KaimingNormal, "got the class KaimingNormal"),
        (Abacus, "got the class Abacus"),
        (Normal, "got the class Normal"),
        (OWN.Normal(0.0, 0.1), "goes into paddle.ParamAttr directly"),
        (he_normal, "neither a scheme"),
        (0.1, "0.1 is neither a scheme"),
        (None, "None is neither a scheme"),
    ],
)
def test_what_is_no_scheme(scheme: Any, message: str) -> None:
    with pytest.raises(NotASchemeError, match=message) as error:
        param_attr(scheme, [4, 5])
    assert isinstance(error.value, TypeError)


@pytest.mark.parametrize(
    ("make", "shape", "message"),
    [
        (lambda: normal(0, -1), [4, 5], "std must be 0 or more, got -1"),
        (lambda: normal(0, float("nan")), [4, 5], "std must be finite, got nan"),
        (lambda: normal(0, float("inf")), [4, 5], "std must be finite, got inf"),
        (he_normal, [5], r"the shape \[5\] does not say its fan_in; give fan_in"),
        (paddle_fc, [5], "does not say its fan_in"),
        (lambda: abacus(1, 0.2, True), [5], r"a bias of n values is \[1, n\]"),
        (lambda: normal(0, 1), [4, -1], "a dimension must be an integer of at least 1, got -1"),
        (lambda: normal(0, 1), [4, 2.5], "a dimension must be an integer of at least 1, got 2.5"),
        (lambda: normal(0, 1), 5, r"a shape is a list of integers, such as \[300, 128\], got 5"),
        (lambda: normal(0, 1), "45", "a shape is a list of integers"),
        (lambda: Blocks((Block(3, Normal()),)), [4, 5], r"3 rows, the shape \[4, 5\]"),
        (lambda: Unknown("Orthogonal"), [4, 5], "cannot be built: Orthogonal"),
    ],
)
def test_scheme_that_does_not_fit(make: Any, shape: Any, message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        param_attr(make(), shape)


@pytest.mark.parametrize(
    ("distribution", "dtype", "message"),
    [
        (Constant(1e5), "float16", "100000 overflows float16, whose largest value is 65504"),
        (Constant(-1e39), "float32", "overflows float32"),
        (Constant(3.4e38), "bfloat16", "overflows bfloat16"),
        (Normal(0, 1e39), "float64", "overflows float32"),
        (Normal(7e4, 1), "float16", "overflows float16"),
        (Uniform(-1e5, 1), "float16", "overflows float16"),
        (Uniform(-3e38, 3e38), "float32", "high - low overflows float32"),
        (TruncatedNormal(0.5, 0, 1, 2), "float32", "no value lies between the cutoffs"),
        (Blocks((Block(2, Normal()), Block(2, Constant(1e5)))), "float16", "overflows float16"),
        (Normal(), "int8", "dtype must be one of float64, float32, bfloat16, float16, got 'int8'"),
    ],
)
def test_numbers_that_do_not_survive(distribution: Distribution, dtype: str, message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        param_attr(distribution, [4, 5], dtype=dtype)


@pytest.mark.parametrize(
    ("distribution", "dtype"),
    [
        (Constant(65504.0), "float16"),
        (Constant(1e39), "float64"),
        (Uniform(-6e4, 6e4), "float16"),
        (Uniform(-3e38, 3e38), "float64"),
        pytest.param(Normal(0, 0), "float16", marks=pytest.mark.paddle_3),
        (Normal(0, 1e38), "float32"),
        (TruncatedNormal(3, 1, 1, 5), "float32"),
        pytest.param(TruncatedNormal(3, 1, -2, 2), "float32", marks=pytest.mark.paddle_3),
        pytest.param(TruncatedNormal(1, 0, -2, 2), "float32", marks=pytest.mark.paddle_3),
    ],
)
def test_numbers_that_do_survive(distribution: Distribution, dtype: str) -> None:
    with warnings.catch_warnings(), fresh_names():
        warnings.simplefilter("error", InitializerWarning)
        attr = param_attr(distribution, [4, 5], dtype=dtype)
        values = paddle.create_parameter([4, 5], dtype, attr=attr).numpy()
    assert np.isfinite(values).all()


@pytest.mark.parametrize(
    ("distribution", "dtype", "code"),
    [
        (Normal(0, 1e-50), "float32", "underflow"),
        (Normal(0, 1e-50), "float64", "underflow"),
        pytest.param(Normal(0, 1e-9), "float16", "underflow", marks=pytest.mark.paddle_3),
        (Constant(1e-46), "float32", "underflow"),
        pytest.param(
            TruncatedNormal(8, 1, -2, 2), "float32", "far-cutoff", marks=pytest.mark.paddle_3
        ),
    ],
)
def test_numbers_that_draw_one_value(distribution: Distribution, dtype: str, code: str) -> None:
    with pytest.warns(InitializerWarning) as caught:
        attr = param_attr(distribution, [4, 5], dtype=dtype)
    assert [warning.message.code for warning in caught] == [code]
    with fresh_names():
        values = paddle.create_parameter([4, 5], dtype, attr=attr).numpy()
    assert len(np.unique(values)) == 1


def test_a_spec_error_says_which_tensor_and_where() -> None:
    spec = NetSpec(
        "paddle",
        draws=(Draw("b", (5,), constant(1e5)),),
        tensors=(
            Tensor("b", "bias", (5,), (RowBlock("b", 0, 5),), "float16", Source("net.yaml", 4)),
        ),
    )
    with pytest.raises(SpecError, match=r"^net.yaml:4: tensor b: Constant\(100000\).*overflows"):
        param_attrs(spec)


def test_overrides_must_name_a_tensor() -> None:
    spec = NetSpec("paddle", draws=(Draw("w", (4, 5), normal(0, 1)),))
    with pytest.raises(SpecError, match="overrides: the spec has no tensor 'W'; tensors: w"):
        param_attrs(spec, overrides={"W": {"learning_rate": 2.0}})


class PaddleTwosTruncatedNormal(OWN.Initializer):
    """The signature of Paddle 2, which cuts at mean +- 2 std."""

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        super().__init__()
        self.numbers = (mean, std)


def test_paddle_2_has_fixed_cutoffs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OWN, "TruncatedNormal", PaddleTwosTruncatedNormal)
    fits = VarianceScaling(1.0, "fan_in", "truncated_normal")((4, 5))
    assert param_attr(fits, [4, 5]).initializer.numbers == (fits.mean, fits.std)
    with pytest.raises(SchemeError, match=r"cuts at mean \+- 2 std, -0.2 and 0.2"):
        param_attr(TruncatedNormal(0, 0.1, -2, 2), [4, 5])
