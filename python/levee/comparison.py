# SPDX-License-Identifier: Apache-2.0
"""Files of `levee compare`."""
from pathlib import Path
from typing import Any, Dict, List, Union

from .needed import pandas
from .results import read_json
from .units import unit_of


class Comparison:
    """Several runs, and the causes of their differences from the first one (docs/sweeps.md)."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        content = read_json(self.folder / "compare.json")
        self.runs: List[str] = [run["name"] for run in content["runs"]]
        self.headline = self._figures(content["headline"])
        """The main figures: for each name, its unit and its value in each run."""
        self.metrics = self._figures(content["metrics"])
        """All figures that differ, with the largest relative difference first."""
        self.divisions: Dict[str, "pandas.DataFrame"] = {one["name"]: self._division(one) for one in content["divisions"]}
        """The causes of differences. A row has a part's value in each run, and the share of a run's difference
        from the first run that the part explains ("explains <run>"). The unit is in `attrs`."""

    def _figures(self, figures: List[Dict[str, Any]]) -> "pandas.DataFrame":
        names = [figure["name"] for figure in figures]
        frame = pandas.DataFrame([figure["values"] for figure in figures], index=names, columns=self.runs)
        frame.insert(0, "unit", [unit_of(name) for name in names])
        return frame

    def _division(self, division: Dict[str, Any]) -> "pandas.DataFrame":
        parts = division["parts"]
        names = [part["name"] for part in parts]
        frame = pandas.DataFrame([part["values"] for part in parts], index=names, columns=self.runs)
        for i, run in enumerate(self.runs[1:], 1):
            frame[f"explains {run}"] = [part["shares"][i] for part in parts]
        frame.attrs["unit"] = division["unit"]
        return frame

    def __repr__(self) -> str:
        return f"<levee comparison of {', '.join(self.runs)} in {self.folder}>"

    def _repr_html_(self) -> str:
        return self.headline.to_html()

    def plot(self, division: str = "", most: int = 10, ax: Any = None) -> Any:
        """Draws a bar for each run, divided into the parts of a quantity (default: the first division). Shows
        the `most` parts that explain most of the difference."""
        from . import plots

        return plots.division(self, division or next(iter(self.divisions)), most, ax)
