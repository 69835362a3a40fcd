#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed.sh ROOT BUILD FOLDER: tests the files that `cmake --install BUILD` puts below FOLDER. They must run after
# they were moved, with their own scenarios and programs, not with those of ROOT or of folders next to the prefix.
set -eu
build=$2
folder=$3
prefix=$folder/moved

rm -rf "$folder"
cmake --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$prefix"
mkdir -p "$folder/scenarios" "$folder/platform/studies/explore" "$folder/firmware"
printf 'system: {}\n' >"$folder/scenarios/demo.yaml"
cp "$folder/scenarios/demo.yaml" "$folder/scenarios/decoy.yaml"
touch "$folder/platform/studies/explore/proposer.py" "$folder/firmware/hello.elf" "$folder/firmware/generate.elf"

cd "$prefix"
mv share/levee/scenarios/hello.yaml share/levee/scenarios/moved.yaml
bin/levee run moved --out out >text
grep -q 'Hello from the core' text

# fails WHAT COMMAND...: checks that the command fails.
fails() {
    what=$1
    shift
    if "$@" >text 2>&1; then
        echo "$what was found that is not in the moved tree:"
        cat text
        exit 1
    fi
}
fails "a scenario" bin/levee run hello --out out
fails "a scenario" bin/levee describe decoy
mv share/levee/firmware/hello.elf share/levee/firmware/greeting.elf
fails "a program" bin/levee run moved --out out
grep -q "$prefix/share/levee/firmware/hello.elf" text

# A Python that prints its arguments shows that the installed optimiser runs.
cat >study.yaml <<'END'
scenario: moved.yaml
axes: {clock: {key: system.core.clock, from: 100 MHz, to: 1 GHz, steps: 10}}
columns: {cycles: core.cycles}
objectives: {minimize: [cycles]}
explore: {points: 4}
END
cat >python <<'END'
#!/bin/sh
echo "$@" >called
END
chmod +x python
fails "an optimiser" env LEVEE_PYTHON="$prefix/python" bin/levee explore study.yaml --out explored
grep -q "$prefix/share/levee/explore/proposer.py" called

# A user's RTL is checked against the installed sources, and the results are in the user's cache.
mv share/levee/source/rtl/systolic_evictor share/levee/source/rtl/moved
printf 'module mine; endmodule\n' >mine.sv
printf 'files: [mine.sv]\ntop: mine\n' >mine.yaml
unset LEVEE_RTL_CACHE
export XDG_CACHE_HOME="$prefix/cache"
fails "a design" bin/levee cosim systolic_evictor --rtl mine.yaml
grep -q "$prefix/share/levee/source/rtl/systolic_evictor/" text
mv share/levee/source/rtl/moved share/levee/source/rtl/systolic_evictor
fails "a port" bin/levee cosim systolic_evictor --rtl mine.yaml
grep -q 'cmd_valid_i (input, 1 bit)' text
test -d cache/levee/rtl

# The blocks' designs are libraries, too, and a missing one is not rebuilt.
design=lib/levee/rtl/levee_rtl_systolic_evictor_checked.so
bin/levee cosim systolic_evictor --ops 2 >text || [ $? = 9 ]
grep -q 'covered: ' text
mv $design moved.so
fails "a design" bin/levee cosim systolic_evictor --ops 2
grep -q "$prefix/$design: is missing" text
if grep -q building text; then
    echo "the installed program tried to build something"
    exit 1
fi
mv moved.so $design

# A study's runs with RTL are repeated when the RTL, which is outside the program, has changed.
cat >rtl.yaml <<'END'
scenario: kelle/demo.yaml
axes: {evictor: {key: system.blocks.evictor.impl, values: [tlm, rtl]}}
columns: {cycles: core.cycles}
END
bin/levee sweep rtl.yaml --out swept >text 2>&1
echo "// edited" >>share/levee/source/rtl/systolic_evictor/systolic_evictor.sv
bin/levee sweep rtl.yaml --out swept >text 2>&1
grep -q '1 of 2 runs are done already' text

# Without its data, the program names the missing files and their places.
mv share/levee share/gone
fails "a scenario" bin/levee describe demo
grep -q "$prefix/share/levee/scenarios" text
