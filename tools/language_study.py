#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the effect of eviction and of less frequent refresh on a small model of natural language
(scenarios/kelle/studies/README.md).

    tools/language_study.py [DATA] [--out DIR] [--tokens N] [--jobs N] [--levee PROGRAM]

DATA has stories260K.bin, tok512.bin and tinystories_sample.txt (default: ../shared/data next to the tree).
Without DATA the program does nothing. It runs the studies kelle/studies/language*.yaml over disjoint parts of
the text. For each cache, it prints the perplexity over all parts, and the difference of its logarithm from the
full cache's. It also prints the spread of that difference: over parts of the text (standard error of the mean)
and over seeds (standard deviation).
"""

import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEPARATOR = "<|endoftext|>"
PARTS = 4
FULL = "full"
STUDIES = ["language", "language_random", "language_voting", "language_retrieval", "language_cpq", "language_refresh",
           "language_refresh_budgets"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/language"))
    parser.add_argument("--tokens", type=int, default=800, help="tokens scored of each part")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--levee", type=pathlib.Path, default=ROOT / "build/platform/levee")
    return parser.parse_args()


def prepare(data, out, levee):
    """Imports the model, and distributes the text's documents over the parts."""
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run([levee, "import", "llama2c", data / "stories260K.bin", data / "tok512.bin", "--out",
                    out / "stories260K.levee"], check=True, stdout=subprocess.DEVNULL)
    documents = (data / "tinystories_sample.txt").read_text().split(SEPARATOR)
    for part in range(PARTS):
        (out / f"part{part}.txt").write_text(SEPARATOR.join(documents[part::PARTS]))


def study(name, out, options):
    """Sweeps a shipped study with this many tokens of each part. Returns its table."""
    text = (ROOT / f"scenarios/kelle/studies/{name}.yaml").read_text()
    text = text.replace("scenario: ../../", "scenario: ").replace("scenario: ../", "scenario: kelle/")
    text = text.replace("set:\n", f"set:\n  - workload.max_tokens={options.tokens}\n", 1)
    (out / f"{name}.yaml").write_text(text)
    subprocess.run([options.levee.resolve(), "sweep", f"{name}.yaml", "--out", name, "--jobs", str(options.jobs)],
                   cwd=out, check=True, stdout=subprocess.DEVNULL)
    return out / name / "table.csv"


def read(tables):
    """Returns natural logarithms of the perplexities, by cache, part and seed."""
    nll = {}
    for table in tables:
        for row in csv.DictReader(table.open()):
            part, cache = row["point"].split("/")
            nll.setdefault(cache, {})[part, row["seed"]] = math.log(float(row["perplexity"]))
    return nll


def by(index, values):
    """Returns the mean for each part (index 0) or for each seed (index 1)."""
    groups = {}
    for key, value in values.items():
        groups.setdefault(key[index], []).append(value)
    return [statistics.fmean(group) for group in groups.values()]


def show(nll):
    print(f"{'cache':16}{'perplexity':>12}{'ln p / p_full':>16}{'+- by part':>12}{'+- by seed':>12}")
    full = {part: value for (part, _), value in nll[FULL].items()}
    for cache, values in nll.items():
        difference = {key: value - full[key[0]] for key, value in values.items()}
        parts, seeds = by(0, difference), by(1, difference)
        by_seed = statistics.stdev(seeds) if len(seeds) > 1 else 0.0
        print(f"{cache:16}{math.exp(statistics.fmean(values.values())):12.3f}"
              f"{statistics.fmean(difference.values()):16.4f}"
              f"{statistics.stdev(parts) / math.sqrt(len(parts)):12.4f}{by_seed:12.4f}")


def main():
    options = arguments()
    if not (options.data / "stories260K.bin").exists():
        print(f"skipped: there is no {options.data}/stories260K.bin")
        return 0
    out = options.out.resolve()
    prepare(options.data.resolve(), out, options.levee.resolve())
    show(read([study(name, out, options) for name in STUDIES]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
