# SPDX-License-Identifier: Apache-2.0
"""Proves for all inputs that modules of the RTL agree with a second description of them.

    python3 test/rtl/proofs [--list] [--keep FOLDER] [NAME...]

proofs.yaml has the claims. For each claim, NAME.sv in this folder has a second description that contains the
module. Its assertions must hold in every cycle, for all inputs that satisfy its assumptions. Registers begin
with any values, except those with an initial value and those of a claim with `from_zero`. Yosys makes a circuit
of both descriptions. ABC, which comes with Yosys, decides:

    every depth   by induction: ABC finds the invariant and verifies it (`pdr`); `iprove` without registers
    N cycles      N cycles from the reset, or from any values of the registers (`bmc3`)

Each proof must then fail with each of its faults, which are changes of one text in a copy of the module. Without
Yosys the test is skipped (77). If a claim does not hold, the program prints inputs that refute it, cycle by
cycle.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parents[2] / "rtl"
ABC = next(filter(shutil.which, ("yosys-abc", "berkeley-abc")), None)


def fail(text):
    sys.exit(f"proofs: {text}")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_design(proof, folder):
    for file in proof["design"]:
        shutil.copy(RTL / file, folder)
    for file in (RTL / "common").glob("*.svh"):
        shutil.copy(file, folder)


def plant(fault, folder):
    path = folder / Path(fault["in"]).name
    text = path.read_text(encoding="utf-8")
    if text.count(fault["replace"]) != 1:
        fail(f"{fault['in']}: expected exactly one place with the text that a fault replaces: {fault['replace']}")
    path.write_text(text.replace(fault["replace"], fault["with"]), encoding="utf-8")


def make_circuit(proof, folder):
    """Turns assertions and assumptions into outputs of a circuit. Assertions inside the module under test are
    ignored."""
    name = proof["name"]
    files = " ".join(Path(file).name for file in proof["design"])
    sizes = "".join(f" -chparam {key} {value}" for key, value in proof.get("size", {}).items())
    run(["yosys", "-q", "-p", f"""
        read_verilog -sv -DSYNTHESIS -I . {files}
        read_verilog -sv -formal {HERE / name}.sv
        hierarchy -check -top {name}_proof{sizes}
        prep -flatten -top {name}_proof
        select -assert-min 1 t:$assert
        opt_clean; memory_map; async2sync; opt -nodffe -nosdff; techmap; opt -fast -nodffe -nosdff
        dffunmap; simplemap; abc -fast -g AND; opt_clean
        write_aiger -vmap inputs circuit.aig"""], folder)


def engine_of(proof, folder):
    """Returns ABC's commands, and the output that states that a claim holds."""
    if not re.search("^latch ", (folder / "inputs").read_text(encoding="utf-8"), re.M):
        return "orpos; iprove", "UNSATISFIABLE"
    # Assumptions and initial values become logic. A single output is 1 if the claim is wrong.
    first = "" if proof.get("from_zero") else "logic; undc; "
    prepare = f"{first}strash; fold; orpos; scorr; "
    if "cycles" in proof:
        return f"{prepare}bmc3 -F {proof['cycles']}", f"No output asserted in {proof['cycles']} frames"
    return f"{prepare}pdr", "Property proved."


def decide(proof, folder):
    """Returns whether the claim holds, according to ABC."""
    engine, proved = engine_of(proof, folder)
    said = run([ABC, "-c", f"read_aiger circuit.aig; {engine}; write_cex -n -f refutation"], folder)
    if re.search(r"was asserted in frame \d+|^SATISFIABLE", said, re.M):
        return False
    return proved in said or fail(f"{proof['name']}: ABC could neither prove nor refute the claim:\n{said}")


def refutation(folder):
    """Returns the inputs of each cycle, one line per cycle."""
    bits = {}
    for line in (folder / "inputs").read_text(encoding="utf-8").splitlines():
        kind, number, bit, *name = line.split(None, 3)
        if kind == "input":
            bits[int(number)] = (name[0], int(bit))
    cycles = {}
    for number, cycle, value in re.findall(r"pi(\d+)@(\d+)=(\d)", (folder / "refutation").read_text(encoding="utf-8")):
        if int(number) in bits:
            name, bit = bits[int(number)]
            values = cycles.setdefault(int(cycle), {})
            values[name] = values.get(name, 0) | int(value) << bit
    return [f"  cycle {cycle}: " + " ".join(f"{name}={value:x}" for name, value in values.items())
            for cycle, values in sorted(cycles.items())]


class Folder:
    """A folder for one proof: a temporary one, or one below a folder that the user keeps."""

    def __init__(self, keep, name):
        self.kept = Path(keep) / name if keep else None

    def __enter__(self):
        if self.kept:
            self.kept.mkdir(parents=True, exist_ok=True)
            return self.kept
        self.temporary = tempfile.TemporaryDirectory()
        return Path(self.temporary.name)

    def __exit__(self, *_):
        if not self.kept:
            self.temporary.cleanup()


def holds(proof, keep, fault=None):
    part = f"fault_{proof['faults'].index(fault) + 1}" if fault else "claim"
    with Folder(keep, f"{proof['name']}/{part}") as folder:
        copy_design(proof, folder)
        if fault:
            plant(fault, folder)
        make_circuit(proof, folder)
        proved = decide(proof, folder)
        if not proved and not fault:
            print(*refutation(folder), sep="\n")
        return proved


def prove(proof, keep):
    """Prints the claim, its bounds and the findings. Returns whether all is as expected."""
    size = ", ".join(f"{key} {value}" for key, value in proof.get("size", {}).items()) or "its own"
    depth = f"{proof['cycles']} cycles" if "cycles" in proof else "every depth"
    print(f"{proof['name']}: {proof['claim']}\n  size: {size}\n  depth: {depth}", flush=True)
    began = time.monotonic()
    right = holds(proof, keep)
    print(f"  {'proved' if right else 'REFUTED by the inputs above'} in {time.monotonic() - began:.1f} s", flush=True)
    for fault in proof["faults"]:
        missed = holds(proof, keep, fault)
        right = right and not missed
        print(f"  {'NOT FOUND' if missed else 'found'}: {fault['replace']}  ->  {fault['with']}", flush=True)
    print(f"  {time.monotonic() - began:.1f} s with its faults", flush=True)
    return right


def parse(arguments):
    parser = argparse.ArgumentParser(prog="proofs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only print the claims")
    parser.add_argument("--keep", metavar="FOLDER", help="keep sources, circuits and counterexamples in this folder")
    parser.add_argument("names", metavar="NAME", nargs="*", help="name of a proof (default: all)")
    return parser.parse_args(arguments)


def read_proofs(names):
    import yaml  # pylint: disable=import-outside-toplevel
    proofs = {proof["name"]: proof for proof in yaml.safe_load((HERE / "proofs.yaml").read_text(encoding="utf-8"))}
    unknown = [name for name in names if name not in proofs]
    if unknown:
        fail(f"there is no proof '{unknown[0]}'; expected one of {', '.join(proofs)}")
    few = [name for name, proof in proofs.items() if len(proof["faults"]) < 3]
    if few:
        fail(f"{few[0]}: has fewer than three faults; expected three or more")
    return [proofs[name] for name in names or proofs]


def main():
    options = parse(sys.argv[1:])
    try:
        proofs = read_proofs(options.names)
    except ImportError:
        print("skipped: python3-yaml is not installed")
        sys.exit(77)
    if options.list:
        for proof in proofs:
            print(f"{proof['name']}: {proof['claim']}")
        return
    if not shutil.which("yosys") or not ABC:
        print("skipped: yosys is not installed (Debian's package yosys, with berkeley-abc)")
        sys.exit(77)
    wrong = [proof["name"] for proof in proofs if not prove(proof, options.keep)]
    if wrong:
        fail(f"these proofs did not end as claimed: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
