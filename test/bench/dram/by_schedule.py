#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares whole runs whose DRAM streams are priced by schedule with the same runs priced by kind. Prints the
ratios of the times of the run, its prefill and its decoding.

Usage: by_schedule.py LEVEE [SCENARIO [--set KEY=VALUE]...]

Without a scenario, it runs shortened scenarios of the project that have a DRAM, one per machine."""
import json
import subprocess
import sys
import tempfile

LAYERS = ["model.shape.layers=1"]
SAMPLED = ["sampling={steps: 2, chunks: 2}"]
RUNS = [
    ("demo", []),
    ("perplexity", ["workload.max_tokens=60"]),
    ("two_drams", LAYERS),
    ("knobs", ["workload.max_new_tokens=4"] + SAMPLED + LAYERS),
    ("kelle/demo", []),
    ("kelle/kelle_edram", SAMPLED + LAYERS),
    ("kelle/original_edram", SAMPLED + LAYERS),
    ("kelle/original_sram", SAMPLED + LAYERS),
    ("kelle/aep_sram", SAMPLED + LAYERS),
    ("veda/demo", []),
    ("veda/llama2_7b", SAMPLED + LAYERS),
    ("veda/llama2_7b_eight", SAMPLED + LAYERS),
    ("cambricon/demo", []),
    ("cambricon/decode_512", SAMPLED + LAYERS),
    ("pim/titanus_demo", []),
    ("pim/titanus_125m", SAMPLED + LAYERS),
]
FIGURES = ["sim.seconds", "prefill.seconds", "decode.seconds"]


def drams(system):
    return [name for name, memory in system["memories"].items()
            if memory and memory.get("type") == "dram"]


def run(levee, scenario, overrides):
    with tempfile.TemporaryDirectory() as out:
        command = [levee, "run", scenario, "--quiet", "--out", out]
        for text in overrides:
            command += ["--set", text]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        with open(f"{out}/results.json", encoding="utf-8") as file:
            return json.load(file)


def compare(levee, scenario, overrides):
    by_kind = run(levee, scenario, overrides)
    prices = [f"system.memories.{name}.standard.controller.prices=by_schedule"
              for name in drams(by_kind["scenario"]["system"])]
    by_schedule = run(levee, scenario, overrides + prices)
    columns = []
    for figure in FIGURES:
        kind = by_kind["metrics"].get(figure)
        columns.append(f"{by_schedule['metrics'][figure] / kind:8.4f}" if kind else f"{'':8}")
    host = by_schedule["metrics"]["host.cpu_s"] / by_kind["metrics"]["host.cpu_s"]
    print(f"{scenario:24} {' '.join(columns)} {host:6.1f}  {' '.join(overrides)}", flush=True)


def main():
    levee = sys.argv[1]
    print(f"{'':24} {'run':>8} {'prefill':>8} {'decode':>8} {'host':>6}")
    if len(sys.argv) > 2:
        compare(levee, sys.argv[2], [text for text in sys.argv[3:] if text != "--set"])
        return
    for scenario, overrides in RUNS:
        compare(levee, scenario, overrides)


main()
