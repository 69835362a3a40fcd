# SPDX-License-Identifier: Apache-2.0
"""Makes single-fault variants of a SystemVerilog design in one file. A plusarg selects one of them at run time.

    mutate [--only N] TOP OUTPUT.sv LIST.tsv INPUT.sv...

In OUTPUT every fault is a choice `levee_mutant_pkg::selected == N ? faulty : right`. The plusarg +levee_mutant=N
selects a fault; 0 is the unchanged design. With --only N the choice is fixed, which makes a design with that
fault for tools that do not simulate. LIST has one line for each fault, with these fields separated by tabs:
number, file, statement (#2: the second of its kind in the file), rule, original and faulty text. Assertions are
unchanged.

The rules (rules.py) are comparison (another one), adder (+ and -), logic (&& and ||, & and |, a negation lost, a
reduction by another gate), shift (the other direction), mux (swapped, stuck; also of an if), index (the
neighbouring bit, slice or element), width (the top bit of a slice, of a cast or of an assigned value lost),
constant (off by one, inverted), and reset (inverted value, none).

The program understands synthesisable designs in lowRISC style, and refuses others.
"""
import re
import sys

from design import Design


def flat(text):
    return re.sub(r"\s+", " ", text)


class Mutants:
    """The faults of all files, numbered from 1."""

    def __init__(self):
        self.lines = []
        self.statements = {}

    def place(self, path, statement):
        """Returns a statement's name. It contains no line numbers, since every edit would change them."""
        name = re.sub(r".*/rtl/", "", path) + "\t" + flat(statement)
        self.statements[name] = count = self.statements.get(name, 0) + 1
        return name if count == 1 else f"{name} #{count}"

    def add(self, place, rule, original, faulty):
        self.lines.append("\t".join([str(len(self.lines) + 1), place, rule, flat(original), flat(faulty)]))
        return len(self.lines)


def main():
    arguments = sys.argv[1:]
    only = None
    if arguments[:1] == ["--only"]:
        only, arguments = arguments[1], arguments[2:]
    if len(arguments) < 4:
        sys.exit(__doc__)
    top, output, listing, inputs = arguments[0], arguments[1], arguments[2], arguments[3:]
    mutants = Mutants()
    designs = [Design(path, mutants).mutated(None if only else top) for path in inputs]
    selected = f"localparam int selected = {only}" if only else "int unsigned selected"
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"package levee_mutant_pkg;\n  {selected};\nendpackage\n\n")
        file.write("\n".join(designs))
    with open(listing, "w", encoding="utf-8") as file:
        file.write("\n".join(mutants.lines) + "\n")


if __name__ == "__main__":
    main()
