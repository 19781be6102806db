"""What a package names is there, and stays what it is, whatever is imported and when."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

import pytest

ROOTS = ("abacus_compat", "paddle_init")
PACKAGES = [
    name
    for root in ROOTS
    for name in (
        root,
        *(
            module.name
            for module in pkgutil.walk_packages(import_module(root).__path__, f"{root}.")
            if module.ispkg
        ),
    )
]


@pytest.mark.parametrize("name", PACKAGES)
def test_no_lazy_name_is_a_module_of_its_package(name: str) -> None:
    """Importing such a module would put it in the place of what the package names."""
    package = import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    public = getattr(package, "__all__", [])
    lazy = {each for each in public if each not in vars(package)}
    assert not lazy & modules
    assert not [each for each in public if isinstance(getattr(package, each), ModuleType)]
