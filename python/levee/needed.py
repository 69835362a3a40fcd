# SPDX-License-Identifier: Apache-2.0
"""Packages that only tables and pictures need. They are imported at their first use."""
import importlib
from typing import TYPE_CHECKING, Any

from .program import LeveeError


class Package:
    """A package of another project. If it is not installed, its first use raises a LeveeError with its name."""

    def __init__(self, name: str, purpose: str) -> None:
        self._name = name
        self._purpose = purpose

    def __getattr__(self, name: str) -> Any:
        try:
            package = importlib.import_module(self._name)
        except ImportError as error:
            project = self._name.split(".")[0]
            raise LeveeError(f"{self._purpose} need {project}: 'pip install {project}', or Debian's python3-{project}") from error
        return getattr(package, name)


if TYPE_CHECKING:
    import pandas
    from matplotlib import pyplot
else:
    pandas = Package("pandas", "tables")
    pyplot = Package("matplotlib.pyplot", "pictures")
