#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/toggles.py on waves of a small CIM macro that this test makes. Only changes of a net count, each
net counts separately, and energies by price are divided by the counts."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/toggles.py"
SIZE = ["Inputs=2", "Outputs=1", "WeightBits=2", "InputBits=2"]
PORTS = {"clk_i": 1, "rst_ni": 1, "load_valid_i": 1, "load_ready_o": 1, "load_row_i": 1, "load_weights_i": 2,
         "in_valid_i": 1, "in_ready_o": 1, "in_signed_i": 1, "in_last_i": 1, "in_vector_i": 4, "out_valid_o": 1,
         "out_ready_i": 1, "out_sums_o": 7}


def write_waves(path, cycles, ports=PORTS):
    """Writes cycles, each a map of inputs. Inputs that are not in the map are 0."""
    codes = {name: chr(ord("a") + i) for i, name in enumerate(ports)}
    lines = ["$scope module TOP $end", *(f"$var wire {bits} {codes[name]} {name} $end" for name, bits in ports.items()),
             "$upscope $end", "$enddefinitions $end"]
    for i, inputs in enumerate(cycles):
        lines += [f"#{10 * i}", f"0{codes['clk_i']}"]
        lines += [f"b{inputs.get(name, 0):b} {codes[name]}" for name in ports if name != "clk_i"]
        lines += [f"#{10 * i + 5}", f"1{codes['clk_i']}"]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def count(folder, cycles, ports=PORTS):
    write_waves(folder / "cim.waves.vcd", cycles, ports)
    return subprocess.run([sys.executable, "-B", TOOL, folder, "cim", "cim_macro", *SIZE], capture_output=True, text=True,
                          check=False)


def numbers(done):
    assert done.returncode == 0, done.stderr
    return [int(re.search(rf"(\d+) {what}", done.stdout)[1]) for what in ("cycles", "switchings", "loads")]


def main():
    if not shutil.which("yosys") or not shutil.which("cc"):
        print("skipped: yosys or a C compiler is not installed")
        sys.exit(77)
    reset, idle = {}, {"rst_ni": 1}
    work = [idle | {"load_valid_i": 1, "load_weights_i": 1, "load_row_i": row} for row in (0, 1)]
    work += [idle | {"in_valid_i": 1, "in_last_i": 1, "in_vector_i": 9, "out_ready_i": 1}, idle, idle, idle]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "energy.csv").write_text("component,event,operation,phase,count,attojoules\n"
                                           "cim,mac,cim.gemv,decode,4,8000000\ncim,static,background,decode,1,5\n",
                                           encoding="utf-8")
        cycles, short, _ = numbers(count(folder, [reset] + 3 * [idle]))
        assert cycles == 4
        cycles, long, _ = numbers(count(folder, [reset] + 50 * [idle]))
        assert (cycles, long) == (51, short), "idle cycles switch nothing"
        done = count(folder, [reset, *work])
        _, once, loads = numbers(done)
        assert once > short and loads > once
        assert f"energy: 8.0 pJ, {8000 / loads:.4f} fJ a load" in done.stdout, done.stdout
        assert f"mac: 4, 2.0000 pJ and {loads / 4:.1f} loads each" in done.stdout
        _, twice, _ = numbers(count(folder, [reset, *work, *work]))
        assert once < twice < 2 * once + short
        done = count(folder, [reset], {name: bits for name, bits in PORTS.items() if name != "in_last_i"})
        assert done.returncode != 0 and "no port in_last_i" in done.stderr


if __name__ == "__main__":
    main()
