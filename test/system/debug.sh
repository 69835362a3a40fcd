#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debug.sh LEVEE FIRMWARE FOLDER GDB in the terminal of a run stops in the run, ends with its own code, and leaves
# no run behind. 77: there is no GDB.
set -eu
levee=$1
firmware=$2
folder=$3

fail() {
    echo "failed: $*"
    cat log
    exit 1
}

command -v gdb-multiarch >/dev/null || { echo "skipped: no gdb-multiarch"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$firmware/hello.elf" .
code=0
printf 'break main\ncontinue\nbacktrace 1\nprint 6 * 7\nquit 3\n' |
    "$levee" debug ./hello.elf --out here --no-report --set system.core.clock="500 MHz" >log 2>&1 || code=$?
[ "$code" = 3 ] || fail "the exit code is $code and not GDB's 3"
grep -q "^Breakpoint 1, main" log || fail "it did not stop in main"
grep -q "42" log || fail "GDB did not read its commands"
grep -q '"clock": "500 MHz"' here/results.json || fail "options did not reach the run, or it left no results"
printf 'continue\n' | "$levee" debug ./hello.elf --out there --no-report >log 2>&1 || fail "a run to its end failed"
grep -q "exited normally" log || fail "the run's end was not seen"

LEVEE_GDB=no-such-gdb "$levee" debug ./hello.elf >log 2>&1 && fail "a GDB that does not exist was found"
grep -q "no-such-gdb cannot be started: .*gdb-multiarch" log || fail "a GDB that does not exist was not named"
"$levee" debug ./hello.elf --max-sim-time never >log 2>&1 && fail "an option that is none was taken"
grep -q "'never' is no time" log || fail "the run's refusal was not passed on"
"$levee" debug ./none.elf >log 2>&1 && fail "a file that does not exist was taken"
echo "passed"
