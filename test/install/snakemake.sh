#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# snakemake.sh SNAKEFILE LEVEE FOLDER: the example's workflow must make the same tables as a plain sweep, even if jobs
# were lost and repeated. Skipped (77) without Debian's snakemake. ./levee test does not install it, because it takes
# 680 MB.
set -eu
snakefile=$1
levee=$2
folder=$3
command -v snakemake >/dev/null || {
    echo "skipped: snakemake is not installed (Debian: apt-get install snakemake)"
    exit 77
}

fail() {
    echo "failed: $*"
    cat log
    exit 1
}

workflow() {
    snakemake --snakefile "$snakefile" --cores 2 --config study=study.yaml out=there shards=3 "levee=$levee" >log 2>&1 ||
        fail "the workflow has failed"
    for table in table.csv points.csv sweep.json; do
        cmp "here/$table" "there/$table" || fail "$table differs"
    done
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >study.yaml <<'STUDY'
scenario: hello.yaml
axes:
  system.core.clock: {from: 100 MHz, to: 4 GHz, steps: 6, scale: log}
  ram: {key: system.memories.ram.size, values: [4 MiB, 8 MiB]}
columns: [sim.seconds, core.cycles]
STUDY
"$levee" sweep study.yaml --out here --quiet
workflow
[ "$(ls there/points-*-of-3.journal | wc -l)" = 3 ] || fail "three shards should have run"
rm there/shards/2 there/points-2-of-3.journal there/table.csv
workflow
[ "$(grep -c '^rule shard' log)" = 1 ] || fail "only the lost shard should have run again"
echo "passed"
