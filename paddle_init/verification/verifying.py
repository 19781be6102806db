"""Weights and a net spec to a verification."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paddle_init.errors import SpecError
from paddle_init.frameworks import as_framework
from paddle_init.frameworks.installed import Version
from paddle_init.frameworks.knowledge import seed_notices
from paddle_init.parity.resolving import SpecLike, resolve
from paddle_init.parity.sentences.forms import A_NET_SPEC, SIDE
from paddle_init.parity.sides import view_by_framework
from paddle_init.sampling import as_sampled
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.statistics import histogram
from paddle_init.verification.holding import Held
from paddle_init.verification.inputs import WeightsLike, as_weights, refuse_exchanged
from paddle_init.verification.naming import found_arrays
from paddle_init.verification.records import ParameterVerification, Verdict, Verification
from paddle_init.verification.wording import stream_words

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
    paddle_version: Version | None = None,
    histograms: bool = False,
) -> Verification:
    """Say whether weights start where a spec says: bit for bit, or by statistical tests.

    With a seed, given here or by the spec's `stream`, every value that the spec says is drawn and
    compared; where bits differ, known mistakes are tried until one gives exactly the found bits.
    Without, and where only the distribution of a parameter is known and not its place in the
    stream, the mean, std, extremes and form are tested, and parameters that share their draws are
    found. What is drawn behind a seed within the net is compared in any case. A parameter of
    unknown distribution is untested.

    Parameters
    ----------
    weights : path, mapping of arrays or tensors by name, or Layer
        A file is .npz, .safetensors or .pdparams.
    spec : NetSpec, path or str
        A path names an abacus conf or a net spec; ``module:object`` is read by `read_net`. What
        a net does not say of itself stays untested.
    framework, seed, seed_seq, op_seed, engine, paddle_version
        As `sample` takes them.
    any_seed : bool
        Test distributions alone, even where the spec has a stream or seeds of its own.
    mapping : path, mapping of str to str, or pairings
        Which tensors of the spec (left) are which of the weights (right), where names differ; as
        `report` takes it. The names that Paddle's own parameters carry are known without, and so
        is a prefix that all names have, such as "model.".
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
    refuse_exchanged(weights, spec)
    (read,) = resolve(spec)
    settled = as_framework(read, framework or read.framework)
    if any_seed:
        settled = replace(settled, stream=None)
    elif given or settled.stream is not None:
        settled = as_sampled(settled, **seeds, partial=True)  # type: ignore[arg-type]
    opened = as_weights(weights)
    named = found_arrays(settled, opened, load_mapping(mapping))
    held = Held(settled, opened, named, alpha, max_ulp, paddle_version, any_seed)
    view = view_by_framework(settled)
    arrays = dict(named.arrays) | {
        copy.name: copy.array for copy in named.copies if copy.array is not None
    }
    parameters = [
        replace(
            each,
            spec=view.side(settled.tensor_by_name[each.parameter]),
            histogram=(
                histogram(arrays[each.name]) if histograms and each.name in arrays else None
            ),
        )
        for each in held.verified()
    ]
    seeds_told = seed_notices(settled, given=seed) if held.exact.tensors else ()
    extra = tuple(
        ParameterVerification(
            name,
            opened[name].shape,
            None,
            Verdict.UNEXPECTED,
            histogram=histogram(opened[name]) if histograms else None,
        )
        for name in opened
        if name not in named.used
    )
    return Verification(
        opened.source,
        SIDE(framework=settled.framework, origin=read.origin or A_NET_SPEC()),
        stream_words(settled.stream, within=bool(held.exact.tensors)),
        (*parameters, *extra),
        (*held.findings, *seeds_told),
        held.tests.count if held.tested else 0,
        alpha,
    )
