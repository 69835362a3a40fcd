#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# calibrate_decisions.sh LEVEE FOLDER: records the embedded model's decisions on stories of
# models/embedded/held_out.txt, and prints the statistics of scenarios/tech/decisions/embedded.yaml.
set -eu

levee=$1
folder=$2
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"

# record NAME POLICY SCORE BUDGET FIRST_STORY NEW_TOKENS WORDS... makes one recording for each number of WORDS. A prompt
# has that many words from two stories, and the model continues it for NEW_TOKENS tokens.
record() {
    name=$1 policy=$2 score=$3 budget=$4 first=$5 new=$6
    shift 6
    draw=
    [ "$policy" != rank ] || policy=random draw="draw: rank"
    : >"$folder/$name.txt"
    for words in "$@"; do
        grep -v '^<|endoftext|>$' "$root/models/embedded/held_out.txt" | sed -n "$first,$((first + 1))p" | tr '\n' ' ' |
            cut -d' ' -f"1-$words" >>"$folder/$name.txt"
        first=$((first + 2))
    done
    cat >"$folder/$name.yaml" <<END
system: kelle/systems/kelle_resident.yaml
model: {image: $root/models/embedded/stories.levee}
workload:
  app: generate
  scheduler: kelle
  prompt_file: $name.txt
  batch: $#
  max_new_tokens: $new
  sampling: temperature
  temperature: 0.6
kv_cache:
  policy: $policy
  $draw
  budget: $budget
  recent_window: $((budget / 2))
  sinks: 10
  score: $score
  recompute: all
  refresh: {extends: kelle/refresh/2drp.yaml}
seed: 3
END
    "$levee" run "$folder/$name.yaml" --quiet --record-decisions "$folder/$name" --out "$folder/$name.out"
    recordings="$recordings $folder/$name"
}

recordings=
record softmax64 aerp softmax 64 1 160 40 90 200
record softmax128 aerp softmax 128 1 160 80 160 240
record softmax256 aerp softmax 256 1 110 170 250 320
record logit64 aerp logit 64 7 160 40 90 200
record logit128 aerp logit 128 7 160 80 160 240
record random128 random softmax 128 13 120 80 160
record rank128 rank softmax 128 13 120 80 160
record streaming128 streaming softmax 128 13 120 80 160
# shellcheck disable=SC2086 # a list
"$levee" calibrate-decisions $recordings
