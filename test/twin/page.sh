#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# page.sh ROOT: that the files which docs/adding_rtl.md shows are those of test/twin.
set -eu
cd "$1"
status=0
count=0
for file in $(sed -nE 's/^```[a-z]+ (test\/twin\/.*)$/\1/p' docs/adding_rtl.md); do
    count=$((count + 1))
    awk -v mark="$file" '/^```/ { inside = !inside && $2 == mark; next } inside' docs/adding_rtl.md | diff - "$file" || status=1
done
[ "$count" -gt 5 ] || status=1
exit $status
