#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzing of GDB's packets (fuzz/) with libFuzzer, by Clang with address and undefined-behaviour
# sanitizers:
#   tools/fuzz.sh [SECONDS [HARNESS...]]     each harness for so long (default: 60, all)
# The corpora are build-fuzz/corpus/HARNESS; a finding is left in build-fuzz/findings.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- gdb

cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release \
    -DLEVEE_TESTS=OFF -DLEVEE_FUZZ=ON -DLEVEE_SANITIZE=address,undefined -DLEVEE_UNITY=ON > build-fuzz.log 2>&1 ||
    { cat build-fuzz.log; exit 1; }
mv build-fuzz.log build-fuzz/configure.log
targets=
for harness; do targets="$targets fuzz_$harness"; done
# shellcheck disable=SC2086 # a list
cmake --build build-fuzz --target $targets

mkdir -p build-fuzz/findings
for harness; do
    corpus=build-fuzz/corpus/$harness
    mkdir -p "$corpus"
    "build-fuzz/fuzz/fuzz_$harness" -max_total_time="$seconds" -dict="fuzz/dictionaries/$harness.dict" -rss_limit_mb=4096 -timeout=20 \
        -print_final_stats=1 -artifact_prefix=build-fuzz/findings/"$harness"- "$corpus"
done
