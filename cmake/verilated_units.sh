#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verilated_units.sh FOLDER: two translation units from the many files that Verilator writes to FOLDER. slow.cpp
# has what runs once, or only for waves, most of a large design's lines: it need not be optimised.
set -eu
cd "$1"
for file in V*.cpp; do
    case $file in
    *__Slow.cpp | *__Trace__*) unit=slow ;;
    *) unit=fast ;;
    esac
    echo "#include \"$file\"" >>$unit.new
done
mv fast.new fast.cpp
mv slow.new slow.cpp
