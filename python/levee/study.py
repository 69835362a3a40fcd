# SPDX-License-Identifier: Apache-2.0
"""Files of a sweep or an exploration."""
from pathlib import Path
from typing import Any, Dict, List, Union

from .needed import pandas
from .program import LeveeError
from .results import Results, read_csv, read_json
from .units import unit_of, unit_of_column


class Study:
    """A study that has run (docs/sweeps.md)."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        content = read_json(self.folder / "sweep.json")
        self.name: str = content["name"]
        self.warnings: List[str] = content["warnings"]
        self.axes: List[str] = [axis["name"] for axis in content["axes"]]
        self.columns: List[str] = [column["name"] for column in content["columns"]]
        self.objectives: Dict[str, str] = {one["column"]: one["direction"] for one in content["objectives"]}
        """The objectives: "maximize" or "minimize", by column."""
        self.units: Dict[str, str] = {axis["name"]: axis["unit"] for axis in content["axes"]}
        """The units of axes and columns, by name."""
        self.units.update({column["name"]: unit_of_column(column) for column in content["columns"]})
        self.scales: Dict[str, str] = {axis["name"]: axis["scale"] for axis in content["axes"]}
        self._text_axes = [axis for axis in self.axes if any(
            "value" not in point["axes"][axis] for point in content["points"] if point["axes"].get(axis))]
        self.points = self._frame("points.csv")
        """One row for each point, indexed by its name: values of axes, means of columns over seeds, "<column>
        +-" the half widths of their 95 % intervals, "pareto" and "error" (empty: none). Units are in `attrs`."""

    def _frame(self, file: str) -> "pandas.DataFrame":
        head = {f"{axis} [{self.units[axis]}]": axis for axis in self.axes if self.units[axis]}
        frame = read_csv(self.folder / file, ["point", "error", "folder", *self._text_axes])
        frame = frame.rename(columns=head).set_index("point")
        frame["error"] = frame["error"].fillna("")
        if "pareto" in frame:
            frame["pareto"] = frame["pareto"].astype(bool)
        frame.attrs["units"] = self.units
        return frame

    @property
    def runs(self) -> "pandas.DataFrame":
        """One row for each run: its point, the values of axes, seed, metrics and error."""
        return self._frame("table.csv")

    @property
    def front(self) -> "pandas.DataFrame":
        """The points on the Pareto front of the objectives, sorted by the first objective."""
        if not self.objectives:
            raise ValueError(f"{self.name} has no objectives, so it has no Pareto front; expected a study with 'objectives'")
        return self.points[self.points["pareto"]].sort_values(next(iter(self.objectives)))

    def _kept(self) -> "pandas.DataFrame":
        """Returns the runs and their folders. Raises ValueError if the study has kept no files of its runs."""
        runs = self.runs
        if "folder" not in runs:
            raise ValueError(f"{self.name} did not keep the files of its runs; set keep: true in the study, or pass options=['--keep']")
        return runs

    @property
    def figures(self) -> "pandas.DataFrame":
        """All metrics of a study that keeps its files. Each run that did not fail has one row, indexed by its
        point: the values of axes, the seed, and a column for each metric, NaN for runs without it. `attrs` has
        the units."""
        runs = self._kept()
        runs = runs[runs["error"] == ""]
        frame = pandas.DataFrame([Results(self.folder / folder).figures for folder in runs["folder"]], index=runs.index)
        units = {name: unit_of(name) for name in frame}
        for place, name in enumerate([*self.axes, "seed"]):
            frame.insert(place, name, runs[name])
        frame.attrs["units"] = {**units, **{axis: self.units[axis] for axis in self.axes}}
        return frame

    def results(self, point: str, seed: Any = None) -> Results:
        """Returns the results of one point's run, for a study that keeps its files."""
        runs = self._kept()
        found = runs[runs.index == point]
        if found.empty:
            raise KeyError(f"'{point}' is not a point of {self.name}")
        if seed is not None:
            seeds = [str(one) for one in found["seed"].dropna()]
            found = found[found["seed"] == seed]
            if found.empty:
                raise KeyError(f"'{point}' did not run with seed {seed}; " + (
                    f"expected one of {', '.join(seeds)}" if seeds else "the study has no 'seeds'"))
        if found["error"].iloc[0]:
            raise LeveeError(f"'{point}' failed: {found['error'].iloc[0]}")
        return Results(self.folder / found["folder"].iloc[0])

    def __repr__(self) -> str:
        return f"<levee study {self.name}: {len(self.points)} points in {self.folder}>"

    def _repr_html_(self) -> str:
        return self.points.to_html(max_rows=20)

    def plot(self, column: str, over: str = "", by: str = "", ax: Any = None) -> Any:
        """Draws a column over an axis (default: the first), with one line for each value of the axis `by` (default:
        the second, if there are two). If the study has seeds, draws 95 % intervals. Returns matplotlib's Axes."""
        from . import plots

        return plots.along(self, column, over, by, ax)

    def plot_front(self, x: str = "", y: str = "", ax: Any = None) -> Any:
        """Draws two columns against each other (default: the first two objectives), and marks the points on the
        front."""
        from . import plots

        return plots.front(self, x, y, ax)
