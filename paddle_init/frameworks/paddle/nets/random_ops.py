"""Which ops of Paddle draw random numbers, what they draw, and how many values they take.

Names are those of PIR without their dialect; a ProgramDesc's are translated by its reader."""

from __future__ import annotations

import gc
import math
import random
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from paddle_init.distributions import Normal, Simple, Unknown
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import drawn, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import RandomOp
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES
from paddle_init.streams.engines import engine_named

# Paddle's executor of PIR programs keeps these in the order of the program, and no others.
ORDERED = {
    "bernoulli",
    "exponential",
    "gaussian",
    "multinomial",
    "poisson",
    "randint",
    "randperm",
    "truncated_gaussian_random",
    "uniform",
}
RANDOM = ORDERED | {
    "binomial",
    "class_center_sample",
    "cudnn_lstm",
    "dirichlet",
    "dpsgd",
    "dropout",
    "dropout_nd",
    "flash_attn",
    "flash_attn_qkvpacked",
    "flash_attn_unpadded",
    "flash_attn_varlen_qkvpacked",
    "flashmask_attention",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "fused_attention",
    "fused_bias_dropout_residual_layer_norm",
    "fused_dot_product_attention",
    "fused_dropout_add",
    "fused_feedforward",
    "fused_multi_transformer",
    "gaussian_inplace",
    "gaussian_random_batch_size_like",
    "graph_khop_sampler",
    "graph_sample_neighbors",
    "gumbel_softmax",
    "lstm",
    "memory_efficient_attention",
    "nce",
    "py_func",
    "pyramid_hash",
    "random",
    "random_crop",
    "random_routing",
    "resnet_basic_block",
    "rnn",
    "rrelu",
    "run_program",
    "sampling_id",
    "seed",
    "shuffle_batch",
    "standard_gamma",
    "tdm_sampler",
    "top_p_sampling",
    "uniform_inplace",
    "uniform_random_batch_size_like",
    "uniform_random_inplace",
    "variable_length_memory_efficient_attention",
    "weighted_sample_neighbors",
}
# One draw of a uniform real number for each element of the result.
ONE_PER_ELEMENT = {"bernoulli", "exponential", "uniform"}


def draws(kind: str, attributes: object) -> bool:
    """Tell whether an op may draw: those that are known to, and any that has a seed."""
    return kind in RANDOM or any("seed" in str(name) for name in attributes)  # type: ignore[attr-defined]


def is_ordered(kind: str) -> bool:
    """Tell whether Paddle runs the op in its place among the other random ops of a PIR program."""
    return kind in ORDERED


def takes(kind: str, shape: Shape) -> int | None:
    """Return how many values of the engine an op takes, where that is fixed by its shape."""
    if kind not in ONE_PER_ELEMENT or any(size < 0 for size in shape):
        return None
    return math.prod(shape)


ENGINE = engine_named("mt19937_64")
# Within what paddle.seed takes, and nothing that a person would choose. It is one for all calls,
# so that of two under the same seeds what differs does so by the values that were exaggerated.
START = 2**63 + secrets.randbelow(2**62)
MOST_BLOCKS = 1 << 14
# np.random.Generator is a front of a BitGenerator, which has the state.
GENERATORS = (np.random.BitGenerator, np.random.RandomState, random.Random)


@dataclass(frozen=True)
class State:
    """The generator at one moment: the seed that it was last given, and its engine as text."""

    seed: int
    engine: str
    kept: Any = field(compare=False, default=None)


class GlobalGenerator:
    """Paddle's CPU generator, started at a seed of our own, so that every other is seen.

    The caller puts the generator's state back.
    """

    def __init__(self, mask: int = 0) -> None:
        import paddle

        self._generator: Any = paddle.framework.core.default_cpu_generator()
        self._generator.manual_seed(START ^ mask)
        self.start = self.look()

    def look(self) -> State:
        state = self._generator.get_state()
        # what comes before the engine's words and its index is other from version to version
        engine = " ".join(str(state).split()[-ENGINE.size - 1 :])
        return State(state.current_seed(), engine, state)

    def fresh(self, state: State) -> bool:
        """Tell whether nothing was drawn since the state's seed was given."""
        kept = self.look()
        self.reseed(state.seed)
        found = self.look()
        self.put_back(kept)
        return found.engine == state.engine

    def steps(self, before: State, after: State, likely: int) -> int | None:
        """Return how many values the engine made in between, `likely` being tried first.

        None where no few lead there.
        """
        import paddle

        if likely:
            kept = self.look()
            self.put_back(before)
            paddle.uniform([likely])  # of one value of the engine each
            found = self.look()
            self.put_back(kept)
            if found.engine == after.engine:
                return likely
        return steps_between(before, after)

    def put_back(self, state: State) -> None:
        self._generator.set_state(state.kept)

    def reseed(self, seed: int) -> None:
        self._generator.manual_seed(seed)


def steps_between(before: State, after: State) -> int | None:
    """Return how many values the engine made in between; None where no few lead there."""
    (words, index), (last, end) = _parsed(before), _parsed(after)
    for blocks in range(MOST_BLOCKS):
        if np.array_equal(words, last):
            steps = ENGINE.size * blocks + end - index
            return steps if steps >= 0 else None
        ENGINE.skip(words, ENGINE.size)
    return None


class HostGenerators:
    """NumPy's and Python's generators: the global ones, and all that anything holds."""

    def __init__(self, watched: bool = True) -> None:
        kinds = set(_with_subclasses(GENERATORS))
        objects = gc.get_objects() if watched else ()
        self._found = [each for each in objects if type(each) in kinds]

    def state(self) -> int:
        parts = []
        for each in self._found:
            if isinstance(each, random.Random):
                parts.append(hash(each.getstate()))
            else:
                state = (
                    each.get_state(legacy=False)
                    if isinstance(each, np.random.RandomState)
                    else each.state
                )
                parts.append(hash(_plain(state)))
        return hash(tuple(parts))


def _with_subclasses(kinds: Iterable[type]) -> Iterator[type]:
    for kind in kinds:
        if kind is not random.SystemRandom:  # it has no state
            yield kind
            yield from _with_subclasses(kind.__subclasses__())


def _plain(state: Any) -> Any:
    """Return a state as something that can be hashed: with its arrays as bytes."""
    if isinstance(state, dict):
        return tuple((key, _plain(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


@contextmanager
def kept_host_streams(seed: int) -> Iterator[None]:
    """Seed NumPy's and Python's global generators, and put them back after."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


def _parsed(state: State) -> tuple[Any, int]:
    *words, index = state.engine.split()
    return np.array([int(word) for word in words], ENGINE.word), int(index)


# The ops that the project draws, with their arguments.
DRAWING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "gaussian": ("shape", "mean", "std", "seed", "dtype", "place"),
        "gaussian_inplace": ("x", "mean", "std", "seed"),
        "gaussian_inplace_": ("x", "mean", "std", "seed"),
        "uniform": ("shape", "dtype", "min", "max", "seed", "place"),
        "uniform_inplace": ("x", "min", "max", "seed", "diag_num", "diag_step", "diag_val"),
        "uniform_inplace_": ("x", "min", "max", "seed", "diag_num", "diag_step", "diag_val"),
        "truncated_gaussian_random": ("shape", "mean", "std", "seed", "a", "b", "dtype", "place"),
    }
)
# Those of truncated_gaussian_random before version 3: it cuts at two stds.
BEFORE_3 = ("shape", "mean", "std", "seed", "dtype", "place")
# Those whose kernels take a number of engine values that shapes and numbers decide: none of them
# tries again where a value does not please it, and none minds its input's values, as rrelu does.
FIXED = frozenset(
    {
        "bernoulli",
        "dropout",
        "dropout_",
        "exponential_",
        "gumbel_softmax",
        "multinomial",
        "randint",
        "random",
        "random_",
        "randperm",
        "uniform_random_batch_size_like",
    }
)
COMPLEX: Mapping[str, str] = MappingProxyType({"complex64": "float32", "complex128": "float64"})


def drawn_by(op: str, args: tuple[Any, ...], settings: Mapping[str, Any], result: Any) -> RandomOp:
    """Return what a call of an op of DRAWING draws, still without its place in the stream."""
    given = dict(zip(DRAWING[op], args, strict=False), **settings)
    shape, dtype = shape_and_dtype(result)
    seed = int(given.get("seed") or 0)
    if op.startswith("gaussian"):
        held = _numbers("normal", given, mean="mean", std="std")
        replayed: Simple = Normal(0, 1) if isinstance(held, Unknown) else held
        if dtype in COMPLEX:
            # one normal of the real and the imaginary parts
            shape, dtype = (2 * math.prod(shape),), COMPLEX[dtype]
            held = replayed = Normal(0, 1)
    elif op.startswith("uniform"):
        held = _numbers("uniform", given, low="min", high="max")
        replayed = _one_value_each(held, shape)
    else:
        held = _truncated(args, given)
        replayed = _one_value_each(held, shape)
    if given.get("diag_num"):
        # 3.3.1's CPU kernel ignores it; other versions may not
        held = Unknown(say.MADE_BY_OP(kind=op))
    if dtype not in DTYPES:
        held = replayed = Unknown(say.MADE_BY_OP(kind=op))
    return RandomOp(op, 0, replayed, held, shape, dtype, seed)


def _numbers(family: str, given: Mapping[str, Any], **names: str) -> Simple:
    with np.errstate(over="ignore"):
        return drawn(family, **{name: float(np.float32(given[at])) for name, at in names.items()})


def _truncated(args: tuple[Any, ...], given: Mapping[str, Any]) -> Simple:
    if len(args) > len(BEFORE_3):
        return _numbers("truncated_normal", given, mean="mean", std="std", low="a", high="b")
    mean, std = (float(np.float32(given[name])) for name in ("mean", "std"))
    return drawn("truncated_normal", mean=mean, std=std, low=mean - 2 * std, high=mean + 2 * std)


def _one_value_each(held: Simple, shape: Shape) -> Simple:
    if isinstance(held, Unknown):
        return Unknown(held.description, takes=math.prod(shape))
    return held
