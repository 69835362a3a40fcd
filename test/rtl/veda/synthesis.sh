#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# synthesis.sh FOLDER: reads the arrays of FOLDER as synthesis does and prints their cells. Anything
# that is not synthesisable is an error. Skipped (77) without yosys.
set -eu
cd "$1"
if ! command -v yosys >/dev/null; then
    echo "skipped: yosys is not installed"
    exit 77
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
yosys -q -p "
    read_verilog -sv veda_pkg.sv fp16_mul.sv fp32_add.sv veda_result.sv veda_pe.sv veda_pe_row.sv veda_pe_array.sv veda_pe_arrays.sv
    hierarchy -check -top veda_pe_arrays
    synth -noabc -top veda_pe_arrays
    check -assert
    tee -q -o $report stat"
sed -n '/=== design hierarchy ===/,$p' "$report" | grep -E 'Number of cells|\$_'
# 128 multipliers and adders, no latch; the product's and the sum's register of each PE.
grep -q 'fp16_mul  *1$' "$report"
if grep -q '_DLATCH' "$report"; then
    echo "there are latches"
    exit 1
fi
flops=$(sed -n '/=== design hierarchy ===/,$p' "$report" | awk '/_DFF/ { sum += $2 } END { print sum + 0 }')
echo "flip-flops: $flops"
[ "$flops" -ge $((128 * 64)) ] && [ "$flops" -lt 9000 ]
