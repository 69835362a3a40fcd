#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debug.sh LEVEE FIRMWARE FOLDER GDB: starts GDB in the terminal of a run. GDB must stop in the run,
# return its own exit code, and leave no run behind. Exits with 77 if there is no GDB.
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
[ "$code" = 3 ] || fail "the exit code is $code; expected GDB's exit code 3"
grep -q "^Breakpoint 1, main" log || fail "it did not stop in main"
grep -q "42" log || fail "GDB did not read its commands"
grep -q '"clock": "500 MHz"' here/results.json || fail "options did not reach the run, or it left no results"
printf 'continue\n' | "$levee" debug ./hello.elf --out there --no-report >log 2>&1 || fail "a run to its end failed"
grep -q "exited normally" log || fail "GDB did not report the end of the run"

# The program jumps to itself forever; GDB detaches.
printf 'break main\ncontinue\ndelete\nset {short}$pc = 0xa001\ndetach\nquit\n' |
    "$levee" debug ./hello.elf --out left --no-report >log 2>&1 || fail "a detach failed"
grep -q "ended, since its debugger left" left/results.json || fail "the results do not say why it ended"
grep -q '"core.instructions"' left/results.json || fail "a run whose GDB detached left no results"

LEVEE_GDB=no-such-gdb "$levee" debug ./hello.elf >log 2>&1 && fail "a GDB that does not exist was found"
grep -q "no-such-gdb cannot be started: .*gdb-multiarch" log || fail "a GDB that does not exist was not named"
"$levee" debug ./hello.elf --max-sim-time never >log 2>&1 && fail "an invalid option was accepted"
grep -q "'never' is not a time" log || fail "the run's refusal was not passed on"
for option in "--gdb 4000" --gdb=4000 "--gdb-wait no" --gdb-once; do
    code=0
    LEVEE_GDB=true "$levee" debug ./hello.elf $option >log 2>&1 || code=$?
    [ "$code" = 2 ] || fail "$option was accepted, with exit code $code"
    grep -q "^${option%% *}: 'debug' opens the port for GDB itself" log || fail "the refusal of $option does not say why"
done
PATH=/nowhere LEVEE_GDB= "$levee" debug ./hello.elf >log 2>&1 && fail "a GDB was found in no folder"
grep -q "^gdb-multiarch cannot be started" log || fail "an empty LEVEE_GDB does not mean the usual GDB"
# Programs that end without continuing the run.
code=0
LEVEE_GDB=true "$levee" debug ./hello.elf --out none >log 2>&1 || code=$?
[ "$code" = 1 ] || fail "GDB did not reach the run, and the exit code is $code"
grep -q "'true' has ended without continuing the run" log || fail "the message does not say that GDB did not reach the run"
printf '#!/bin/sh\nexit 7\n' >seven
chmod +x seven
code=0
LEVEE_GDB=./seven "$levee" debug ./hello.elf --out none >log 2>&1 || code=$?
[ "$code" = 7 ] || fail "GDB's own exit code was lost"
"$levee" debug ./none.elf >log 2>&1 && fail "a file that does not exist was accepted"
echo "passed"
