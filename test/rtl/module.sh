#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# module.sh PROGRAM CASE MODULE: PROGRAM's test CASE loads the design MODULE, a file in the build folder. A missing or
# outdated module must be built first, and only once, however many processes need it at the same time. A current module
# is only loaded.
set -eu
program=$1
case=$2
module=$3
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

# expect COUNT WHAT: checks that COUNT runs reported that they build the module.
expect() {
    built=$(cat "$said"/* | grep -c "levee: building $(basename "$module" .so) " || true)
    [ "$built" = "$1" ] || {
        cat "$said"/*
        echo "$2: built $built times; expected $1"
        exit 1
    }
}

rm -f "$module"
"$program" "$case" >"$said/one" 2>&1 &
first=$!
"$program" "$case" >"$said/two" 2>&1 || {
    cat "$said/two"
    exit 1
}
wait "$first"
expect 1 "a module that was missing"

# Acts as if a source had been edited, so that the build system makes the module again.
touch -d 2001-01-01 "$module"
"$program" "$case" >"$said/one" 2>&1
[ -n "$(find "$module" -newermt 2002-01-01)" ] || {
    echo "an outdated module was not replaced"
    exit 1
}

rm "$said/two"
"$program" "$case" >"$said/one" 2>&1
expect 0 "a module that was new"
