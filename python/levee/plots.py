# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib. Each function draws on the given Axes, or on new Axes, adds labels with units, and returns
the Axes."""
from typing import Any, List

from .needed import pandas, pyplot
from .units import labelled


def axes(ax: Any) -> Any:
    return ax if ax is not None else pyplot.subplots(layout="constrained")[1]


def known(name: str, names: List[str], what: str) -> str:
    if name not in names:
        raise KeyError(f"'{name}' is not a {what}; expected one of {', '.join(names)}")
    return name


def group_label(by: str, value: Any, units: Any) -> str:
    if not by:
        return ""
    if pandas.isna(value):
        return f"no {by}"
    return labelled(f"{by} {value:g}" if isinstance(value, float) else f"{by} {value}", units[by])


def along(study: Any, column: str, over: str, by: str, ax: Any) -> Any:
    known(column, study.columns, "column of the study")
    over = known(over or study.axes[0], study.axes, "axis of the study")
    others = [axis for axis in study.axes if axis != over]
    by = known(by, others, "other axis of the study") if by else (others[0] if others else "")
    ax = axes(ax)
    points = study.points[study.points[column].notna() & study.points[over].notna()]
    rank = None
    if not pandas.api.types.is_numeric_dtype(points[over]):  # values that are words keep the table's order
        words = list(points[over].unique())
        ax.xaxis.update_units(words)
        rank = lambda column: column.map(words.index)  # noqa: E731
    groups = points.groupby(by, sort=False, dropna=False) if by else [("", points)]
    for value, group in groups:
        group = group.sort_values(over, kind="stable", key=rank)
        joined = not group[over].duplicated().any()  # if further columns vary, a line would join points that have the
                                                     # same position on the axis
        ax.errorbar(group[over], group[column], yerr=group[column + " +-"].fillna(0), marker="o", capsize=3,
                    linestyle="-" if joined else "none", label=group_label(by, value, study.units))
    if study.scales[over] == "log":
        ax.set_xscale("log")
    ax.set(xlabel=labelled(over, study.units[over]), ylabel=labelled(column, study.units[column]))
    if by:
        ax.legend()
    return ax


def front(study: Any, x: str, y: str, ax: Any) -> Any:
    names = list(study.objectives)
    if len(names) < 2 and not (x and y):
        raise ValueError(f"{study.name} has {len(names)} objectives; name the columns 'x' and 'y'")
    x = known(x or names[0], study.columns, "column of the study")
    y = known(y or names[1], study.columns, "column of the study")
    ax = axes(ax)
    best = study.points["pareto"] if "pareto" in study.points else pandas.Series(False, index=study.points.index)
    ax.scatter(study.points[x][~best], study.points[y][~best], s=14, color="0.6", label="other points")
    ax.scatter(study.points[x][best], study.points[y][best], s=28, color="C0", label="Pareto front")
    ax.set(xlabel=labelled(x, study.units[x]), ylabel=labelled(y, study.units[y]))
    ax.legend()
    return ax


def bounds(results: Any, phase: str, ax: Any) -> Any:
    table = results.bounds
    known(phase, sorted(table["phase"].unique()), "phase of the run")
    parts = table[table["phase"] == phase].pivot_table(index="block", columns="cause", values="seconds", aggfunc="sum")
    ax = parts.fillna(0).plot.barh(stacked=True, ax=axes(ax))
    ax.set(xlabel=f"time of {phase} [s]", ylabel="")
    return ax


def energy(results: Any, ax: Any) -> Any:
    parts = results.energy.pivot_table(index="component", columns="phase", values="joules", aggfunc="sum").fillna(0)
    parts = parts.loc[parts.sum(axis=1).sort_values().index]
    ax = parts.plot.barh(stacked=True, ax=axes(ax))
    ax.set(xlabel="energy [J]", ylabel="")
    return ax


def series(results: Any, columns: Any, ax: Any) -> Any:
    frame = results.series
    names = list(columns) if columns is not None else [name for name in frame if name.endswith("[B/s]")]
    for name in names:
        known(name, list(frame), "column of the series")
    rates = [name for name in names if name.endswith("[B/s]")]
    of_memories = len(rates) == len(names)
    if rates and not of_memories:
        share = next(name for name in names if name not in rates)
        raise ValueError(f"'{rates[0]}' is in bytes per second and '{share}' is a share of time; expected columns "
                         "of one kind in a picture: draw each kind on its own 'ax'")
    ax = frame[names].plot(ax=axes(ax), drawstyle="steps-post")
    ax.set(xlabel="time [s]", ylabel="bandwidth [B/s]" if of_memories else "share of time busy")
    return ax


def division(comparison: Any, name: str, most: int, ax: Any) -> Any:
    table = comparison.divisions[known(name, list(comparison.divisions), "division of the comparison")]
    ax = table[comparison.runs].head(most)[::-1].plot.barh(ax=axes(ax))
    ax.set(xlabel=labelled(name, table.attrs["unit"]), ylabel="")
    return ax


def published(reproduction: Any, ax: Any) -> Any:
    """Draws numbers of all units in one picture. Both numbers of a pair are positive, and the axes are logarithmic."""
    table = reproduction.comparison
    numbers = table[["published", "simulated"]].apply(pandas.to_numeric, errors="coerce")
    numbers = numbers[(numbers > 0).all(axis=1)]
    ax = axes(ax)
    ax.scatter(numbers["published"], numbers["simulated"], s=14)
    if not numbers.empty:
        least, largest = numbers.min().min(), numbers.max().max()
        ax.plot([least, largest], [least, largest], color="0.5", label="equal")
        ax.legend()
    ax.set(xscale="log", yscale="log", xlabel="published, each in its own unit", ylabel="simulated, in the same unit")
    return ax
