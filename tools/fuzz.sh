#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of Levee's inputs (fuzz/, fuzz/README.md) with libFuzzer. Clang compiles them with the address and
# undefined-behaviour sanitizers.
#   tools/fuzz.sh [RUNS [HARNESS...]]     executes each harness RUNS times (default: 20000, all harnesses)
# Needs clang and its run-time library (Debian: apt-get install clang libclang-rt-14-dev, or that of clang's version).
# Each call adds inputs to the corpora in build-fuzz/corpus/HARNESS, and writes findings to build-fuzz/findings. Each
# call adds lines to build-fuzz/executions.tsv: date, revision, harness, executions, findings.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-20000}
case $runs in
'' | *[!0-9]*)
    echo "fuzz.sh: '$runs' is not a number of executions; usage: tools/fuzz.sh [RUNS [HARNESS...]]" >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] && shift
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(sed -n 's/^levee_door(\([a-z0-9_]*\) .*/\1/p' fuzz/CMakeLists.txt)

command -v clang++ > /dev/null || { echo "fuzz.sh: clang++ is missing; on Debian: apt-get install clang" >&2; exit 2; }
mkdir -p build-fuzz/findings
cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release \
    -DLEVEE_TESTS=OFF -DLEVEE_FUZZ=ON -DLEVEE_SANITIZE=address,undefined -DLEVEE_UNITY=ON > build-fuzz/configure.log 2>&1 ||
    { cat build-fuzz/configure.log; exit 1; }
targets=
for harness; do targets="$targets fuzz_$harness"; done
# shellcheck disable=SC2086 # a list
cmake --build build-fuzz --target $targets

scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")" levee-fuzz.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
failed=0
for harness; do
    corpus=build-fuzz/corpus/$harness log=build-fuzz/$harness.log
    python3 fuzz/seeds.py --harness "$harness" --to "$corpus"
    dictionary=fuzz/dictionaries/$harness.dict
    found=0
    TMPDIR=$scratch "build-fuzz/fuzz/fuzz_$harness" -runs="$runs" ${dictionary:+-dict="$dictionary"} -max_len=65536 \
        -rss_limit_mb=4096 -timeout=60 -print_final_stats=1 -artifact_prefix=build-fuzz/findings/"$harness"- "$corpus" \
        > "$log" 2>&1 || found=1
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%F)" "$(git rev-parse --short HEAD)" "$harness" "${executed:-0}" "$found" \
        >> build-fuzz/executions.tsv
    echo "$harness: ${executed:-0} executions, $found findings"
    [ "$found" -eq 0 ] || { grep -E "ERROR|finding:|runtime error|Test unit written" "$log" || tail -5 "$log"; failed=1; }
done
exit $failed
