#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scale.sh [BUILD [full]]: prints how the host cost of a timing-only run of Llama2-7B on Kelle grows. It prints the CPU
# time per layer and decode step, with 8, 16 and 32 layers, and with 512, 1024 and 2048 steps. The cost is linear if all
# lines have the same time. With `full` the whole PG19 run follows, which takes a minute.
set -eu
levee=$(cd "${1:-$(dirname "$0")/../../build}" && pwd)/platform/levee
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cpu_s() { # cpu_s OVERRIDE...: prints the CPU seconds of a run
    set -- $(for override in "$@"; do echo "--set $override"; done)
    ("$levee" run kelle/kelle_edram --quiet --out "$out" "$@" >"$out/log" 2>&1 ||
        cat "$out/log" >&2
        times) | awk 'NR == 2 { split($1, user, /[ms]/); split($2, kernel, /[ms]/)
                      print 60 * (user[1] + kernel[1]) + user[2] + kernel[2] }'
}

line() { # line LAYERS STEPS: prints the additional time compared with a run of one step, which excludes the prefill
    first=$(cpu_s sampling=off model.shape.layers="$1" workload.max_new_tokens=2)
    whole=$(cpu_s sampling=off model.shape.layers="$1" workload.max_new_tokens=$(($2 + 2)))
    echo "$1 $2 $first $whole" | awk '{ printf "%2d layers, %4d steps   %5.1f us for a layer-step\n",
                                        $1, $2, ($4 - $3) * 1e6 / $1 / $2 }'
}

for layers in 8 16 32; do line $layers 512; done
for steps in 1024 2048; do line 32 $steps; done
if [ "${2:-}" = full ]; then
    echo "PG19, everything       $(cpu_s sampling=off) s"
    sed -n 's/^ *"host.peak_memory_bytes": \([0-9]*\),*$/peak memory            \1 bytes/p' "$out/results.json"
    echo "PG19, sampled          $(cpu_s) s"
fi
