#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# figure6.sh [FOLDER]: draws docs/images/figure6.svg, from the timelines of Cambricon-LLM's figure 6 in FOLDER
# (out):
#   for c in a b c; do ./levee run cambricon/figure6_$c --trace timeline --trace-inside flash; done
set -eu
folder=${1:-out}
exec "$(dirname -- "$0")/request_timeline.py" flash \
    "(a) read-computes=$folder/figure6_a/timeline.json.gz" \
    "(b) and a whole page=$folder/figure6_b/timeline.json.gz" \
    "(c) and a page in slices=$folder/figure6_c/timeline.json.gz"
