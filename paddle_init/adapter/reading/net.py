"""A net of Paddle, in whatever form it comes, as a net spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.attrs import ParamAttrs
from paddle_init.adapter.reading.assembling import assembled
from paddle_init.adapter.reading.attributes import attrs_spec
from paddle_init.adapter.reading.built import dynamic_parameters, unfilled, with_initializers
from paddle_init.adapter.reading.found import Found
from paddle_init.adapter.reading.layers import (
    Held,
    is_dynamic,
    layer_parameters,
    shared_names,
    with_state_names,
)
from paddle_init.adapter.reading.observing import Observation, observing
from paddle_init.adapter.reading.programs import default_programs, is_program, startup_parameters
from paddle_init.adapter.reading.random_state import State
from paddle_init.adapter.reading.seeding import (
    idle_seed_notices,
    numpy_notices,
    program_seed_notices,
    stream_seed,
)
from paddle_init.adapter.reading.sources import raising_line
from paddle_init.adapter.reading.surroundings import kept_surroundings
from paddle_init.adapter.reading.traps import number_traps, seed_traps
from paddle_init.errors import Notice, PaddleInitError, SpecError, in_words
from paddle_init.specs import NetSpec

__all__ = ["read_net"]

READABLE = (
    "a paddle.nn.Layer, a startup program, a (main, startup) pair, ParamAttrs with their shapes, "
    "or a function or class that makes one of them when it is called without arguments"
)


def read_net(
    source: Any,
    *,
    shapes: Mapping[str, Sequence[int]] | Sequence[Sequence[int]] | None = None,
    dtype: str = "float32",
    origin: str | None = None,
) -> NetSpec:
    """Return how a net of Paddle is initialized.

    Parameters
    ----------
    source
        - A function, or a class, that builds a net when it is called without arguments: it is
          called once, under observation, and Paddle's modes, names, defaults and random streams
          are put back after. This says most: a dynamic graph forgets its initializers. The
          function may return a Layer or programs, or just build parameters in either graph.
        - A startup Program, or a pair (main, startup), of which the main program says what each
          parameter is used for.
        - A paddle.nn.Layer. What is still to be drawn under LazyGuard is known, what was drawn is
          not. In static graph the default startup program is read.
        - The ParamAttrs of `param_attrs`, or a mapping or list of ParamAttrs (or whatever Paddle
          takes for one), with `shapes`.
    shapes
        Of the attrs' parameters: by name for a mapping, in order for a list.
    dtype
        Of the attrs' parameters.
    origin
        What to call the net in reports.

    Returns
    -------
    NetSpec
        Of framework "paddle". Draws are in the order of drawing, under Paddle's names; tensors
        have the names of a Layer's state_dict where there is a Layer. What cannot be known is an
        Unknown that says why. What Paddle took without a word is in the notices.

    Raises
    ------
    SpecError
        `source` is nothing of these, or the function failed; its error is the cause.
    """
    if isinstance(source, NetSpec):
        return source
    spec = _read(source, shapes, dtype)
    return replace(spec, origin=origin) if origin else spec


def _read(source: Any, shapes: Any, dtype: str) -> NetSpec:
    import paddle

    if isinstance(source, paddle.nn.Layer):
        return with_state_names(_layer(source), source)
    if is_program(source):
        return _programs(None, source, {})
    if _is_pair(source):
        main, startup = source
        return _programs(main, startup, {})
    if isinstance(source, ParamAttrs):
        return attrs_spec(source, {tensor.name: tensor for tensor in source.spec.tensors}, dtype)
    if isinstance(source, (Mapping, list, tuple)):
        return attrs_spec(source, shapes, dtype)
    if callable(source):
        return _built(source, shapes, dtype)
    raise SpecError(f"{source!r} is no net; read_net takes {READABLE}")


def _built(build: Callable[[], Any], shapes: Any, dtype: str) -> NetSpec:
    import paddle

    with kept_surroundings():
        with observing() as seen:
            made = _called(build)
            end = seen.generator.look()
        spec = _spec_of_built(made, seen, end, shapes, dtype)
        return with_state_names(spec, made) if isinstance(made, paddle.nn.Layer) else spec


def _called(build: Callable[[], Any]) -> Any:
    try:
        return build()
    except PaddleInitError:
        raise
    except Exception as error:
        name = getattr(build, "__name__", repr(build))
        message = f"{name}() failed: {in_words(error)}"
        raise SpecError(message, raising_line(error)) from error


def _spec_of_built(made: Any, seen: Observation, end: State, shapes: Any, dtype: str) -> NetSpec:
    import paddle

    if isinstance(made, (NetSpec, ParamAttrs)) or (shapes is not None and not callable(made)):
        return made if isinstance(made, NetSpec) else _read(made, shapes, dtype)
    if is_program(made):
        return _programs(None, made, seen.static, end.seed)
    if _is_pair(made):
        main, startup = made
        return _programs(main, startup, seen.static, end.seed)
    held = layer_parameters(made) if isinstance(made, paddle.nn.Layer) else None
    if any(map(is_dynamic, held.values())) if held else seen.created:
        return _dynamic(seen, end, held)
    for main, startup in default_programs():
        if startup_parameters(startup):
            return _programs(main, startup, seen.static, end.seed, held)
    if held is not None or not seen.static:
        name = type(made).__name__
        raise SpecError(f"nothing was built that has parameters, and {name} came back")
    raise SpecError(
        "the parameters are in programs of the function's own: let it return (main, startup)"
    )


def _dynamic(seen: Observation, end: State, held: dict[str, Held] | None) -> NetSpec:
    found, notices = dynamic_parameters(seen, held)
    seed, told = stream_seed(seen.asked, found[: len(seen.asked)], end)
    idle = idle_seed_notices([p.random_seed for pair in default_programs() for p in pair], found)
    more = numpy_notices(seen.numpy_seeds, found)
    return _spec(found, [*notices, *told, *idle, *more], held, seed)


def _programs(
    main: Any,
    startup: Any,
    asked: Mapping[str, Any],
    paddle_seed: int | None = None,
    held: dict[str, Held] | None = None,
) -> NetSpec:
    found, notices = with_initializers(startup_parameters(startup, main), asked, held)
    if not found:
        raise SpecError(
            "the program initializes no parameter; give the startup program, or (main, startup)"
        )
    main_seed = main.random_seed if main is not None else 0
    told = program_seed_notices(main_seed, startup.random_seed, paddle_seed)
    return _spec(found, [*notices, *told], held)


def _layer(layer: Any) -> NetSpec:
    held = layer_parameters(layer)
    if held and not any(map(is_dynamic, held.values())):
        (main, startup), *_ = default_programs()
        return _programs(main, startup, {}, held=held)
    found: list[Found] = []
    notices: list[Notice] = []
    for each in held.values():
        what, told = unfilled(each.parameter, held, say.NOT_KEPT())
        found.append(what)
        notices += told
    return _spec(found, notices, held)


def _spec(
    found: list[Found],
    notices: list[Notice],
    held: dict[str, Held] | None,
    seed: int | None = None,
) -> NetSpec:
    shared = [] if held is None else shared_names(held)
    told = [*notices, *shared, *number_traps(found), *seed_traps(found)]
    return assembled(found, names=held, notices=told, seed=seed)


def _is_pair(source: Any) -> bool:
    return isinstance(source, (tuple, list)) and len(source) == 2 and all(map(is_program, source))
