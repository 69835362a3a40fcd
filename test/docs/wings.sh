#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wings.sh [FOLDER]
# Checks the direction of includes in FOLDER (the source tree if not given) and lists what breaks it:
#
#   platform/WING    includes no wing that platform/CMakeLists.txt adds after it;
#   ip/ROOM          includes ip/common, itself, and the rooms that its README.md names in the item
#                    "**Includes**"; no two rooms name each other, also not by way of others;
#                    component.cpp, which registers the component, or reads the keys of one of its
#                    parts (ip/ROOM/PART), platform/machine/component and platform/input/config, too;
#   firmware/FOLDER  no two files of one folder include each other, also not by way of others; a header
#                    and the source of the same name are one file. Not yet firmware/target;
#   references       (ip/*/model.*) and what they include know nothing of SystemC.
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"
broken=0

# report FILE INCLUDED RULE
report() {
    printf '%s: includes "%s", but %s\n' "$1" "$2" "$3"
    broken=1
}

# includes_of FOLDER: lines "file included", of what is included from the source tree.
includes_of() {
    grep -rHoE --include='*.[ch]' --include='*.[ch]pp' '^#include "[^"]+"' "$1" |
        sed -E 's/:#include "([^"]+)"/ \1/'
}

check_wings() {
    later=$(sed -nE 's/^add_subdirectory\(([a-z]+)\).*/\1/p' platform/CMakeLists.txt)
    for wing in $later; do
        later=$(echo "$later" | sed 1d)
        while read -r file included; do
            for other in $later; do
                case $included in
                platform/"$other"/*) report "$file" "$included" "platform/$wing comes before it" ;;
                esac
            done
        done <<LINES
$(includes_of "platform/$wing")
LINES
    done
}

# rooms_of ROOM: the other rooms that its README.md says it includes.
rooms_of() {
    sed -nE '/^\* \*\*Includes\*\*/,/^(\* |$)/p' "ip/$1/README.md" | sed 's/^\* \*\*Includes/Includes/; /^\* /d' |
        grep -oE 'ip/[a-z_0-9]+' | sort -u
}

check_rooms() {
    for folder in ip/*/; do
        room=$(basename "$folder")
        allowed="ip/common ip/$room $(rooms_of "$room" | tr '\n' ' ')"
        while read -r file included; do
            [ -n "$file" ] || continue
            case "$file $included" in
            ip/"$room"/component.cpp\ platform/machine/component/* | ip/"$room"/component.cpp\ platform/input/config/* | \
                ip/"$room"/*/component.cpp\ platform/machine/component/*)
                continue # it reads the scenario's keys and registers the component
                ;;
            esac
            case " $allowed " in
            *" $(echo "$included" | cut -d/ -f1,2) "*) ;;
            *) report "$file" "$included" "ip/$room/README.md names only: $allowed" ;;
            esac
        done <<LINES
$(includes_of "ip/$room")
LINES
        for other in $(rooms_of "$room"); do
            [ "$other" = "ip/$room" ] || [ "$other" = ip/common ] || echo "ip/$room $other"
        done >>"$rooms"
    done
    if ! tsort "$rooms" >/dev/null 2>&1; then
        echo "ip/*/README.md: rooms include each other in a circle: $(tr '\n' ',' <"$rooms")"
        broken=1
    fi
}

# closure FILE...: the files and all that they include from the tree, each once.
closure() {
    todo=$*
    seen=
    while [ -n "$todo" ]; do
        next=
        for file in $todo; do
            case " $seen " in *" $file "*) continue ;; esac
            [ -f "$file" ] || continue
            seen="$seen $file"
            next="$next $(sed -nE 's/^#include "([^"]+)".*/\1/p' "$file" | tr '\n' ' ')"
        done
        todo=$next
    done
    echo "$seen"
}

check_references() {
    # shellcheck disable=SC2046 # names have no spaces
    for file in $(closure ip/*/model.hpp ip/*/model.cpp); do
        found=$(sed -nE 's/^#include <(systemc|tlm|tlm_utils\/.*)>.*/\1/p' "$file" | head -1)
        [ -z "$found" ] || report "$file" "$found" "a reference (ip/*/model.*) includes it"
    done
}

# Circles are told by tsort, which then lists their members.
check_firmware() {
    for folder in firmware/*/; do
        folder=${folder%/}
        [ "$folder" != firmware/target ] || continue
        includes_of "$folder" | sed 's/\.[ch] / /; s/\.[ch]$//' |
            awk -v folder="$folder/" '$1 != $2 && index($2, folder) == 1' | sort -u >"$files"
        if ! found=$(tsort "$files" 2>&1 >/dev/null); then
            echo "$folder: files include each other in a circle: $(echo "$found" | sed -n 's/^tsort: firmware/firmware/p' | tr '\n' ' ')"
            broken=1
        fi
    done
}

rooms=$(mktemp)
files=$(mktemp)
trap 'rm -f "$rooms" "$files"' EXIT
check_wings
check_rooms
check_firmware
check_references
exit $broken
