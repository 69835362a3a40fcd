#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares scenarios/kelle/studies/english*.yaml: the English model, one file for each row of its text, and its
questions.

    tools/english_rows.py [DATA] --out DIR [--levee PROGRAM]
    (cd DIR && levee sweep kelle/studies/english)

DATA has the model's folder, val_20k.txt and recall.json (default: ../shared/data/english20m next to the tree).
Without DATA the program does nothing. DIR receives english.levee (INT8 weights), english_tensor.levee (the same with one scale for each matrix of a
layer), row00.txt to row19.txt, and recall.txt for app: recall, with one line for each question. The first question
of every document comes first, then the second of those that have two, and so on.
"""
import argparse
import json
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


def field(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def questions(documents):
    """Returns the lines of a file of stories without candidates. Each question follows on a line of its own, after
    the document's earlier questions and their answers."""
    most = max(len(document["questions"]) for document in documents)
    texts = [document["text"] for document in documents]
    for number in range(most):
        for index, document in enumerate(documents):
            for question, answer in document["questions"][number : number + 1]:
                yield "\t".join(map(field, [texts[index], "", "\n" + question, answer]))
                texts[index] += f"\n{question} {answer}."


def main():
    options = arguments()
    text = options.data / "val_20k.txt"
    if not (text.exists() and (options.data / "recall.json").exists()):
        print(f"skipped: {options.data} has no val_20k.txt and recall.json")
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    for name, scales in ("english", "largest"), ("english_tensor", "tensor"):
        subprocess.run([options.levee, "import", "safetensors", options.data, "--scales", scales,
                        "--out", options.out / f"{name}.levee"], check=True, stdout=subprocess.DEVNULL)
    for number, row in enumerate(text.read_text().split(SEPARATOR)):
        (options.out / f"row{number:02}.txt").write_text(row)
    documents = json.loads((options.data / "recall.json").read_text())
    (options.out / "recall.txt").write_text("\n".join(questions(documents)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
