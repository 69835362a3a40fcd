#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every line of the section "Knobs" of docs/questions.md, and checks that its metric differs from that of the
run without it.

knobs.py LEVEE FOLDER
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/questions.md"
ROW = re.compile(r"^\| ([^|]+) \| `(--set [^|]+)` \| `([^|`]+)` \|$")
LEAST_ROWS = 20


def metrics(levee, folder, words):
    done = subprocess.run([levee, "run", "knobs", "--out", folder] + words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return json.loads((folder / "results.json").read_text())["metrics"]


def main():
    levee, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = PAGE.read_text().split("\n## Knobs\n")[1].splitlines()
    rows = [found.groups() for found in map(ROW.match, lines) if found]
    tables = sum(line.startswith("| ") for line in lines) - 1  # Excludes the heading.
    if len(rows) != tables or len(rows) < LEAST_ROWS:
        print(f"{PAGE}: only {len(rows)} of {tables} rows have a knob, a line and a figure; expected all rows, at least {LEAST_ROWS}")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    usual = metrics(levee, folder / "usual", [])
    wrong = 0
    for number, (knob, line, figure) in enumerate(rows):
        try:
            turned = metrics(levee, folder / str(number), shlex.split(line))
        except RuntimeError as error:
            print(f"{knob}: {line}\n{error}")
            wrong += 1
            continue
        print(f"{knob}: {figure} {usual.get(figure)} -> {turned.get(figure)}")
        if figure not in usual or figure not in turned or usual[figure] == turned[figure]:
            print(f"{knob}: expected a value of {figure} that differs from the run without the knob")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
