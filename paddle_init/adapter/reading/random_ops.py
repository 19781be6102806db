"""Which ops of Paddle draw random numbers, and what is known of how many.

Names are those of PIR without their dialect; a ProgramDesc's are translated by its reader.
"""

from __future__ import annotations

import math

from paddle_init.schemes.base import Shape

__all__ = ["draws", "is_ordered", "takes"]

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
