#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# question_pictures.sh BROWSER STUDIES OUT [PICTURES.mjs]: takes a picture OUT/NAME.png of each page
# STUDIES/NAME/report.html, for docs/questions.md: the Pareto front, or the first axis.
set -eu
browser=$1 studies=$2 out=$3
script=${4:-$(dirname -- "$(readlink -f -- "$0")")/pictures.mjs}
mkdir -p "$out"
set --
for page in "$studies"/*/report.html; do
    name=$(basename "$(dirname "$page")")
    set -- "$@" "$page" "pareto-front|along-an-axis" "$out/$name.png"
done
exec node "$script" "$browser" "$@"
