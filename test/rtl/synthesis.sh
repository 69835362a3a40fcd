#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# synthesis.sh TOP FLIP_FLOPS FILE.sv...: reads a design as synthesis does and prints its cells.
# Anything that is not synthesisable, a latch, or another number of flip-flops is an error. Skipped
# (77) without yosys.
set -eu
top=$1 expected=$2
shift 2
if ! command -v yosys >/dev/null; then
    echo "skipped: yosys is not installed"
    exit 77
fi
report=$(mktemp)
log=$(mktemp)
trap 'rm -f "$report" "$log"' EXIT
yosys -q -p "read_verilog -sv $*
    hierarchy -check -top $top
    synth -noabc -top $top
    flatten
    check -assert
    tee -q -o $report stat" >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
grep -E 'Number of cells|\$_' "$report"
if grep -q '_DLATCH' "$report"; then
    echo "there are latches"
    exit 1
fi
flip_flops=$(awk '/_DFF|_SDFF/ { sum += $2 } END { print sum + 0 }' "$report")
echo "flip-flops: $flip_flops"
[ "$flip_flops" = "$expected" ] || {
    echo "expected $expected"
    exit 1
}
