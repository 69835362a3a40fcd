#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verilated_units.sh FOLDER: makes two translation units from the many files that Verilator writes to FOLDER. slow.cpp
# has the code that runs once, or only for waveforms. This is most of a large design's code, and it needs no
# optimisation.
#
# In each evaluation, Verilator computes the combinational logic that depends on inputs. At a clock edge this is not
# needed if the previous evaluation had the same inputs (core/rtl/verilated_design.hpp): fast.cpp skips it while
# V<NAME>_is_settled is true. A design in which this logic depends on clk_i is left unchanged.
set -eu
cd "$1"
for file in V*.cpp; do
    case $file in
    *__Slow.cpp | *__Trace__*) unit=slow ;;
    *) unit=fast ;;
    esac
    echo "#include \"$file\"" >>$unit.new
done
prefix=$(basename "$PWD")
# Finds uses of clk_i in functions other than triggers and port checks: 1 if there is any.
uses_clock=$(awk '/^[A-Za-z].*\(.*\{$/ { name = $0 }
    /clk_i/ && name !~ /eval_triggers__act|eval_debug_assertions|dump_triggers/ { found = 1 }
    END { print found + 0 }' $(ls V*.cpp | grep DepSet | grep -v Slow))
if [ "$uses_clock" = 0 ]; then
    sed -i "s/(0U == vlSelf->__VicoIterCount);/((0U == vlSelf->__VicoIterCount) \&\& !${prefix}_is_settled);/" V*DepSet*.cpp
    sed -i "1i __attribute__((weak)) bool ${prefix}_is_settled = false;" fast.new
fi
mv fast.new fast.cpp
mv slow.new slow.cpp
