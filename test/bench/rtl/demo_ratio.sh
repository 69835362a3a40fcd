#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo_ratio.sh LEVEE [RUNS]: prints the processor time of Kelle's demo with the evictor in RTL and in lockstep, as a
# multiple of the all-TLM time. Figures are medians of RUNS (default 5) runs.
set -eu
levee=$1 runs=${2:-5}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
median() {
    for _ in $(seq "$runs"); do
        "$levee" run kelle/demo --quiet --out "$out" --set system.blocks.evictor.impl="$1"
        sed -n 's/.*"host.cpu_s": *\([0-9.e-]*\).*/\1/p' "$out/results.json"
    done | sort -g | sed -n "$(((runs + 1) / 2))p"
}
tlm=$(median tlm)
for impl in rtl lockstep; do
    echo "$impl: $(median $impl) s, tlm: $tlm s" | awk '{ printf "%s  ratio %.2f\n", $0, $2 / $5 }'
done
