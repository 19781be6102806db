"""A net of Paddle, in whatever form it comes, or named as ``module:object``, as a net spec."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib import import_module
from typing import Any

from paddle_init.errors import Notice, PaddleInitError, SpecError
from paddle_init.frameworks.paddle.nets import initializer_draws, programs
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import assembled, without_cut_halves
from paddle_init.frameworks.paddle.nets.attrs import ParamAttrs
from paddle_init.frameworks.paddle.nets.built import Call, built_spec, doubts
from paddle_init.frameworks.paddle.nets.hooks import observing
from paddle_init.frameworks.paddle.nets.lint import lint, program_seed_notices
from paddle_init.frameworks.paddle.nets.observing import Exaggeration, Observation
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    LayerParameter,
    buffer_names,
    is_dynamic,
    layer_parameters,
    role_by_shape,
    shared_names,
    unknown,
)
from paddle_init.frameworks.paddle.nets.random_ops import kept_host_streams
from paddle_init.frameworks.paddle.nets.startup import startup_spec
from paddle_init.frameworks.paddle.nets.user_code import (
    Defaults,
    called,
    kept_defaults,
    kept_global_state,
    kept_process,
    paddle_imported,
    stdout_to_stderr,
)
from paddle_init.specs import NetSpec, Tensor
from paddle_init.texts import did_you_mean

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
          called under observation, again only where values of its own must be seen to be fixed,
          and Paddle's modes, names, defaults and random streams are put back after. This says
          most: a dynamic graph forgets its initializers. The
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
    spec = without_cut_halves(_read(source, shapes, dtype))
    return replace(spec, origin=origin) if origin else spec


def _read(source: Any, shapes: Any, dtype: str) -> NetSpec:
    import paddle

    if isinstance(source, paddle.nn.Layer):
        return _layer(source)
    if programs.is_program(source):
        return _programs(None, source, {})
    if _is_pair(source):
        main, startup = source
        return _programs(main, startup, {})
    if isinstance(source, ParamAttrs):
        return _attrs(source, {tensor.name: tensor for tensor in source.spec.tensors}, dtype)
    if isinstance(source, (Mapping, list, tuple)):
        return _attrs(source, shapes, dtype)
    if callable(source):
        return _built(source, shapes, dtype)
    raise SpecError(f"{source!r} is no net; read_net takes {READABLE}")


def _built(build: Callable[[], Any], shapes: Any, dtype: str) -> NetSpec:
    with kept_global_state():
        with observing() as seen:
            made = called(build)
            seen.finish()
        return _spec_of_built(made, seen, build, shapes, dtype)


def _spec_of_built(
    made: Any, seen: Observation, build: Callable[[], Any], shapes: Any, dtype: str
) -> NetSpec:
    import paddle

    if isinstance(made, (NetSpec, ParamAttrs)) or (shapes is not None and not callable(made)):
        return made if isinstance(made, NetSpec) else _read(made, shapes, dtype)
    if programs.is_program(made):
        return _programs(None, made, seen.static, seen.seed)
    if _is_pair(made):
        main, startup = made
        return _programs(main, startup, seen.static, seen.seed)
    held = layer_parameters(made) if isinstance(made, paddle.nn.Layer) else None
    if any(map(is_dynamic, held.values())) if held else seen.created:
        return _dynamic(made, seen, build, held)
    for main, startup in programs.default_programs():
        if programs.startup_parameters(startup):
            return _programs(main, startup, seen.static, seen.seed, held)
    if held is not None or not seen.static:
        name = type(made).__name__
        raise SpecError(f"nothing was built that has parameters, and {name} came back")
    raise SpecError(
        "the parameters are in programs of the function's own: let it return (main, startup)"
    )


def _dynamic(
    made: Any, seen: Observation, build: Callable[[], Any], held: dict[str, LayerParameter] | None
) -> NetSpec:
    seeds = [program.random_seed for pair in programs.default_programs() for program in pair]
    buffers = () if held is None else buffer_names(made, held)
    call = Call(seen, _parameters(made, seen))
    spec = built_spec(call, buffers, doubts(call, partial(_call_again, build)), seeds)
    return replace(spec, notices=(*spec.notices, *shared_names(call.parameters)))


def _call_again(
    build: Callable[[], Any], mask: int, exaggeration: Exaggeration | None
) -> Call | None:
    """Observe the function once more under other seeds; None where it fails then.

    `mask` changes every seed. After a call with values that are not its own, a plain one puts
    right what it left behind.
    """
    found = None
    with (
        kept_global_state(),
        kept_host_streams(mask),
        observing(mask, exaggeration) as seen,
        suppress(PaddleInitError),
    ):
        made = called(build)
        seen.finish()
        found = Call(seen, _parameters(made, seen))
    if exaggeration is not None:
        with kept_global_state(), suppress(PaddleInitError):
            called(build)
    return found


def _parameters(made: Any, seen: Observation) -> dict[str, LayerParameter]:
    """Return the parameters of a Layer, or, where none came back, all that were made."""
    import paddle

    if isinstance(made, paddle.nn.Layer):
        return layer_parameters(made)
    return {name: LayerParameter(each, (), "") for name, each in seen.created.items()}


def _programs(
    main: Any,
    startup: Any,
    asked: Mapping[str, Any],
    paddle_seed: int | None = None,
    held: dict[str, LayerParameter] | None = None,
) -> NetSpec:
    program = programs.followed(startup, main)
    found, notices = initializer_draws.with_initializers(program.parameters, asked, held)
    if not found:
        raise SpecError(
            "the program initializes no parameter; give the startup program, or (main, startup)"
        )
    main_seed = main.random_seed if main is not None else 0
    told = program_seed_notices(main_seed, startup.random_seed, paddle_seed)
    more = _notices(found, [*notices, *told], held)
    return startup_spec(program, found, held=held, notices=more)


def _layer(layer: Any) -> NetSpec:
    held = layer_parameters(layer)
    if held and not any(map(is_dynamic, held.values())):
        (main, startup), *_ = programs.default_programs()
        return _programs(main, startup, {}, held=held)
    found: list[Found] = []
    notices: list[Notice] = []
    for key, each in held.items():
        what, told = initializer_draws.unfilled(key, each, say.NOT_KEPT())
        found.append(what)
        notices += told
    return assembled(found, _notices(found, notices, held), held, buffer_names(layer, held))


def _notices(
    found: list[Found], notices: list[Notice], held: dict[str, LayerParameter] | None
) -> list[Notice]:
    shared = [] if held is None else shared_names(held)
    return [*notices, *shared, *lint(found)]


def _is_pair(source: Any) -> bool:
    return (
        isinstance(source, (tuple, list))
        and len(source) == 2
        and all(map(programs.is_program, source))
    )


# ParamAttrs, or whatever Paddle takes for one


def _attrs(attrs: Any, shapes: Any, dtype: str) -> NetSpec:
    """Return the net spec of attrs by name, or in order; see `read_net`.

    `shapes` may hold Tensors in place of shapes, which bring their roles and dtypes.
    """
    if shapes is None:
        raise SpecError("ParamAttrs do not say their parameters' shapes: give shapes")
    found: list[Found] = []
    notices: list[Notice] = []
    pairs, unused = _pairs(attrs, shapes)
    for key, attr, shape in pairs:
        each, told = _read_attr(key, attr, shape, dtype)
        found += each
        notices += told
    if unused:
        message = say.UNUSED_ATTRS(names=", ".join(unused))
        notices.append(Notice("unused-attrs", message))
    return assembled(found, [*notices, *lint(found)])


def _pairs(attrs: Any, shapes: Any) -> tuple[list[tuple[str, Any, Any]], list[str]]:
    """Return (name, attr, shape) of every parameter, and the attrs that are left over."""
    if isinstance(attrs, Mapping) != isinstance(shapes, Mapping):
        raise SpecError("attrs and shapes must both be mappings by name, or both be lists")
    if not isinstance(attrs, Mapping):
        attrs = {f"attr {index}": attr for index, attr in enumerate(attrs)}
        shapes = {f"attr {index}": shape for index, shape in enumerate(shapes)}
    if missing := [str(name) for name in shapes if name not in attrs]:
        raise SpecError(f"there is a shape but no attr for {', '.join(missing)}")
    pairs = [(str(name), attrs[name], shape) for name, shape in shapes.items()]
    return pairs, [str(name) for name in attrs if name not in shapes]


def _read_attr(key: str, attr: Any, shape: Any, dtype: str) -> tuple[list[Found], list[Notice]]:
    import paddle

    role = ""
    if isinstance(shape, Tensor):
        shape, dtype, role = shape.shape, shape.dtype, shape.role
    shape = tuple(shape)
    try:
        made = paddle.ParamAttr._to_attr(attr)
    except (TypeError, ValueError, AssertionError) as error:
        raise SpecError(f"{key}: Paddle takes no such attr: {attr!r} ({error})") from error
    if made is False:
        return [], []
    if isinstance(made, list):
        raise SpecError(f"{key}: a list of {len(made)} attrs stands in place of one")
    name = made.name or key
    role = role or role_by_shape(shape)
    initializer = _initializer(made, role)
    if isinstance(initializer, type):
        why = f"the class {initializer_draws.initializer_name(initializer)}, which fills nothing"
        each = unknown(name, shape, dtype, why)
        return [each], [initializer_draws.uninitialized(each, initializer)]
    parts = initializer_draws.parts_of(initializer, shape, dtype)
    each = Found(name, shape, dtype, parts, initializer_draws.initializer_name(initializer), role)
    return [each], list(initializer_draws.kaiming_notices(each, initializer))


def _initializer(attr: Any, role: str) -> Any:
    """Return the initializer that Paddle would take: the attr's, the global one, its default."""
    from paddle.base import initializer as common

    if attr.initializer is None:
        is_bias = role == "bias"
        weights, biases = common._global_weight_initializer(), common._global_bias_initializer()
        if (initializer := biases if is_bias else weights) is not None:
            return initializer
        (attr._set_default_bias_initializer if is_bias else attr._set_default_param_initializer)()
    return attr.initializer


@dataclass(frozen=True)
class _Left:
    folder: str | None
    changes: Mapping[str, Any]


_left: dict[str, _Left] = {}


def read_object(name: str) -> NetSpec:
    """Return the net spec of ``module:object``; the object may be an attribute's attribute.

    The current folder is importable. What the module and the function print goes to stderr.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object, or what it is cannot be read.
    """
    with importing(name):
        return read_net(imported(name), origin=name)


def imported_object(name: str) -> Any:
    """Return the object that ``module:object`` names, imported as `read_object` does.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object.
    """
    with importing(name):
        return imported(name)


def called_object(name: str, seed: int | None = None) -> Any:
    """Return the object that ``module:object`` names; of a function, what it returns.

    It is called after ``paddle.seed(seed)``; what it changes elsewhere is put back. A Layer is
    returned as it is.

    Raises
    ------
    SpecError
        As `imported_object` does; or the function fails.
    """
    with importing(name):
        found = imported(name)
        import paddle

        if isinstance(found, paddle.nn.Layer) or not callable(found):
            return found
        with kept_global_state():
            if seed is not None:
                paddle.seed(seed)
            return called(found)


@contextmanager
def importing(name: str) -> Iterator[None]:
    """Run code of ``module:object`` as if it were alone; errors begin with `name`.

    The current folder is importable, prints go to stderr, the module sees no arguments of ours,
    and what it does to the process and to Paddle's modes and defaults is put back after.
    """
    with kept_process(), stdout_to_stderr(), _importable(os.getcwd()), _no_arguments(name):
        paddle_imported()
        with kept_defaults():
            try:
                yield
            except SpecError as error:
                raise SpecError(f"{name}: {error}") from error


def imported(name: str) -> Any:
    """Return the object that ``module:object`` names; to be called inside `importing`.

    What the module changed of folder, modes and defaults when it was first imported holds again.
    """
    module_name, _, attribute = name.partition(":")
    module = sys.modules.get(module_name)
    if module is None:
        module = _first_imported(module_name)
    elif left := _left.get(module_name):
        if left.folder is not None:
            with suppress(OSError):
                os.chdir(left.folder)
        replace(Defaults.now(), **left.changes).restore()
    return called(lambda: _attribute(module, attribute), f"looking up {attribute}")


def _attribute(module: Any, name: str) -> Any:
    """Return an attribute's attribute; a property or the module may run code for it."""
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError as error:
        names = [each for each in vars(module) if not each.startswith("_")]
        meant = did_you_mean(name, names)
        said = f"{module.__name__} has no {name}; it has {', '.join(names)}{meant}"
        raise SpecError(said) from error


def _first_imported(module: str) -> Any:
    folder, defaults = os.getcwd(), Defaults.now()
    found = called(lambda: import_module(module), f"importing {module}")
    now = os.getcwd()
    _left[module] = _Left(now if now != folder else None, Defaults.now().changes(defaults))
    return found


@contextmanager
def _importable(folder: str) -> Iterator[None]:
    path = sys.path
    path.insert(0, folder)
    try:
        yield
    finally:
        sys.path = path
        with suppress(ValueError):
            path.remove(folder)


@contextmanager
def _no_arguments(name: str) -> Iterator[None]:
    arguments = sys.argv
    sys.argv = [name.partition(":")[0]]
    try:
        yield
    finally:
        sys.argv = arguments
