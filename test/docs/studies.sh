#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# studies.sh LEVEE FOLDER PAGE COUNT: runs every study for which PAGE (a file of the tree) has a command. There must be
# COUNT sweeps in all. Studies of the embedded model are shortened to two stories, explorations to a quarter of their
# points. Each study's checks must hold.
set -eu
levee=$1
folder=$2
page=$3
root=$(dirname -- "$(readlink -f -- "$0")")/../..
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
studies=$(sed -n 's|^    \./levee sweep ||p' "$root/$page")
[ "$(echo "$studies" | wc -l)" = "$4" ] || { echo "$page does not have the commands of exactly $4 sweeps"; exit 1; }
for study in $studies; do
    shorter=
    grep -q max_stories "$root/scenarios/$study.yaml" && shorter="--set workload.max_stories=1"
    # shellcheck disable=SC2086 # two words
    "$levee" sweep "$study" --out "$study" $shorter >"$(basename "$study").log" 2>&1 || {
        echo "$study:"
        cat "$(basename "$study").log"
        exit 1
    }
done
/usr/bin/python3 -c 'import optuna' 2>/dev/null || { echo "skipped the explorations: /usr/bin/python3 has no Optuna (python3-optuna)"; exit 0; }
for study in $(sed -n 's|^    \./levee explore ||p' "$root/$page"); do
    "$levee" explore "$study" --points 24 --out "$study" >"$(basename "$study").log" 2>&1 || {
        echo "$study:"
        cat "$(basename "$study").log"
        exit 1
    }
done
