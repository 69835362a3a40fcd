# SPDX-License-Identifier: Apache-2.0
"""The files of `levee reproduce`."""
from pathlib import Path
from typing import Any, List, Union

from .needed import pandas
from .results import read_csv


class Reproduction:
    """A paper's evaluation: published and simulated numbers (docs/reproduce.md)."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        self.comparison = read_csv(self.folder / "comparison.csv").set_index("id")
        """A line for each published number, by its id: "published", "simulated", "ratio", "unit", "verdict", ..."""

    @property
    def plots(self) -> List[str]:
        """Names of the plots, for plot_data()."""
        return sorted(file.stem for file in (self.folder / "plots").glob("*.csv"))

    def plot_data(self, name: str) -> "pandas.DataFrame":
        """The data of a plot or table of the paper."""
        return read_csv(self.folder / "plots" / f"{name}.csv")

    def __repr__(self) -> str:
        return f"<levee reproduction: {len(self.comparison)} published numbers in {self.folder}>"

    def _repr_html_(self) -> str:
        return self.comparison.to_html(max_rows=20)

    def plot(self, ax: Any = None) -> Any:
        """Simulated over published, each with the line of equality. Returns matplotlib's Axes."""
        from . import plots

        return plots.published(self, ax)
