#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares scenarios/kelle/studies/english.yaml: the English model and a file for each row of its text.

    tools/english_rows.py [DATA] --out DIR [--levee PROGRAM]
    (cd DIR && levee sweep kelle/studies/english)

DATA has the model's folder and val_20k.txt (default: ../shared/data/english20m next to the tree; without it
nothing is done). DIR gets english.levee (INT8 weights) and row00.txt to row19.txt.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEPARATOR = "<|endoftext|>"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=ROOT.parent / "shared/data/english20m")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--levee", type=pathlib.Path, default=ROOT / "build/platform/levee")
    return parser.parse_args()


def main():
    options = arguments()
    text = options.data / "val_20k.txt"
    if not text.exists():
        print(f"skipped: there is no {text}")
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.levee, "import", "safetensors", options.data, "--out", options.out / "english.levee"],
                   check=True, stdout=subprocess.DEVNULL)
    for number, row in enumerate(text.read_text().split(SEPARATOR)):
        (options.out / f"row{number:02}.txt").write_text(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
