#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# front.sh ROOT LEVEE FOLDER: tests the script ./levee in a folder below FOLDER, with LEVEE as its built program. The
# script must complete the program's commands and its own, and recognise its tree after a change.
set -eu
root=$1
levee=$2
# This folder's path, read as a regular expression, does not match itself.
folder="$3/c[+]"

rm -rf "$3"
mkdir -p "$folder/build/platform" "$folder/tools"
cp "$root/levee" "$folder"
ln -s "$levee" "$folder/build/platform/levee"
# ./levee build has nothing to do, because everything is already built.
printf 'LEVEE_TESTS:BOOL=OFF\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$folder" >"$folder/build/CMakeCache.txt"
touch "$folder/build/build.ninja"
printf '#!/bin/sh\n' >"$folder/tools/cmake"
chmod +x "$folder/tools/cmake"
export PATH="$folder/tools:$PATH" LEVEE_NO_INSTALL=1

"$folder/levee" completion bash >"$folder/completion" 2>"$folder/text" || {
    cat "$folder/text"
    exit 1
}
if grep -F "was built elsewhere" "$folder/text"; then
    echo "a tree that is already built and was not moved is built again"
    exit 1
fi
# completes WORD BEFORE EXPECTED: checks the completion of WORD after `./levee`, or after `./levee
# BEFORE`.
completes() {
    said=$(bash -c '. "$1"
        COMP_WORDS=(./levee $3 "$2")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        function=$(complete -p levee | sed "s/.*-F \([a-z_]*\).*/\1/")
        $function ./levee "$2" "${3:-./levee}"
        echo "${COMPREPLY[@]}"' - "$folder/completion" "$1" "$2")
    [ "$said" = "$3" ] || {
        echo "after './levee $2', '$1' is completed to '$said'; expected '$3'"
        exit 1
    }
}
completes bu "" build
completes d "" "debug describe docs"
completes te "" test
completes te help ""
completes in "" init
completes llama import llama2c
if "$folder/levee" completion csh >"$folder/text" 2>&1; then
    echo "an unknown shell is accepted"
    exit 1
fi
