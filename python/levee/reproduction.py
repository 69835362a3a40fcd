# SPDX-License-Identifier: Apache-2.0
"""Files of `levee reproduce`."""
from pathlib import Path
from typing import Any, List, Union

from .needed import pandas
from .results import read_csv


class Reproduction:
    """A paper's evaluation: published and simulated numbers (docs/reproduce.md)."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        self.comparison = read_csv(self.folder / "comparison.csv").set_index("id")
        """One row for each published number, indexed by its id: "published", "simulated", "ratio", "unit",
        "verdict", ..."""

    @property
    def plots(self) -> List[str]:
        """Returns the names of the plots, for plot_data()."""
        return sorted(file.stem for file in (self.folder / "plots").glob("*.csv"))

    def plot_data(self, name: str) -> "pandas.DataFrame":
        """Returns the data of one of the paper's plots or tables."""
        return read_csv(self.folder / "plots" / f"{name}.csv")

    def __repr__(self) -> str:
        return f"<levee reproduction: {len(self.comparison)} published numbers in {self.folder}>"

    def _repr_html_(self) -> str:
        return self.comparison.to_html(max_rows=20)

    def plot(self, ax: Any = None) -> Any:
        """Draws simulated against published numbers, with a line where both are equal. Returns matplotlib's Axes."""
        from . import plots

        return plots.published(self, ax)
