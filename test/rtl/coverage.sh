#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh LEVEE FOLDER: tests that `levee cosim --coverage` counts lines and toggles, adds up runs, and writes the
# input of genhtml.
set -eu
levee=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export LEVEE_RTL_CACHE=$folder/cache

# toggles SEED: runs cosim with the seed, and prints how many bits have toggled in all runs so far.
toggles() {
    "$levee" cosim cim_macro_16x4 --ops 1 --seed "$1" --coverage counts >log || [ $? = 9 ]
    sed -n 's/^ *toggles *\([0-9]*\) of.*/\1/p' log
}

first=$(toggles 1)
both=$(toggles 2)
[ "$first" -gt 100 ] && [ "$both" -gt "$first" ] || {
    echo "toggles of one run: $first, of two: $both"
    exit 1
}
[ -f counts/cim_macro_16x4.seed1.ops1.dat ] && [ -f counts/cim_macro_16x4.seed2.ops1.dat ]
grep -q '^SF:.*cim_macro_column.sv' counts/coverage.info
! grep -q boundary.sv counts/coverage.info
! command -v genhtml >/dev/null || [ -f counts/html/index.html ]
