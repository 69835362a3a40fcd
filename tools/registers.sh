#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the page Registers to standard output, from the headers that firmware and blocks share. tools/site.py uses
# it for the site's page.
set -eu
cd -- "$(dirname -- "$0")/.."

cat <<'TEXT'
# Registers

Made by `tools/registers.sh` from the headers that blocks and firmware share.
Offsets count from the block's page, which `./levee describe SCENARIO` shows. RO: read only, RW: read
and write, WO: write only. What a header says beside registers follows in its own words.
TEXT

for header in core/abi/command_regs.h core/abi/descriptor.h ip/kv_tables/operations.h ip/*/regs.h; do
    printf '\n## %s\n\n' "$header"
    awk '
    function flush_table() {
        if (rows != "")
            printf "\n| offset | register | access | |\n|---|---|---|---|\n%s", rows
    }
    /^\/\/ SPDX/ { next }
    # The first comment of a header introduces it.
    !introduced {
        line = $0
        ended = sub(/ *\*\/ *$/, "", line)
        sub(/^ ?\/?\*+ ?/, "", line)
        if (line != "" || !ended)
            print line
        introduced = ended
        next
    }
    /^#(pragma once|include)/ { next }
    /^#ifdef __cplusplus/ { conditional = 1; next }
    conditional && /^#else/ { conditional = 2; next }
    /^#endif/ { conditional = 0; next }
    conditional || /_Static_assert/ { next }
    /^#define .*\/\* *(RO|RW|WO)/ || (write_only && /^#define/) {
        text = $0
        name = $2
        sub(/^#define +/, "", text)
        comment = ""
        if (match(text, /\/\*.*\*\//)) {
            comment = substr(text, RSTART + 2, RLENGTH - 4)
            text = substr(text, 1, RSTART - 1)
        }
        sub(/^[^ ]+ +/, "", text)
        gsub(/^ +| +$/, "", comment)
        access = write_only ? "WO" : substr(comment, 1, 2)
        if (!write_only)
            comment = substr(comment, 3)
        gsub(/^ +| +$/, "", comment)
        gsub(/^ +| +$/, "", text)
        gsub(/u/, "", text)
        if (text ~ /^\(.*\)$/)
            text = substr(text, 2, length(text) - 2)
        gsub(/\|/, "\\|", comment)
        rows = rows sprintf("| `%s` | `%s` | %s | %s |\n", text, name, access, comment)
        next
    }
    { code = code $0 "\n" }
    END {
        flush_table()
        gsub(/\n\n\n+/, "\n\n", code)
        sub(/^\n+/, "", code)
        sub(/\n+$/, "", code)
        if (code != "")
            printf "\n```c\n%s\n```\n", code
    }
    ' write_only="$(grep -c 'registers.*write-only' "$header" || true)" "$header"
done
