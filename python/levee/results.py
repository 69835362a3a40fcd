# SPDX-License-Identifier: Apache-2.0
"""Files of one run."""
import json
from pathlib import Path
from typing import Any, Dict, List, Sequence, Union

from .needed import pandas
from .program import LeveeError
from .units import unit_of

SECONDS_A_PS = 1e-12
JOULES_AN_AJ = 1e-18

LABELS = ("block", "cause", "component", "event", "id", "operation", "phase", "resource")  # columns of names, which may
                                                                                           # consist of digits only


def read_json(file: Path) -> Any:
    """Reads a JSON file. Raises LeveeError with the file's name if it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LeveeError(f"{file}: {error}") from error


def read_csv(file: Path, labels: Sequence[str] = LABELS) -> "pandas.DataFrame":
    """Reads a CSV file. Raises LeveeError with the file's name if it cannot be read. Numbers are read exactly.
    The columns `labels` stay text. In them, only an empty field is a missing value, because NA may be a name."""
    try:
        return pandas.read_csv(file, float_precision="round_trip", dtype={label: str for label in labels},
                               keep_default_na=False, na_values=[""])
    except (OSError, ValueError) as error:
        raise LeveeError(f"{file}: {error}") from error


class Results:
    """The results of a run, as docs/results.md describes them."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        content = read_json(self.folder / "results.json")
        self.name: str = content["name"]
        self.seed: int = content["seed"]
        self.text: Any = content.get("text")
        self.tokens: List[List[int]] = content.get("tokens", [])
        self.warnings: List[str] = content.get("warnings", [])
        self.scenario: Dict[str, Any] = content["scenario"]
        self.versions: Dict[str, Any] = content["versions"]
        self.figures: Dict[str, Any] = content["metrics"]
        """All figures: values by name, in SI units."""

    @property
    def metrics(self) -> "pandas.DataFrame":
        """All metrics: the value and unit of each, by name."""
        return pandas.DataFrame({"value": pandas.Series(self.figures, dtype=object),
                                 "unit": pandas.Series({name: unit_of(name) for name in self.figures})})

    def __getitem__(self, metric: str) -> Any:
        """Returns a metric by its name. Raises KeyError with the most similar names."""
        if metric not in self.figures:
            import difflib

            near = difflib.get_close_matches(metric, self.figures, 3)
            raise KeyError(f"'{metric}' is not a figure of {self.folder}" + (f"; nearest: {', '.join(near)}" if near else ""))
        return self.figures[metric]

    def __repr__(self) -> str:
        return f"<levee run {self.name}, seed {self.seed}: {len(self.figures)} figures in {self.folder}>"

    def _repr_html_(self) -> str:
        return self.metrics.to_html(max_rows=20)

    @property
    def tables(self) -> List[str]:
        """Returns the names of the folder's tables, for table()."""
        return sorted(file.stem for file in self.folder.glob("*.csv"))

    def table(self, name: str) -> "pandas.DataFrame":
        """Returns one CSV table of the folder, unchanged, such as "roofline" or "sampling"."""
        if name not in self.tables:
            raise LeveeError(f"{self.folder}: has no table '{name}'; it has {', '.join(self.tables) or 'none'}")
        return read_csv(self.folder / f"{name}.csv")

    @property
    def bounds(self) -> "pandas.DataFrame":
        """The blocks' time by phase, block and cause, in seconds."""
        table = self.table("bounds")
        table["seconds"] = table.pop("picoseconds").astype(float) * SECONDS_A_PS
        table.attrs["units"] = {"seconds": "s"}
        return table

    @property
    def energy(self) -> "pandas.DataFrame":
        """The energy by component, event, operation and phase, with counts and joules."""
        table = self.table("energy")
        table["joules"] = table.pop("attojoules").astype(float) * JOULES_AN_AJ  # some exceed 64 bits
        table.attrs["units"] = {"joules": "J"}
        return table

    @property
    def series(self) -> "pandas.DataFrame":
        """Values over time, from report.html. The index is the beginning of each interval in seconds. For each
        memory there is a column with bytes per second ("<memory> [B/s]"), and for each block the share of time
        that it was busy."""
        series = page_data(self.folder / "report.html")["data"]["series"]
        width = series["bin_seconds"]
        columns = {f"{memory['name']} [B/s]": [count / width for count in memory["bytes"]] for memory in series["memories"]}
        columns.update({block["name"]: [busy / width for busy in block["busy"]] for block in series["blocks"]})
        frame = pandas.DataFrame({name: pandas.Series(values, dtype=float) for name, values in columns.items()})
        frame.index = pandas.Index(frame.index * width, name="seconds")
        return frame

    def plot_bounds(self, phase: str = "decode", ax: Any = None) -> Any:
        """Draws a bar for each block with the causes of its time in a phase, in seconds. Returns matplotlib's Axes."""
        from . import plots

        return plots.bounds(self, phase, ax)

    def plot_energy(self, ax: Any = None) -> Any:
        """Draws a bar for each component with its joules by phase."""
        from . import plots

        return plots.energy(self, ax)

    def plot_series(self, columns: Any = None, ax: Any = None) -> Any:
        """Draws the memories' bytes per second over time, or the given columns of `series`."""
        from . import plots

        return plots.series(self, columns, ax)


def page_data(file: Path) -> Any:
    """Returns the data in a page (platform/observe/report/page/README.md)."""
    begin = '<script type="application/json" id="levee-data">'
    try:
        page = file.read_text(encoding="utf-8")
    except OSError as error:
        raise LeveeError(f"{file}: {error.strerror}; a run writes it unless it has --no-report") from error
    if begin not in page:
        raise LeveeError(f"{file}: is not a report of Levee; expected a report.html")
    return json.loads(page.split(begin, 1)[1].split("</script>", 1)[0])
