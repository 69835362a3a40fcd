#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adding_a_policy.py ROOT: follows docs/adding_a_policy.md on a copy of its files, which then compile.

The first line of each of the page's listings is a line of one of the files, up to what is said of it (a comma, a
comment), and so may be those behind it; what is below them is new."""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
compilers = {"firmware/policies/policies.c": ["cc", "-std=c11"]}


def core(line):
    return re.sub(r"\s*/\*.*|\s+", "", line).rstrip(",};")


def apply(texts, listing):
    first, below = listing.split("\n", 1)
    places = [(name, at) for name, lines in texts.items() for at, line in enumerate(lines) if core(line) == core(first)]
    if len(places) != 1:
        sys.exit(f"adding_a_policy.md: {first.strip()!r} is a line of {len(places)} places: expected 1")
    name, at = places[0]
    # What the file has of the listing's next lines is there already.
    added = below.split("\n")
    last = at + 1
    while added and last < len(texts[name]) and core(added[0]) == core(texts[name][last]):
        added.pop(0)
        last += 1
    texts[name][at] = first
    texts[name][last:last] = added


page = (root / "docs/adding_a_policy.md").read_text()
listings = re.findall(r"^```c(?:pp)?\n(.*?)\n```$", page.split("## Hooks")[0], re.M | re.S)
texts = {name: (root / name).read_text().split("\n") for name in compilers}
before = {name: list(lines) for name, lines in texts.items()}
for listing in listings:
    apply(texts, listing)
if unchanged := [name for name in texts if texts[name] == before[name]]:
    sys.exit(f"adding_a_policy.md: no listing for {', '.join(unchanged)}")
with tempfile.TemporaryDirectory() as folder:
    for name, lines in texts.items():
        copy = pathlib.Path(folder) / name
        copy.parent.mkdir(parents=True)
        copy.write_text("\n".join(lines))
    for name, compiler in compilers.items():
        subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", folder, "-I", root,
                        pathlib.Path(folder) / name], check=True)
