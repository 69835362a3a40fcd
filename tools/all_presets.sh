#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# all_presets.sh [PRESET...]: builds and tests presets of CMakePresets.json (default: the six below). Ends with one line
# for each preset: passed or FAILED. JOBS: number of parallel processes.
set -u
cd -- "$(dirname -- "$0")/.." || exit

[ $# -gt 0 ] || set -- release debug address+undefined thread clang coverage
jobs=${JOBS:-$(nproc)}

verify() {
    cmake --preset "$1" && cmake --build --preset "$1" --parallel "$jobs" && ctest --preset "$1" -j "$jobs"
}

failed=0
summary=
for preset in "$@"; do
    if verify "$preset"; then
        outcome=passed
    else
        outcome=FAILED
        failed=1
    fi
    summary="$summary$preset $outcome
"
done
printf '%s' "$summary"
exit $failed
