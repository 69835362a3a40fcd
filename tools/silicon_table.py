# SPDX-License-Identifier: Apache-2.0
"""Makes the table of measured devices in docs/validation.md, and the sentences with its figures, from `levee
reproduce silicon`."""
import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMS = {"all": "all", "all that fit": "the {devices} that fit"}
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
# Sentences of the page that repeat the table's totals. Names from figures() are replaced by
# numbers.
SENTENCES = {
    "docs/validation.md": [
        "devices have two rows or more, {rows} rows in all. Their median error is {median} %, and the worst is {worst} %.",
        "The other {fit_devices}, with {fit_rows} rows, have a median error of {fit_median} % and a worst error of {fit_worst} %",
    ],
    "README.md": ["a median error of {median} % and a worst error of {worst:.0f} % "
                  "({fit_median} % and {fit_worst:.0f} % on the {fit_devices} devices that a constant fits)"],
    "docs/reproduce.md": ["with one fitted constant for each device the median error is {median} %"],
}


def read(file):
    with open(file, newline="") as stream:
        return list(csv.DictReader(stream))


def percent(text):
    return round(100 * float(text), 1)


def unfit():
    """Returns the names of the constants whose description says that they predict no rows."""
    text = (ROOT / "scenarios/silicon/reproduce/devices.yaml").read_text()
    return set(re.findall(r"^  (\w+): \{form: .*fits: false", text, flags=re.M))


def constant(line):
    value = float(line["value"])
    text = f"share {value:.3f}" if line["form"] == "share" else f"{1e3 * value:.1f} ms per token"
    return f"none fits: {text}" if line["constant"] in unfit() else text


def device(line, rows):
    ratios = [float(row["ratio"]) for row in rows]
    return [rows[0]["section"], line["rows"], f"{min(ratios):.2f} to {max(ratios):.2f}", constant(line),
            f"{percent(line['median_error'])} %", f"{percent(line['worst_error'])} % ({line['worst']})"]


def count(lines, fit):
    return WORDS[sum(1 for line in lines if line["form"] and not (fit and line["constant"] in unfit()))]


def summed(line, lines):
    name = SUMS[line["constant"]].format(devices=count(lines, True))
    return [name, line["rows"], "", "", f"{percent(line['median_error'])} %", f"{percent(line['worst_error'])} %"]


def devices(folder):
    lines, rows = read(folder / "constants.csv"), read(folder / "comparison.csv")
    of = lambda line: [row for row in rows if row["constant"] == line["constant"]]
    table = [["device", "rows", "simulated / measured", "constant", "error of held-out rows: median", "worst"], ["---"] * 6]
    table += [summed(line, lines) if line["constant"] in SUMS else device(line, of(line)) for line in lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in table)


def figures(folder):
    lines = read(folder / "constants.csv")
    found = {}
    for line in lines:
        if line["constant"] in SUMS:
            key = "" if line["constant"] == "all" else "fit_"
            found |= {f"{key}devices": count(lines, bool(key)), f"{key}rows": line["rows"],
                      f"{key}median": percent(line["median_error"]), f"{key}worst": percent(line["worst_error"])}
    return found


def missing(folder):
    """Returns the sentences that a page lacks, with these figures."""
    words = lambda text: " ".join(text.split())
    return [f"{page}: lacks the sentence '{words(sentence.format(**figures(folder)))}', with figures from {folder}"
            for page, sentences in SENTENCES.items() for sentence in sentences
            if words(sentence.format(**figures(folder))) not in words((ROOT / page).read_text())]
