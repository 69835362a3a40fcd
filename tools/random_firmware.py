#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random descriptors on machines (test/firmware/random, fuzz/README.md), and checks each run from outside.

    tools/random_firmware.py --programs 1000            # a thousand programs on every shipped machine
    tools/random_firmware.py --seed 7 kelle/systems/kelle.yaml kelle/demo.yaml

A machine is a file below scenarios/: a system, which gets no model, or a scenario. A folder means all its
machines. Program i has the seed --seed + i. A run passes if
  - the program ends with exit code 0, which states that it has found no error;
  - platform and program count the same numbers of executed and of refused descriptors for each queue;
  - the lines of energy.csv add up to every sum of energies in results.json.
Files of runs that fail stay in --out.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
PRICES = TREE / "test/firmware/random/prices.yaml"
NO_MACHINES = ("veda/systems/eight_hbm.yaml",)  # a file that describes only a memory, for another system
# Statistical runs need the sizes of compressed rows, which the compression block of a shipped system does not state.
UNKNOWN_SIZES = "a timing-only run from statistics; expected the block's 'expected'"
FOLDERS = ("systems", "hybrids/systems", "kelle/systems", "veda/systems", "cambricon/systems", "pim/systems")
DEMOS = ("cambricon/demo.yaml", "hybrids/crossbars_kelle.yaml", "hybrids/flash_cpq.yaml", "hybrids/flash_joined.yaml",
         "hybrids/flash_kelle.yaml", "hybrids/flash_veda.yaml", "hybrids/kelle_cam.yaml", "kelle/demo.yaml",
         "pim/retransformer.yaml", "pim/titanus_demo.yaml", "veda/demo.yaml")


def shipped_machines():
    scenarios = TREE / "scenarios"
    systems = [str(file.relative_to(scenarios)) for folder in FOLDERS for file in sorted((scenarios / folder).glob("*.yaml"))]
    return [system for system in systems if system not in NO_MACHINES] + list(DEMOS)


def machines_of(name):
    """Returns the file itself, or all machines in a folder of scenarios/."""
    if name.endswith(".yaml"):
        return [name]
    return [machine for machine in shipped_machines() if machine.startswith(f"{name}/" if name else "")]


def check_energy(out, metrics):
    """Compares the lines of energy.csv with the sums of results.json."""
    sums = collections.Counter()
    with open(out / "energy.csv", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            attojoules = int(line["attojoules"])
            for name in (f"energy.{line['component']}_j", f"energy.operation.{line['operation']}_j",
                         f"energy.phase.{line['phase']}_j", "energy.total_j"):
                sums[name] += attojoules
    for name, attojoules in sums.items():
        reported = metrics.get(name, 0)
        if not math.isclose(reported, attojoules / 10**18, rel_tol=1e-12):
            yield f"{name} is {reported!r}, energy.csv has {attojoules} aJ"
    chips = metrics["energy.on_chip_j"] + metrics["energy.off_chip_j"]
    if not math.isclose(chips, metrics["energy.total_j"], rel_tol=1e-12):
        yield f"energy on and off chip is {chips!r}, but the total is {metrics['energy.total_j']!r}"


def check_counts(text, log, metrics):
    """Compares the program's counts of descriptors with the platform's."""
    stops = collections.Counter(line.split("] stopped:")[0][1:] for line in log.splitlines() if "] stopped:" in line)
    for line in text.splitlines():
        words = line.split()
        if words[:1] != ["queue"]:
            continue
        name, executed, refused = words[1], int(words[2]), int(words[3])
        if metrics[f"{name}.operations"] != executed:
            yield f"{name} has executed {metrics[f'{name}.operations']} descriptors, the program counts {executed}"
        # If a queue was reset while it ran, it may have stopped before the program looked.
        if stops[name] < refused or stops[name] > refused and words[4:] != ["at", "least"]:
            yield f"{name} was reported to stop {stops[name]} times, the program counts {refused}"


class Run:
    def __init__(self, arguments, machine, seed):
        self.name = f"{machine.removesuffix('.yaml').replace('/', '_')}_{seed}"
        self.folder = arguments.out / self.name
        self.limit = arguments.limit
        self.faults, self.metrics, self.text = [], {}, ""
        self.folder.mkdir(parents=True, exist_ok=True)
        scenario = TREE / "scenarios" / machine
        if machine.startswith(FOLDERS):
            scenario = self.folder / "scenario.yaml"
            scenario.write_text(f"system: {machine}\nworkload: {{app: hello}}\n", encoding="utf-8")
        (self.folder / "input").write_text(f"{seed} {arguments.rounds} {int(not arguments.timing_only)}\n",
                                              encoding="utf-8")
        keys = [f"tech.energy={PRICES}", "tech.also=[]"]
        if arguments.timing_only:
            keys += ["data=timing_only", "decisions.statistics=tech/decisions/embedded.yaml"]
        self.command = [str(arguments.build / "platform/levee"), "run", str(scenario), "--allow-outside",
                        *(f"--set={key}" for key in keys), "--elf", str(arguments.build / "test/firmware/random/random.elf"), "--stdin",
                        str(self.folder / "input"), "--out", str(self.folder / "out"), "--no-report", "--quiet"]

    def run(self):
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, errors="replace", check=False,
                                  timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.faults.append(f"levee has not ended after {self.limit} s")
            return self
        (self.folder / "log").write_text(done.stderr, encoding="utf-8")
        if UNKNOWN_SIZES in done.stderr:
            self.metrics = {"random.skipped": 1}
            return self
        # exit code 7: a check of the platform has warned, for example of rows that overlap
        if done.returncode not in (0, 1, 7):
            self.faults.append(f"levee ended with {done.returncode}: {done.stderr[-300:]}")
            return self
        results = json.loads((self.folder / "out/results.json").read_text(encoding="utf-8"))
        self.metrics, self.text = results["metrics"], results["text"]
        self.faults += [line for line in self.text.splitlines() if line.startswith("finding ")]
        if results["exit_code"] != 0:
            self.faults.append(f"the program ended with {results['exit_code']}")
        self.faults += check_counts(self.text, done.stderr, self.metrics)
        self.faults += check_energy(self.folder / "out", self.metrics)
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TREE / "build")
    parser.add_argument("--out", type=Path, default=TREE / "out/random_firmware")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1, help="number of programs for each machine")
    parser.add_argument("--rounds", type=int, default=100, help="number of rounds of a program")
    parser.add_argument("--limit", type=int, default=1800, help="seconds after which a run counts as hanging")
    parser.add_argument("--timing-only", action="store_true", help="timing-only runs, which move no data")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--operations", action="store_true", help="print how many of each operation were executed")
    parser.add_argument("machines", nargs="*", metavar="MACHINE")
    arguments = parser.parse_args()
    machines = [machine for name in arguments.machines or [""] for machine in machines_of(name)]
    totals, operations, failed = collections.Counter(), collections.Counter(), 0
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.programs)
        runs = pool.map(lambda each: Run(arguments, *each).run(),
                        ((machine, seed) for seed in seeds for machine in machines))
        for run in runs:
            totals["programs"] += 1
            for name in ("submitted", "completed", "refused", "dropped", "waits", "skipped"):
                totals[name] += run.metrics.get(f"random.{name}", 0)
            for line in run.text.splitlines():
                if line.startswith("executed "):
                    operations[line.split()[1]] += int(line.split()[2])
            if run.faults:
                failed += 1
                print(f"{run.folder}:", *run.faults[:8], sep="\n    ", flush=True)
            else:
                shutil.rmtree(run.folder)
    print(", ".join(f"{totals[name]} {name}" for name in totals) + f"; {failed} programs failed")
    if arguments.operations:
        print("\n".join(f"{name} {operations[name]}" for name in sorted(operations)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
