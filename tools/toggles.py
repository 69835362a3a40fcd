#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the switchings of a block's netlist in a run, and compares them with the energy of a price list.

    toggles.py FOLDER BLOCK TOP [PARAMETER=VALUE...]

FOLDER has the results of a run from its start, with RTL in the block's place and its waves:

    levee run SCENARIO --set system.blocks.BLOCK.impl=rtl --waves .. --waves-format vcd -o FOLDER

TOP is a design of rtl/designs.cmake; its parameters are those of the run that differ from the module's defaults.
Yosys maps it to two-input gates and flip-flops; the waves' inputs drive them, cycle by cycle. A switching is a
change of a net from one cycle to the next, without glitches, wires and the clock; `loads` weights it by the gates
that the net drives. The table of docs/energy.md comes from these runs and arguments:

    kelle/demo --max-sim-time 340us --set system.blocks.rsa_kv=null, and of system.blocks.rsa: rows=4 columns=4
        rtl=rsa_4x4: rsa rsa Rows=4 Cols=4 Sums=32
        dataflow=output_stationary rtl=rsa_output_4x4: rsa rsa_output
    veda/demo --max-sim-time 244.7us, of system.blocks.veda: rows=4 columns=4 rtl=veda_4x4:
        veda veda_pe_arrays Rows=4 Cols=4 MulStages=1 TreeStages=1 RoundStages=0 PartialSums=1 (2.5 minutes)
    kelle/demo --max-sim-time 1.1ms: evictor systolic_evictor
    all with --set tech.energy=scenarios/tech/energy/one_node.yaml (Kelle: and tech.also=null)
"""
import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GATES = {"NOT": "!{A}", "NAND": "!({A} & {B})", "NOR": "!({A} | {B})", "XOR": "{A} ^ {B}", "XNOR": "!({A} ^ {B})",
         "MUX": "({S} ? {B} : {A})"}
FLIP_FLOP = "$_DFF_P_"


def sources_of(top):
    text = re.sub(r"#.*", "", (ROOT / "rtl/designs.cmake").read_text(encoding="utf-8"))
    found = re.search(rf"levee_design\({top} FOLDER (\w+) SOURCES ([^)]*)\)", text)
    if not found:
        sys.exit(f"toggles.py: rtl/designs.cmake has no design {top}")
    return [ROOT / "rtl" / found[1] / file for file in found[2].split()]


def netlist(top, parameters, work):
    files = " ".join(map(str, sources_of(top)))
    sizes = "".join(f" -chparam {name} {value}" for name, value in parameters)
    gates = ",".join(sorted(set(GATES) - {"NOT"}))
    done = subprocess.run(["yosys", "-q", "-p", f"""
        read_verilog -sv -DSYNTHESIS -I {ROOT}/rtl/common {files}
        hierarchy -check -top {top}{sizes}
        synth -flatten -noabc -run begin:check
        async2sync; dffunmap; simplemap; abc -fast -g {gates}; opt_clean
        write_json {work}/netlist.json"""], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"toggles.py: Yosys cannot read {top} with these parameters:\n{done.stderr}")
    modules = json.loads(Path(f"{work}/netlist.json").read_text(encoding="utf-8"))["modules"]
    return next(module for module in modules.values() if int(module["attributes"].get("top", "0"), 2))


def changes(lines, codes):
    """Returns the new values of the ports at each time: [(name, value)]."""
    found = []
    for line in lines:
        kind, code = line[0], line[1:].rstrip()
        if kind == "#":
            yield found
            found = []
        elif kind in "01" and code in codes:
            found.append((codes[code], int(kind)))
        elif kind == "b":
            bits, code = code.split()
            if code in codes:
                found.append((codes[code], int(bits.replace("x", "0"), 2)))
    yield found


def read_header(lines, names):
    """Returns a dictionary from the codes in the waveform file to the ports' names."""
    codes, scopes = {}, []
    for words in map(str.split, lines):
        if words[:1] == ["$enddefinitions"]:
            break
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"] and scopes == ["TOP"] and words[4] in names:
            codes[words[3]] = words[4]
    return codes


def port_values(path, names):
    """Returns the ports' values in each cycle, at the rising edge of the clock."""
    values = dict.fromkeys(names, 0)
    try:
        lines = open(path, encoding="ascii")
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}; a run with --waves BLOCK --waves-format vcd writes it")
    with lines:
        codes = read_header(lines, values)
        missing = set(names) - set(codes.values())
        if missing:
            sys.exit(f"{path}: no port {min(missing)}; are these waves of this design?")
        for found in changes(lines, codes):
            if ("clk_i", 1) in found:
                yield dict(values)
            values.update(found)


class Nets:
    """The gates of a netlist, sorted so that each gate comes after the gates that drive it."""

    def __init__(self, module):
        self.ports, self.loads, self.order = module["ports"], defaultdict(int), []
        self.flip_flops, gates = [], {}
        for cell in module["cells"].values():
            pins = {name: bits[0] for name, bits in cell["connections"].items()}
            for name, bit in pins.items():
                if name not in "YQC":
                    self.loads[bit] += 1
            if cell["type"] == FLIP_FLOP:
                self.flip_flops.append((pins["Q"], pins["D"]))
            else:
                gates[pins["Y"]] = (cell["type"][2:-1], pins)
        self.sort(gates)

    def sort(self, gates):
        done = set()
        for goal in gates:
            waiting = [goal]
            while waiting:
                bit = waiting[-1]
                missing = [] if bit in done else [operand for name, operand in gates[bit][1].items()
                                                  if name != "Y" and operand in gates and operand not in done]
                waiting.extend(missing)
                if not missing:
                    waiting.pop()
                    if bit not in done:
                        done.add(bit)
                        self.order.append((bit, *gates[bit]))

    def driven(self):
        return [bit for bit, _, _ in self.order] + [bit for bit, _ in self.flip_flops]


def net(bit):
    return f"n[{bit}]" if isinstance(bit, int) else "1" if bit == "1" else "0"


def program(nets):
    """Makes a C program that reads one line of input bits per cycle, prints each cycle's outputs, and finally
    prints how often each net has switched."""
    most = max(bit for bit in nets.driven())
    inputs = [bit for name, port in nets.ports.items() if port["direction"] == "input" and name != "clk_i"
              for bit in port["bits"]]
    outputs = [bit for port in nets.ports.values() if port["direction"] == "output" for bit in port["bits"]]
    most = max([most, *inputs])
    logic = "\n".join(f"  {net(bit)} = " + GATES[gate].format(**{name: net(pin) for name, pin in pins.items()}) + ";"
                      for bit, gate, pins in nets.order)
    sampled = "\n".join(f"  d[{i}] = {net(d)};" for i, (_, d) in enumerate(nets.flip_flops))
    moved = "\n".join(f"  {net(q)} = d[{i}];" for i, (q, _) in enumerate(nets.flip_flops))
    return f"""#include <stdio.h>
#include <string.h>
static unsigned char n[{most + 1}], last[{most + 1}], d[{len(nets.flip_flops) + 1}];
static long count[{most + 1}];
static void settle(void) {{
{logic}
}}
static void edge(void) {{
{sampled}
{moved}
}}
int main(void) {{
  static const int in[] = {{{",".join(map(str, inputs))}}}, out[] = {{{",".join(map(net_number, outputs))}}};
  static char line[{len(inputs) + 2}];
  while (fgets(line, sizeof line, stdin)) {{
    if (*line == '\\n') continue;
    for (unsigned i = 0; i < sizeof in / sizeof *in; ++i) n[in[i]] = line[i] == '1';
    settle();
    for (unsigned i = 0; i < sizeof out / sizeof *out; ++i) putchar('0' + (out[i] < 0 ? out[i] == -1 : n[out[i]]));
    putchar('\\n');
    for (int i = 0; i <= {most}; ++i) count[i] += n[i] != last[i];
    memcpy(last, n, sizeof n);
    edge();
  }}
  for (int i = 0; i <= {most}; ++i) printf("%d %ld\\n", i, count[i]);
}}
"""


def net_number(bit):
    return str(bit) if isinstance(bit, int) else "-1" if bit == "1" else "-2"


def bits_of(value, count):
    return "".join("1" if value >> i & 1 else "0" for i in range(count))


def simulate(nets, waves, work):
    """Returns how often each net has switched, the number of cycles, and the number of cycles in which the outputs
    equal those of the waves."""
    Path(f"{work}/netlist.c").write_text(program(nets), encoding="utf-8")
    subprocess.run(["cc", "-O0", "-o", f"{work}/netlist", f"{work}/netlist.c"], check=True)
    of_direction = {way: [(name, len(port["bits"])) for name, port in nets.ports.items()
                          if port["direction"] == way and name != "clk_i"] for way in ("input", "output")}
    lines, expected = [], []
    for values in port_values(waves, nets.ports):
        lines.append("".join(bits_of(values[name], bits) for name, bits in of_direction["input"]))
        expected.append("".join(bits_of(values[name], bits) for name, bits in of_direction["output"]))
    done = subprocess.run([f"{work}/netlist"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()
    same = sum(map(str.__eq__, printed, expected))
    return {int(bit): int(count) for bit, count in map(str.split, printed[len(lines):])}, len(lines), same


def energies(folder, block):
    """For each price list, returns the counts and picojoules of the block's events, without energy that depends
    on time."""
    for path in sorted(folder.glob("energy*.csv")):
        events = defaultdict(lambda: [0, 0.0])
        with open(path, encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if row["component"] == block and row["event"] != "static":
                    events[row["event"]][0] += int(row["count"])
                    events[row["event"]][1] += int(row["attojoules"]) / 1e6
        yield path.stem, events


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if any("=" not in item for item in sys.argv[4:]):
        sys.exit("toggles.py: expected parameters as NAME=VALUE")
    folder, block, top = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    parameters = [item.split("=", 1) for item in sys.argv[4:]]
    with tempfile.TemporaryDirectory() as work:
        nets = Nets(netlist(top, parameters, work))
        counts, cycles, same = simulate(nets, folder / f"{block}.waves.vcd", work)
    if cycles == 0:
        sys.exit(f"{folder}/{block}.waves.vcd: the waves have no clock cycle, because the block did nothing")
    switchings = sum(counts[bit] for bit in nets.driven())
    loads = sum(counts[bit] * nets.loads[bit] for bit in nets.driven())
    print(f"{top}: {len(nets.order)} gates, {len(nets.flip_flops)} flip-flops, {cycles} cycles, outputs as in the waves "
          f"in {same}\n{switchings} switchings, {loads} loads")
    for name, events in energies(folder, block):
        total = sum(energy for _, energy in events.values())
        print(f"{name}: {total:.1f} pJ" + (f", {1000 * total / loads:.4f} fJ a load" if total else ""))
        for event, (count, energy) in events.items():
            print(f"  {event}: {count}, {energy / count if count else 0:.4f} pJ and {loads / max(count, 1):.1f} loads each")


if __name__ == "__main__":
    main()
