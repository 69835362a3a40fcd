#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of a reproduction into its pages.

    ./levee reproduce kelle && tools/reproduction_tables.py
    tools/reproduction_tables.py --check          # lists tables that differ from the folder's

In the pages of scenarios/PAPER (for `silicon`: docs/validation.md) it replaces only the text between <!-- NAME -->
and <!-- end -->. NAME is `errors`, `classes`, `rows`, `variants`, `figure_13`, `devices`, one of
common_tables.TABLES, or a file of the folder's plots/. --check also lists sentences of pages whose figures of
devices differ.
"""
import argparse
import csv
import re
import sys
from pathlib import Path

import common_tables
import silicon_table

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"silicon": "docs/validation.md"}


def number(text):
    """Formats a number with four digits. Other text is unchanged."""
    try:
        value = float(text)
    except ValueError:
        return text
    return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def read(file):
    with open(file, newline="") as stream:
        return list(csv.DictReader(stream))


def plot(folder, name):
    lines = read(folder / "plots" / f"{name}.csv")
    return table(list(lines[0]), [[number(cell) for cell in line.values()] for line in lines])


def figure_13(folder):
    cells, systems = {}, []
    for line in read(folder / "plots" / "figure_13.csv"):
        both = f"{float(line['speedup']):.2f} / {float(line['energy_efficiency']):.2f}"
        cells.setdefault((line["model"], line["task"]), {})[line["system"]] = both
        if line["system"] not in systems and line["system"] != "original":
            systems.append(line["system"])
    return table(["model", "task", *systems],
                 [[*key, *(row[system] for system in systems)] for key, row in cells.items()])


def errors(folder):
    lines = read(folder / "errors.csv")
    columns = [name for name in lines[0] if name not in ("group", "numbers")]
    percent = lambda text: f"{100 * float(text):.0f} %" if text else ""
    return table(["", *(f"`{name}`" for name in columns)],
                 [[line["group"].replace("_", " "), *(percent(line[name]) for name in columns)]
                  for line in lines])


def classes(folder):
    found = {}
    for line in read(folder / "comparison.csv"):
        ids = found.setdefault(line["follows"], [])
        if line["id"].split("/")[0] not in ids:
            ids.append(line["id"].split("/")[0])
    order = ["stated", "reading", "contradicted", "missing"]
    rank = lambda follows: (order.index(follows.split(":")[0]), follows)
    return table(["follows from", "rows"], [[name, ", ".join(found[name])] for name in sorted(found, key=rank)])


def rows(folder):
    def cells(line):
        note = line["note"]
        if line["relative_to"] and line["simulated_relative"]:
            note += (f" In the series: × {number(line['simulated_relative'])} of {line['relative_to']},"
                     f" published × {number(line['published_relative'])}.")
        if line["expected"]:
            note += f" (Expected: {line['expected']}: {line['verdict']}.)"
        what = line["quantity"] + (": " + line["configuration"] if line["configuration"] else "")
        return [line["id"], what, f"{line['published']} {line['unit']}", number(line["simulated"]),
                number(line["ratio"]), line["follows"], note]
    return table(["id", "quantity", "published", "simulated", "ratio", "follows from", "note"],
                 [cells(line) for line in read(folder / "comparison.csv")])


def variants(folder):
    lines = read(folder / "variants.csv")
    return table([f"`{name}`" if i > 2 else name for i, name in enumerate(lines[0])],
                 [[number(cell) if i > 1 else cell for i, cell in enumerate(line.values())]
                  for line in lines if line["default"]])


def block(folder, name):
    own = {"errors": errors, "classes": classes, "rows": rows, "variants": variants, "figure_13": figure_13,
           "devices": silicon_table.devices,
           **common_tables.TABLES}
    return own[name](folder) if name in own else plot(folder, name)


def with_tables(page, folder):
    """Returns the page's text with the folder's tables, and the names of the tables that differ from the page's."""
    differ = []

    def replace(match):
        try:
            text = f"<!-- {match[1]} -->\n{block(folder, match[1])}\n<!-- end -->"
        except OSError as error:
            sys.exit(f"{page}: the table '{match[1]}': {error}")
        if text != match[0]:
            differ.append(match[1])
        return text

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", replace, page.read_text(), flags=re.S), differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of the reproduction; default out/reproduce/PAPER")
    parser.add_argument("--paper", default="kelle")
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a table differs")
    request = parser.parse_args()
    folder = request.folder or Path("out/reproduce") / request.paper
    names = [PAGES[request.paper]] if request.paper in PAGES else (ROOT / "scenarios" / request.paper).glob("*.md")
    wrong = []
    for page in sorted(ROOT / name for name in names):
        text, differ = with_tables(page, folder)
        wrong += [f"{page}: the table '{name}' differs from the table of {folder}" for name in differ]
        if not request.check:
            page.write_text(text)
            print(f"{page}: {len(differ)} tables changed" + (": " + ", ".join(differ) if differ else ""))
    if not request.check:
        return 0
    wrong += silicon_table.missing(folder) if request.paper == "silicon" else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
