#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# instructions.sh RTL_INSTRUCTIONS: prints host instructions per cycle of the evictor's RTL (by valgrind). The RTL runs
# as the bare model, in place of the block's reference, and in lockstep. For the last two, the bare model's share is
# also printed. Each figure is the difference between a longer and a shorter run.
set -eu
program=$1
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 | sed -n 's/.*Collected : //p'
}
short=50000 long=250000
of() {
    echo "$(count "$1" $long) $(count "$1" $short)" | awk -v n=$((long - short)) '{ printf "%.0f", ($1 - $2) / n }'
}
bare=$(($(of bare) - $(of none)))
echo "bare      $bare instructions a cycle"
for mode in rtl lockstep; do
    of $mode | awk -v m=$mode -v b="$bare" '{ printf "%-9s %d instructions a cycle, bare is %.0f %% of it\n", m, $1, 100 * b / $1 }'
done
