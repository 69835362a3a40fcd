#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of all machines on the same work, from the runs of a reproduction.

    ./levee reproduce common
    tools/reproduction_tables.py --paper common    # the page's tables
    tools/common_tables.py [FOLDER]                # docs/images/common_*.svg

Perplexities come from scenarios/common/quality.csv, which is the table of ./levee sweep common/studies/quality
(the page has the command).
"""
import csv
import html
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = {
    "kelle": "Kelle", "cambricon_s": "Cambricon-LLM-S", "cambricon_m": "Cambricon-LLM-M", "cambricon_l": "Cambricon-LLM-L",
    "veda": "VEDA", "flash_kelle": "flash, cache of Kelle", "flash_veda": "flash, attention of VEDA",
    "crossbars_kelle": "crossbars, cache of Kelle",
}
MODELS = {"llama2_7b": "Llama2-7B", "llama3_2_3b": "Llama3.2-3B", "qwen3_4b": "Qwen3-4B"}
PROMPTS = {"p512": "512", "p4096": "4,096"}
PARTS = {"rsa": "array", "sfu": "function unit", "reram": "crossbars"}
UNPRICED = ["core", "bus", "tcm", "sync", "dma"]  # components of all machines; the page mentions them once
BINDS = {"pace_flash": "flash", "rsa": "array", "sram": "SRAM", "hbm": "DRAM", "dram": "DRAM", "lpddr4": "DRAM", "lpddr5x": "DRAM", "veda": "VEDA's arrays"}


def metrics(folder, table, model, prompt, machine):
    file = folder / "runs" / table / model / prompt / machine / "results.json"
    if not file.exists():  # runs of equal scenarios share the folder of the first one
        return None
    return json.loads(file.read_text())["metrics"]


def machines(folder, table, model="llama2_7b", prompt="p512"):
    """Returns the name and the metrics of each machine in a table."""
    found = ((name, metrics(folder, table, model, prompt, name)) for name in NAMES)
    return [(name, figures) for name, figures in found if figures]


def binds(figures, phase):
    """Returns the bottleneck of a phase, as bound_by in `levee sweep`, or loading if that takes more than half
    of the time."""
    head, tail = f"roofline.{phase}.", ".binds_seconds"
    times = {key[len(head):-len(tail)]: value for key, value in figures.items() if key.startswith(head) and key.endswith(tail)}
    name = max(times, key=times.get)
    share = 100 * times[name] / figures[f"{phase}.seconds"]
    load = figures.get(f"bounds.{phase}.load")
    return f"{BINDS.get(name, name)} {share:.0f} %" + (f" ({load}: assumed)" if load else "")


def area(figures, where):
    known = figures.get(f"area.{where}_known_mm2", figures.get(f"area.{where}_mm2"))
    unknown = [name.strip() for name in figures.get(f"area.{where}_unknown", "").split(",") if name.strip()]
    own = [name for name in unknown if name not in UNPRICED]
    rest = (["c"] if set(unknown) & set(UNPRICED) else []) + own
    if known is None:
        return "not in its list"
    return f"{known + 1e-9:.2f}".rstrip("0").rstrip(".") + "".join(f" + {PARTS.get(name, name)}" for name in rest)


def watts(figures, phase):
    return figures[f"energy.phase.{phase}_j"] / figures[f"{phase}.seconds"]


def grid(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def perplexities():
    """Returns perplexities of the English model, by point of studies/quality.yaml."""
    with open(ROOT / "scenarios/common/quality.csv", newline="") as stream:
        return {line["point"]: line["perplexity"] for line in csv.DictReader(stream)}


def perplexity(machine, table):
    """Returns the perplexity. In the comparison `level`, inputs have 16 bits. Machines without a separate point
    for it always have 16-bit inputs."""
    point = "cambricon" if machine.startswith("cambricon") else machine
    points = perplexities()
    return points.get(f"{point}_16", points[point]) if table == "level" else points[point]


def main_table(folder, table, prompt):
    head = ["machine", "tokens/s", "first token, s", "J per token", "J of the prompt", "decode, W", "prefill, W",
            "mm² on chip", "mm² off chip", "perplexity", "decoding binds", "prefill binds"]
    return grid(head, [[
        NAMES[name], f"{m['decode.tokens_per_s']:.2f}", f"{m['prefill.seconds']:.2f}", f"{m['energy.decode_per_token_j']:.3f}",
        f"{m['energy.phase.prefill_j']:.1f}", f"{watts(m, 'decode'):.2f}", f"{watts(m, 'prefill'):.2f}",
        area(m, "on_chip"), area(m, "off_chip"), perplexity(name, table), binds(m, "decode"), binds(m, "prefill")]
        for name, m in machines(folder, table, prompt=prompt)])


def models_table(folder, table):
    """Makes a table of the smaller models: tokens/s, time to the first token, and J per token."""
    keys = [(model, prompt) for model in list(MODELS)[1:] for prompt in PROMPTS]
    head = ["machine"] + [f"{MODELS[model]}, {PROMPTS[prompt]}" for model, prompt in keys]
    cell = lambda m: f"{m['decode.tokens_per_s']:.2f} / {m['prefill.seconds']:.2f} / {m['energy.decode_per_token_j']:.3f}"
    return grid(head, [[NAMES[name], *(cell(metrics(folder, table, *key, name)) for key in keys)]
                       for name, _ in machines(folder, table)])


TABLES = {f"{table}_{part}": (lambda folder, table=table, part=part:
                              models_table(folder, table) if part == "models" else main_table(folder, table, part))
          for table in ("own", "same", "level") for part in ("p512", "p4096", "models")}


def claims(folder):
    with open(folder / "comparison.csv", newline="") as stream:
        lines = list(csv.DictReader(stream))
    number = lambda text: f"{float(text):.4g}" if text and abs(float(text)) < 10000 else f"{float(text):.0f}" if text else ""
    found = {}
    for line in lines:
        own = found.setdefault(line["id"].split("/")[0], (line, []))
        own[1].append(number(line["simulated"]))
    return grid(["id", "figure", "of", "value", "note"],
                [[key, line["quantity"], line["configuration"], "; ".join(values) + f" {line['unit']}", line["note"]]
                 for key, (line, values) in found.items()])


TABLES["claims"] = claims

# --- pictures

COLOURS = {"kelle": "#1f77b4", "cambricon_s": "#fdbe85", "cambricon_m": "#fd8d3c", "cambricon_l": "#d94701", "veda": "#2ca02c",
           "flash_kelle": "#9467bd", "flash_veda": "#8c564b", "crossbars_kelle": "#7f7f7f"}


def text(x, y, words, size=12, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{html.escape(words)}</text>'


def svg(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
                      f'<rect width="{width}" height="{height}" fill="#fff"/>', *parts, "</svg>", ""])


def ticks(least, most):
    return [digit * 10.0 ** power for power in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
            for digit in (1, 2, 5) if least <= digit * 10.0 ** power <= most]


def scatter(folder, table, title):
    """Draws J per decoded token against tokens/s, with prompts of 512 and 4,096 tokens."""
    points = [(name, [metrics(folder, table, "llama2_7b", prompt, name) for prompt in PROMPTS]) for name in NAMES]
    points = [(name, [(m["decode.tokens_per_s"], m["energy.decode_per_token_j"]) for m in both]) for name, both in points if both[0]]
    xs, ys = ([p[i] for _, both in points for p in both] for i in (0, 1))
    left, right, top, bottom, low, high = 60, 660, 40, 400, 0.8, 1.25
    def place(values, value, begin, end):
        least, most = math.log(min(values) * low), math.log(max(values) * high)
        return begin + (end - begin) * (math.log(value) - least) / (most - least)
    x, y = (lambda v: place(xs, v, left, right)), (lambda v: place(ys, v, bottom, top))
    parts = [text(left, 20, title, 14), text((left + right) / 2, bottom + 34, "tokens/s", 12, "middle"), text(4, top - 6, "J per token")]
    for value in ticks(min(xs) * low, max(xs) * high):
        parts += [f'<line x1="{x(value):.1f}" y1="{top}" x2="{x(value):.1f}" y2="{bottom}" stroke="#ddd"/>', text(x(value), bottom + 16, f"{value:g}", 11, "middle")]
    for value in ticks(min(ys) * low, max(ys) * high):
        parts += [f'<line x1="{left}" y1="{y(value):.1f}" x2="{right}" y2="{y(value):.1f}" stroke="#ddd"/>', text(left - 6, y(value) + 4, f"{value:g}", 11, "end")]
    for row, (name, ((a, b), (c, d))) in enumerate(points):
        at = top + 10 + 22 * row
        parts += [f'<line x1="{x(a):.1f}" y1="{y(b):.1f}" x2="{x(c):.1f}" y2="{y(d):.1f}" stroke="{COLOURS[name]}" stroke-width="2"/>',
                  f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="5" fill="{COLOURS[name]}"/>',
                  f'<circle cx="{x(c):.1f}" cy="{y(d):.1f}" r="4" fill="#fff" stroke="{COLOURS[name]}" stroke-width="2"/>',
                  f'<circle cx="{right + 20}" cy="{at - 4}" r="5" fill="{COLOURS[name]}"/>', text(right + 32, at, NAMES[name])]
    at = top + 10 + 22 * len(points) + 8
    parts += [text(right + 16, at, "full: behind 512 tokens,", 11), text(right + 16, at + 15, "open: behind 4,096", 11)]
    return svg(880, 450, parts)


def bars(folder, table, title, model="llama2_7b"):
    """Draws the seconds for a prompt and the 512 tokens after it, for each machine."""
    left, right, row, y = 190, 800, 17, 44
    times = [(name, prompt, m) for name in NAMES for prompt in PROMPTS if (m := metrics(folder, table, model, prompt, name))]
    scale = (right - left) / max(m["prefill.seconds"] + m["decode.seconds"] for _, _, m in times)
    parts = [text(4, 20, title, 14)]
    for name, prompt, m in times:
        prefill, decode = m["prefill.seconds"] * scale, m["decode.seconds"] * scale
        if prompt == "p512":
            y += 6
            parts.append(text(4, y + 12, NAMES[name]))
        parts += [text(left - 6, y + 12, PROMPTS[prompt], 11, "end"),
                  f'<rect x="{left}" y="{y}" width="{prefill:.1f}" height="{row - 3}" fill="{COLOURS[name]}"/>',
                  f'<rect x="{left + prefill:.1f}" y="{y}" width="{decode:.1f}" height="{row - 3}" fill="{COLOURS[name]}" fill-opacity="0.35"/>',
                  text(left + prefill + decode + 5, y + 12, f"{m['prefill.seconds']:.1f} + {m['decode.seconds']:.1f} s", 11)]
        y += row
    parts.append(text(left, y + 20, "full colour: the prompt; light: the 512 tokens behind it", 11))
    return svg(940, y + 34, parts)


def pictures(folder):
    return {
        "common_own": scatter(folder, "own", "Llama2-7B, each machine with its own memory and prices"),
        "common_level": scatter(folder, "level", "Llama2-7B, 64 GB/s off chip, 6.3 mm² on chip, prices of 45 nm"),
        "common_time": bars(folder, "own", "Llama2-7B, own memory: a prompt of 512 or 4,096 tokens and 512 tokens"),
    }


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/reproduce/common")
    for name, picture in pictures(folder).items():
        (ROOT / "docs" / "images" / f"{name}.svg").write_text(picture)
        print(f"docs/images/{name}.svg")


if __name__ == "__main__":
    main()
