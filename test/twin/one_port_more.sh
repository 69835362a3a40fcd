#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one_port_more.sh COMPILER VERILATOR INCLUDES: changes a copy of this folder as in rtl/first_twin.md ("One port more").
# Verilator must accept it, and the table of ports and the driver must match it. A name in the table that the RTL lacks
# must be a compiler error.
set -eu
compiler=$1
verilator=$2
includes=$3
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

mkdir "$copy/test"
cp -r "$root/test/twin" "$copy/test"
for file in inverter.sv pins.hpp driver.cpp; do
    "$root/test/docs/apply_diffs.py" "$root/rtl/first_twin.md" "$root/test/twin/$file" "$copy/test/twin/$file"
done
cd "$copy"
"$verilator" --cc --Mdir made --prefix Vmade --top-module inverter -Wall --x-initial unique --trace-fst --savable \
    -I"$root/rtl/common" -GWidth=16 test/twin/inverter.sv
for source in "$root/core/rtl/verilated_pins.cpp" test/twin/driver.cpp; do
    # shellcheck disable=SC2086 # a list of words
    $compiler -std=c++20 -fsyntax-only -I"$copy" -I"$root" -isystem "$includes" -isystem "$includes/vltstd" -isystem made \
        -DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0 \
        -DLEVEE_DESIGN=Vmade '-DLEVEE_DESIGN_HEADER="Vmade.h"' -DLEVEE_DESIGN_MODEL=design \
        '-DLEVEE_DESIGN_PINS="test/twin/pins.hpp"' -DLEVEE_DESIGN_NAMESPACE=inverter -DLEVEE_DESIGN_PARAMETERS=.Width=16 \
        "$source"
done
