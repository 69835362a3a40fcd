# SPDX-License-Identifier: Apache-2.0
# Writes the names in the table "Metrics" of docs/results.md as C++ strings, one per line.
/^## / { inside = ($2 == "Metrics") }
inside && /^\| `/ {
    split($0, cells, / \| /)
    while (match(cells[1], /`[^`]+`/)) {
        print "    \"" substr(cells[1], RSTART + 1, RLENGTH - 2) "\","
        cells[1] = substr(cells[1], RSTART + RLENGTH)
    }
}
