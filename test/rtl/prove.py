#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves with Yosys that listed faults of modules without registers change nothing for any inputs.

    prove.py EQUIVALENT_FAULTS.tsv MODULE.sv...

Each MODULE.sv has one module with the name of the file. For each of its faults in the list, SAT compares the
modules with and without the fault (miter -equiv, sat -prove). This is a developer's tool: a proof takes seconds
to minutes.
"""
import subprocess
import sys
import tempfile
from pathlib import Path


def mutate(output, path, *options):
    subprocess.run([sys.executable, Path(__file__).parent / "mutate", *options, path.stem, f"{output}.sv",
                    f"{output}.tsv", path], check=True)


def is_equivalent(right, faulty, module):
    script = f"""
        read_verilog -sv {right}; prep -flatten -top {module}; rename {module} right; design -stash right
        read_verilog -sv {faulty}; prep -flatten -top {module}; rename {module} faulty; design -stash faulty
        design -copy-from right -as right right; design -copy-from faulty -as faulty faulty
        miter -equiv -flatten right faulty miter
        hierarchy -top miter; opt -full
        sat -verify -prove trigger 0 miter
        """
    return subprocess.run(["yosys", "-q", "-p", script], capture_output=True, check=False).returncode == 0


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    listed = {line.rpartition("\t")[0] for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()}
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for path in map(Path, sys.argv[2:]):
            mutate(f"{work}/all", path)
            for line in Path(f"{work}/all.tsv").read_text(encoding="utf-8").splitlines():
                number, _, text = line.partition("\t")
                if text not in listed:
                    continue
                mutate(f"{work}/one", path, "--only", number)
                proved = is_equivalent(path, f"{work}/one.sv", path.stem)
                wrong += not proved
                print("proved " if proved else "NOT PROVED ", text.replace("\t", "  "), flush=True)
    sys.exit(f"{wrong} faults could not be proved to change nothing" if wrong else 0)


if __name__ == "__main__":
    main()
