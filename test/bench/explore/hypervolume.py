#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hypervolume.py LEVEE STUDY FOLDER [POINTS [SEEDS]]

Prints the share of the full grid's hypervolume that `levee explore` reaches with POINTS points (default: a
tenth of the grid), for SEEDS seeds (default 5), and the share that randomly drawn points reach. The grid is
swept first, in FOLDER/grid; explorations then find their runs done. There are two reference points. "worst"
has the grid's worst value of each objective. "near" is a tenth of the front's extent beyond the front's worst
values, so only points near the front count. Fails if the median share for either is below 95 %.
"""
import json
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ENOUGH = 0.95
SKIPPED = 77
BEYOND = 0.1  # Distance of the reference point "near" beyond the front, as a share of the front's extent.


def points_of(folder):
    """Returns the objectives, by name, of the points on the axes, converted so that larger is better. Also
    returns those points of the axes that exist."""
    data = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    signs = [(one["column"], 1 if one["direction"] == "maximize" else -1) for one in data["objectives"]]
    values = {}
    for point in data["points"]:
        if point["axes"]:
            figures = [point["metrics"][column] for column, _ in signs]
            values[point["name"]] = None if None in figures else tuple(s * f for f, (_, s) in zip(figures, signs))
    return values


def front_of(values):
    """Returns the points that no other point equals or exceeds in every objective."""
    front = []
    for value in sorted(set(values), reverse=True):
        if not any(all(b >= a for a, b in zip(value, other)) for other in front):
            front.append(value)
    return front


def hypervolume(values, reference):
    """Returns the volume that the values dominate above the reference. It adds up slices along the last
    objective, and derives each slice from the previous slices."""
    above = [value for value in values if all(a > b for a, b in zip(value, reference))]
    if not above:
        return 0.0
    if len(reference) == 1:
        return max(above)[0] - reference[0]
    heights = sorted({value[-1] for value in above}, reverse=True)
    volume = 0.0
    for height, below in zip(heights, heights[1:] + [reference[-1]]):
        slice_front = front_of([value[:-1] for value in above if value[-1] >= height])
        volume += hypervolume(slice_front, reference[:-1]) * (height - below)
    return volume


def references(values):
    front = front_of(values)
    worst = tuple(min(column) for column in zip(*values))
    near = tuple(min(column) - BEYOND * (max(column) - min(column)) for column in zip(*front))
    return {"worst": worst, "near": near}


def explore(levee, study, grid, folder, points, seed):
    """Returns the names of the points that an exploration tries. The runs are not repeated: the grid's journal
    has their results."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(grid / "points.journal", folder)
    ended = subprocess.run([levee, "explore", study, "--quiet", "--points", str(points), "--seed", str(seed), "--out", folder],
                           check=False, stderr=subprocess.PIPE, text=True)
    if "needs Optuna" in ended.stderr:
        print(f"skipped: {ended.stderr.strip()}")
        sys.exit(SKIPPED)
    return points_of(folder)


def report(title, parts):
    print(f"{title:28} {'  '.join(f'{part:6.1%}' for part in parts)}   median {statistics.median(parts):6.1%}", flush=True)
    return statistics.median(parts)


def main(levee, study, folder, points=None, seeds=5):
    grid = Path(folder) / "grid"
    subprocess.run([levee, "sweep", study, "--quiet", "--out", grid], check=False)
    values = points_of(grid)
    usable = [value for value in values.values() if value is not None]
    budget = int(points or len(values) // 10)
    print(f"{len(values)} points, {len(usable)} usable, {len(front_of(usable))} on the front; {budget} tried")
    tried = {"explored": [explore(levee, study, grid, Path(folder) / f"seed-{seed}", budget, seed)
                          for seed in range(1, int(seeds) + 1)],
             "random": [random.Random(seed).sample(sorted(values), budget) for seed in range(1, int(seeds) + 1)]}
    enough = True
    for name, reference in references(usable).items():
        whole = hypervolume(front_of(usable), reference)
        for how, sets in tried.items():
            parts = [hypervolume(front_of([values[p] for p in one if values[p] is not None]), reference) / whole
                     for one in sets]
            median = report(f"{how}, reference {name}", parts)
            enough = enough and (how == "random" or median >= ENOUGH)
    return 0 if enough else 1


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
