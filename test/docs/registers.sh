#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# registers.sh: fails unless the output of tools/registers.sh has each header of registers, with each register's offset.
set -eu

page=$(tools/registers.sh)
for header in ip/*/regs.h; do
    printf '%s\n' "$page" | grep -qFx "## $header" || {
        echo "the output of tools/registers.sh lacks $header"
        exit 1
    }
    # Each register is a define whose comment begins with its access mode.
    sed -nE 's,^#define ([A-Za-z0-9_()]+) .*/\* *(RO|RW|WO).*,\1,p' "$header" | while read -r register; do
        printf '%s\n' "$page" | grep -qF "$register" || {
            echo "the output of tools/registers.sh lacks the register $register of $header"
            exit 1
        }
    done
done
