#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# icarus.sh TOP INCLUDE FILE.sv...: checks that a second simulator elaborates a design. Skipped (77) without Icarus.
set -eu
top=$1 include=$2
shift 2
if ! command -v iverilog >/dev/null; then
    echo "skipped: iverilog is not installed"
    exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Ignores Icarus's messages "sorry" about sensitivity lists that it makes wider than necessary.
iverilog -g2012 -I "$include" -s "$top" -o /dev/null "$@" >"$log" 2>&1 || {
    grep -v ' sorry: ' "$log"
    exit 1
}
