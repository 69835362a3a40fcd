#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the table of docs/results.md has every reported metric. It examines runs that together report every
metric, and the names in the firmware's sources.

    metrics.py LEVEE_PROGRAM
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUP = "(high|low)_(msb|lsb)"
STANDS_FOR = {"phase": "(prefill|decode|other)", "group": GROUP, "n": "[0-9]+", "figure": "[a-z0-9_.]+"}
NAME = "[a-z0-9_]+"

RUNS = {
    "hello": ["system={extends: systems/flash.yaml}"],
    "demo": ["workload.max_new_tokens=4", "system.core.icache={size: 4 KiB, line: 64 B, ways: 2}",
             "system.core.dcache={size: 4 KiB, line: 64 B, ways: 2}"],
    "cambricon/experts": ["workload.max_new_tokens=2"],
    "perplexity": ["workload.max_tokens=40"],
    "recall": ["workload.max_stories=1"],
    "pim/retransformer": ["workload.max_new_tokens=4"],
    "pim/retrieval": ["workload.max_tokens=40"],
    "pim/cpq": ["workload.max_new_tokens=4", "system.blocks.cpq.calibrate=0.5"],
    "dram_standards": ["tech.energy=tech/energy/dram_currents_spread.yaml",
                       "system.memories.dram.self_refresh={after: 1 us}"],
    "two_drams": ["workload.max_new_tokens=4", "sampling=off", "workload.prompt_tokens=8"],
    "kelle/demo": ["workload.max_new_tokens=4", "system.blocks.evictor.impl=lockstep"],
    "kelle/recall_decaying": ["workload.max_stories=1", "system.blocks.evictor.impl=rtl_cycle"],
    "kelle/attention_block": [],
    "pim/titanus_125m": [],
    "veda/demo": ["system={extends: systems/veda_adder_tree.yaml}", "model.columns_first=[]",
                  "workload.max_new_tokens=2"],
    "conversation": [f"workload.speculation={{draft: {{image: {ROOT}/models/embedded/stories.levee}}}}",
                     "workload.sampling=greedy", "workload.temperature=null",
                     "tech={energy: tech/energy/kelle_events.yaml}", "workload.save={memory: sram}"],
    "requests": ["workload.requests.count=2", "workload.requests.limits={first_token: 1 s}",
                 "workload.requests.prefix_block=16", "workload.requests.prefix_tokens=256", "model.shape.layers=1"],
    "kelle/kelle_edram": ["sampling.steps=2", "sampling.chunks=2", "workload.batch=2"],
}

# Figures that no shipped scenario has: overflows (test/system/overflow_test.cpp), and machines in which only some
# off-chip memories have areas.
ELSEWHERE = ("<block>.overflows", "area.off_chip_known_mm2", "area.off_chip_unknown")

# A run whose counter a script sets.
SCRIPTED = ("demo", "at start\nset counter 0 = 1\n")


def documented():
    """Returns a regular expression for each name in the first column of the table under "Metrics"."""
    text = (ROOT / "docs/results.md").read_text().split("## Metrics")[1]
    names = []
    for line in text.splitlines():
        if line.startswith("| `"):
            names += re.findall("`([^`]+)`", line.split(" | ")[0])
    assert len(names) > 50, "docs/results.md: no table of metrics"
    lists = [n for n in names if n.endswith(".*")]
    plain = [n for n in names if n not in lists]
    for every in lists:  # `energy_<list>.*`: everything that begins with `energy.`
        prefix = every[: -len(".*")]
        kind = prefix.split("_<")[0]
        plain += [prefix + n[len(kind):] for n in plain if n.startswith(kind + ".")]
    return {name: pattern(name) for name in plain}


def pattern(name):
    parts = re.split("<([a-z]+)>", name)
    text = "".join(STANDS_FOR.get(p, NAME) if i % 2 else re.escape(p) for i, p in enumerate(parts))
    return re.compile(text)


def metrics_of(value):
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("metrics"), dict):
        return list(value["metrics"])
    return [name for inner in value.values() for name in metrics_of(inner)]


def in_runs(program):
    with tempfile.TemporaryDirectory() as folder:
        for scenario, overrides in RUNS.items():
            out = pathlib.Path(folder) / scenario
            yield from in_run(program, scenario, out, [word for text in overrides for word in ("--set", text)])
        scenario, script = SCRIPTED
        file = pathlib.Path(folder) / "script"
        file.write_text(script)
        yield from in_run(program, scenario, pathlib.Path(folder) / "scripted", ["--script", str(file)])


def in_run(program, scenario, out, options):
    subprocess.run([program, "run", scenario, "--quiet", "--out", str(out), *options], check=True, capture_output=True)
    yield from ((name, scenario) for name in metrics_of(json.loads((out / "results.json").read_text())))


def in_firmware():
    for file in sorted((ROOT / "firmware").rglob("*.[ch]")):
        for name in re.findall(r'(?:hostlink_metric_[a-z0-9]+\(|#define LEVEE_FIGURE_[A-Z_]+ )"([^"%]+)"', file.read_text()):
            yield name, str(file.relative_to(ROOT))


def main():
    patterns = documented()
    used, missing = set(), {}
    for name, where in [*in_runs(sys.argv[1]), *in_firmware()]:
        matching = [known for known, regex in patterns.items() if regex.fullmatch(name)]
        used.update(matching)
        if not matching:
            missing.setdefault(name, where)
    for name, where in sorted(missing.items()):
        print(f"{where} reports {name}, which docs/results.md does not list")
    idle = [name for name in patterns
            if name not in used and name not in ELSEWHERE and not re.match("(energy|area)_<", name)]
    for name in idle:
        print(f"docs/results.md lists {name}, which no run reports")
    return 1 if missing or idle else 0


if __name__ == "__main__":
    sys.exit(main())
