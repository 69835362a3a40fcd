# SPDX-License-Identifier: Apache-2.0
"""Synthesises a design with Yosys, and prints the clock that it can meet.

    synthesis FOLDER TOP FILE.sv...

FOLDER/TOP.tsv states the design's number of flip-flops, its process node, and the levels of logic of its
stages; FOLDER/TOP.sdc states its clock. Errors are constructs that cannot be synthesised, a latch, another
number of flip-flops, a stage with more levels than stated, and a path longer than the clock's period. Without
Yosys the test is skipped (77).

Modules are mapped separately to two-input gates, and restructured for few levels (ABC's `if -g`). The delay of a
path is the sum of its gates' delays (rtl/common/gate_delay.tsv). Paths begin and end at registers and at the
design's ports.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from netlist import GATES, Netlist

# ABC script: structural cleaning, then restructuring for delay while it still gains, then mapping.
ABC = "+strash;ifraig;scorr;dc2;" + "strash;if,-g,-K,6;" * 5 + "strash;dch,-f;map,-B,0.9"


def read_table(path, parse):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            parse(*line.split("\t"))


class GateDelays:
    """Delays of gates, in FO4."""

    def __init__(self, path):
        self.values, self.gates = {}, {}
        read_table(path, self.parse)
        fan_out = self.values["fan_out"]
        self.of = {f"$_{gate}_": (effort * fan_out + parasitic) / 5
                   for gate, (effort, parasitic) in self.gates.items()}
        if set(self.of) != GATES:
            sys.exit(f"{path}: must state the delays of exactly these gates: {', '.join(sorted(GATES))}")

    def parse(self, key, *fields):
        if key == "gate":
            self.gates[fields[0]] = tuple(map(float, fields[1:]))
        else:
            self.values[key] = float(fields[0])


class Statement:
    """The contents of the design's files."""

    def __init__(self, folder, top):
        self.levels, self.process_nm, self.flip_flops = {}, 0.0, 0
        read_table(folder / f"{top}.tsv", self.parse)
        sdc = (folder / f"{top}.sdc").read_text(encoding="utf-8")
        period = re.search(r"^create_clock .*-period ([\d.]+)", sdc, re.M)
        if not period:
            sys.exit(f"{folder}/{top}.sdc: expected create_clock with -period")
        self.period_ns = float(period.group(1))

    def parse(self, key, *fields):
        if key == "stage":
            self.levels[fields[0]] = int(fields[1])
        elif key == "process_nm":
            self.process_nm = float(fields[0])
        elif key == "flip_flops":
            self.flip_flops = int(fields[0])
        else:
            sys.exit(f"unknown key '{key}'; expected process_nm, flip_flops or stage")


def synthesise(top, files, include, work):
    """Prints the cells and returns the number of flip-flops. The sources are copied first, because the names of
    cells contain their paths, and abc's results depend on names."""
    for source in [*files, *Path(include).glob("*.svh")]:
        shutil.copy(source, work)
    names = " ".join(Path(file).name for file in files)
    gates = ",".join(sorted(gate[2:-1] for gate in GATES - {"$_NOT_"}))
    script = f"""
        read_verilog -sv -I . {names}
        hierarchy -check -top {top}
        synth -noabc -top {top}
        check -assert
        abc -g {gates} -script {ABC}
        opt_clean
        tee -q -o cells stat
        write_json netlist.json
        """
    done = subprocess.run(["yosys", "-q", "-p", script], cwd=work, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    cells = (work / "cells").read_text(encoding="utf-8").rpartition("===")[2]
    if "_DLATCH" in cells:
        sys.exit(f"{top}: there are latches")
    print("\n".join(line for line in cells.splitlines() if re.search(r"Number of cells|\$_", line)))
    return sum(map(int, re.findall(r"\$_S?DFF\w*\s+(\d+)", cells)))


def check(top, flip_flops, netlist, delays, stated):
    """Prints the stages and returns the errors."""
    wrong = []
    if flip_flops != stated.flip_flops:
        wrong.append(f"{flip_flops} flip-flops, expected {stated.flip_flops}")
    fo4_ns = delays.values["fo4_ps_per_nm"] * stated.process_nm / 1000
    print(f"{'stage':40} levels   FO4     ns at {stated.process_nm:g} nm")
    longest = 0.0
    stages = {f"{module}.{end}": found for (module, end), found in netlist.stages.items() if found[1] > 0}
    for stage, (delay, levels) in sorted(stages.items(), key=lambda item: -item[1][0]):
        total = delay + delays.values["flip_flop_fo4"]
        longest = max(longest, total)
        print(f"{stage:40} {levels:6} {total:5.0f} {total * fo4_ns:8.2f}")
        most = stated.levels.get(stage, stated.levels["others"])
        if levels > most:
            wrong.append(f"{stage}: {levels} levels of logic, expected at most {most}")
    wrong += [f"{stage}: stated, but not there" for stage in stated.levels.keys() - stages.keys() - {"others"}]
    print(f"{top} closes at {1000 / (longest * fo4_ns):.0f} MHz ({longest * fo4_ns:.2f} ns)")
    if longest * fo4_ns > stated.period_ns:
        wrong.append(f"the longest path takes {longest * fo4_ns:.2f} ns, the clock's period is {stated.period_ns} ns")
    return wrong


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if not shutil.which("yosys"):
        print("skipped: yosys is not installed")
        sys.exit(77)
    folder, top, files = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    common = folder.parent / "common"
    stated, delays = Statement(folder, top), GateDelays(common / "gate_delay.tsv")
    with tempfile.TemporaryDirectory() as work:
        flip_flops = synthesise(top, files, common, Path(work))
        netlist = Netlist(f"{work}/netlist.json", top, delays.of)
    wrong = check(top, flip_flops, netlist, delays, stated)
    if wrong:
        sys.exit("\n".join([f"{top}:"] + wrong))


if __name__ == "__main__":
    main()
