#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spdx.sh ROOT: each source file must name its licence in the first line, or in the second after "#!". Scenarios, models
# and pages are data, which LICENSE covers.
set -eu
cd "$1"

sources=$(find CMakeLists.txt .ci cmake core firmware ip levee models platform python rtl test tools -type f \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' -o -name '*.S' -o -name '*.inc' -o -name '*.ld' \
    -o -name '*.sv' -o -name '*.svh' -o -name '*.sdc' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' \
    -o -name '*.js' -o -name '*.mjs' \
    -o -name CMakeLists.txt -o -name levee -o -path .ci/run \))
[ "$(printf '%s\n' "$sources" | wc -l)" -gt 500 ] || {
    echo "the list of source files of $1 is incomplete"
    exit 1
}
printf '%s\n' "$sources" | xargs awk '
    FNR == 1 && /^#!/ { next }
    !seen[FILENAME]++ && !/SPDX-License-Identifier: Apache-2\.0/ {
        print FILENAME ": its first line is no SPDX line: \"" $0 "\""
        missing = 1
    }
    { nextfile }
    END { exit missing }'
