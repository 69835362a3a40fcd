#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# export.sh LEVEE FOLDER: tests the exports of `levee cosim --export`. They run in Icarus Verilog, through Yosys, with
# vectors and with the reference over the VPI. Verilator runs the reference, too. All must find a fault planted in the
# exported design. Verilator must accept both other testbenches. Skipped (77) without these tools.
set -eu
levee=$1 folder=$2
for tool in yosys iverilog make; do
    command -v $tool >/dev/null || {
        echo "skipped: $tool is not installed"
        exit 77
    }
done
# Verilator's library is compiled with each testbench.
OBJCACHE=$(command -v ccache || true)
export OBJCACHE
rm -rf "$folder"
LEVEE_RTL_CACHE=$folder/cache "$levee" cosim cim_macro_16x4 --ops 10 --export "$folder/export"
cd "$folder/export"
# The testbench must use the bits of each pin at these positions.
sed -n 's/^\([a-z_]*\)\t.*\t\([0-9]*\)\t\([0-9]*\)$/\1 \2 \3/p' bits.tsv | while read -r pin high low; do
    grep -q "\.$pin(\(in\|got\)\[$high:$low\])" testbench.sv
done
for testbench in testbench testbench_dpi; do
    verilator --lint-only --timing -Wno-fatal -Wno-lint -Wno-style -f files.f --top-module $testbench $testbench.sv
done
make netlist
# Verilator reads a missing or truncated file of vectors as zeros, Icarus as unknown bits. A run without comparisons
# must not pass.
mv counts.memh counts.whole
for counts in "sed s/[0-9a-f]/0/g counts.whole" "head -n 20 counts.whole" true; do
    $counts >counts.memh
    if make netlist >log || grep ^PASSED log; then
        echo "a run passed although its counts came from: $counts"
        exit 1
    fi
    grep ^FAILED: log
done
mv counts.whole counts.memh
# The exported reference runs, also with another seed.
make OPT=-O0 vpi vpi_verilator
make vpi ARGS="+seed=9 +operations=3"
grep '3 operations, seed 9' vpi.log
sed -i 's/node\[2\*i\] + node/node[2*i] - node/' rtl/cim_macro_tree.sv
if make netlist >log; then
    echo "the planted fault was not found"
    exit 1
fi
grep 'signal out_sums_o: expected' log
for simulator in vpi vpi_verilator; do
    if make $simulator >log; then
        echo "the planted fault was not found by $simulator"
        exit 1
    fi
    grep 'signal     out_sums_o' log
done
