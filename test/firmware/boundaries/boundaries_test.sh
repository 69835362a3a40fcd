#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# boundaries_test.sh VIEWS FIRMWARE: checks which headers each folder of the firmware (sources in FIRMWARE) may include
# and which it may not. The sources are compiled with views of the tree.
set -eu
views=$(cd "$1" && pwd)
firmware=$(cd "$2" && pwd)
failed=0
cd / # the compiler also searches the current folder

# includes FOLDER HEADER: succeeds if a source of that folder can include the header.
includes() {
    printf '#include "%s"\n' "$2" |
        "${CC:-cc}" -std=c11 -fsyntax-only -x c -I "$views/$1" - 2>/dev/null
}

allow() {
    folder=$1
    shift
    for header in "$@"; do
        if ! includes "$folder" "$header"; then
            echo "$folder cannot include $header"
            failed=1
        fi
    done
}

refuse() {
    folder=$1
    shift
    for header in "$@"; do
        if includes "$folder" "$header"; then
            echo "$folder can include $header"
            failed=1
        fi
    done
}

components="ip/rsa/regs.h ip/sfu/regs.h ip/systolic_evictor/regs.h ip/dma/regs.h ip/edram/regs.h core/abi/descriptor.h"
# The lists of headers are split into words on purpose.
# shellcheck disable=SC2086
{
    allow llm firmware/llm/transformer.h firmware/hal/system.h core/abi/model_image.h
    refuse llm $components firmware/cache/cache.h firmware/target/part.h firmware/drivers/command_queue.h
    allow cache firmware/cache/cache.h firmware/llm/operation.h firmware/hal/space.h
    refuse cache $components firmware/target/part.h firmware/drivers/edram.h
    allow target firmware/target/lower.h firmware/drivers/rsa.h ip/rsa/regs.h
    refuse target firmware/session/session.h
    allow session firmware/session/session.h firmware/target/issue.h
    refuse session ip/rsa/regs.h firmware/drivers/rsa.h firmware/target/lower.h
    allow hal firmware/hal/system.h
    refuse hal firmware/llm/model.h firmware/drivers/command_queue.h
}

# climbs FOLDER: lists sources that name a header by a path out of their folder. The views cannot prevent this. The
# compiler also searches next to the source (through a view's links into the whole tree) and from the root.
climbs() {
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](/|[^">]*\.\./)' --include='*.[chS]' "$1"
}
if climbs "$firmware"; then
    echo "firmware includes by paths from the tree's root: no ../, none from /"
    failed=1
fi
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
for way in '"../../ip/edram/regs.h"' '<firmware/llm/../../ip/edram/regs.h>' '"/src/ip/edram/regs.h"'; do
    echo "#include $way" >"$planted/planted.c"
    climbs "$planted" >/dev/null || {
        echo "a source that climbs out of its folder is not found: $way"
        failed=1
    }
done
exit $failed
