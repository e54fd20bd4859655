"""Optional packages: imported when used, and a clear word where they are absent."""

from importlib import import_module
from types import ModuleType

from lmk_encoder.errors import MissingExtra


def need(module: str, *, extra: str = "eval") -> ModuleType:
    """Import ``module``.

    Raises:
        MissingExtra: it is not installed; the message names the extra that brings it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        what = f"This needs the package {module.split('.')[0]}, which is not installed."
        raise MissingExtra(what, f'Install it with: pip install "lmk[{extra}]".') from error
