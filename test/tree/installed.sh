#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed.sh ROOT BUILD FOLDER: what `cmake --install BUILD` puts into FOLDER runs after it was moved, with its
# own scenarios and programs and not with those of ROOT.
set -eu
build=$2
folder=$3

rm -rf "$folder" "$folder.moved"
cmake --install "$build" --prefix "$folder" >/dev/null
mv "$folder" "$folder.moved"
cd "$folder.moved"
mv share/levee/scenarios/hello.yaml share/levee/scenarios/moved.yaml
bin/levee run moved --out out >text
grep -q 'Hello from the core' text
mv share/levee/firmware/hello.elf share/levee/firmware/greeting.elf
if bin/levee run moved --out out >text 2>&1; then
    echo "a program was found that is not in the moved tree:"
    cat text
    exit 1
fi
grep -q "$folder.moved/share/levee/firmware/hello.elf" text

# Its own sources are what RTL of a user's is fitted to.
mv share/levee/source/rtl/systolic_evictor share/levee/source/rtl/moved
printf 'module mine; endmodule\n' >mine.sv
printf 'files: [mine.sv]\ntop: mine\n' >mine.yaml
if LEVEE_RTL_CACHE=cache bin/levee cosim systolic_evictor --rtl mine.yaml >text 2>&1; then
    echo "a design was found that is not in the moved tree:"
    cat text
    exit 1
fi
grep -q "$folder.moved/share/levee/source/rtl/systolic_evictor/" text
mv share/levee/source/rtl/moved share/levee/source/rtl/systolic_evictor
LEVEE_RTL_CACHE=cache bin/levee cosim systolic_evictor --rtl mine.yaml >text 2>&1 && exit 1
grep -q 'cmd_valid_i (input, 1 bit)' text
