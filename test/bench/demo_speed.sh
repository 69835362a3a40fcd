#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo_speed.sh [BUILD]: prints the host speed of the demo on one core, the median of five runs. Also prints the speed
# of a fixed native loop, so that figures from different machines and days can be compared.
set -eu
build=$(cd "${1:-$(dirname "$0")/../../build}" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

figure() { # figure NAME: prints a metric from results.json
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$out/results.json"
}
median() { sort -g | sed -n 3p; }

run_five() { # run_five NAME: prints the median of the metric over five runs
    for _ in 1 2 3 4 5; do
        taskset -c 0 "$build/platform/levee" run demo --quiet --out "$out" \
            --set workload.stop_token=none
        figure "$1"
    done | median
}

echo "calibrate             $("$build/test/bench/calibrate/calibrate" | tail -n 1)"
echo "host.tokens_per_s     $(run_five host.tokens_per_s)"
echo "host.peak_memory_bytes $(figure host.peak_memory_bytes)"
