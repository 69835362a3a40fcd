#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# watch.sh LEVEE FIRMWARE FOLDER: tests that a program is run again when its file changes, even if
# the file was or becomes unusable.
set -eu
levee=$1
firmware=$2
folder=$3

fail() {
    echo "failed: $*"
    cat log
    exit 1
}

wait_for() {
    tries=0
    until grep -q -- "$1" log; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "the output lacks '$1'"
        kill -0 "$watcher" 2>/dev/null || fail "levee run --watch has ended"
        sleep 0.05
    done
}

replace() {
    cp "$1" new.elf
    mv new.elf mine.elf
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$levee" run hello --watch >log 2>&1 && fail "nothing to watch was not refused"
grep -q "there is no file to watch" log || fail "the refusal names no reason"
cp "$firmware/hello.elf" mine.elf
"$levee" run --app ./mine.elf --watch --no-report >log 2>&1 &
watcher=$!
trap 'kill "$watcher" 2>/dev/null || true' EXIT
wait_for "run 1 ended with code 0; the next one when ./mine.elf changes"
replace "$firmware/gemv.elf"
wait_for "run 2 ended with code 0"
echo "no program" >text
replace text
wait_for "run 3 ended with code 2"
replace "$firmware/hello.elf"
wait_for "run 4 ended with code 0"
sleep 0.3
[ "$(grep -c -- "--watch: run" log)" = 4 ] || fail "levee run --watch ran again without a change"
kill "$watcher"
wait "$watcher" || true
trap - EXIT
echo "passed"
