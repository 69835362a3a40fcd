#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sizes.sh
# Lists source files of more than 400 lines and functions of more than 40, from the first line of a
# function's head to its closing brace. Fails if there is one that sizes.exceptions does not name, or if
# that names one there no longer is.
#
# Relies on clang-format: the braces around a function's body stand on lines of their own.
set -eu
cd -- "$(dirname -- "$0")/../.."

sources=$(find cmake firmware ip levee models platform python rtl test tools -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \
    -o -name '*.S' -o -name '*.sv' -o -name '*.svh' -o -name '*.py' -o -name '*.sh' -o -name '*.js' -o -name '*.mjs' \
    -o -name '*.cmake' -o -name CMakeLists.txt -o -name levee \) | LC_ALL=C sort)

# Prints "FILE: N lines" or "FILE: N lines in HEAD".
# shellcheck disable=SC2086 # names have no spaces
found=$(awk -v most_file=400 -v most_function=40 '
    function end_file() {
        if (python && inside)
            check(head, last, title)
        if (name != "" && lines > most_file)
            printf "%s: %d lines\n", name, lines
    }
    function check(first, last, title) {
        if (last - first + 1 > most_function)
            printf "%s: %d lines in %s\n", name, last - first + 1, title
    }
    FNR == 1 { end_file(); name = FILENAME; head = inside = last = 0; python = name ~ /\.py$/; script = name ~ /\.(sh|m?js)$|(^|\/)levee$/ }
    { lines = FNR; match($0, /^ */); indent = RLENGTH; text = substr($0, indent + 1) }

    # Python: a function ends with its last line that is deeper than its head.
    python && text != "" {
        if (inside && indent <= body && text !~ /^[])]/) { check(head, last, title); inside = 0 }
        if (!inside && text ~ /^def /) { inside = 1; head = FNR; body = indent; title = text }
        last = FNR
    }
    # Shell and JavaScript: a function ends with the first brace that is as deep as its head.
    script && inside && text ~ /^\}/ && indent == body { check(head, FNR, title); inside = 0; next }
    script && !inside && text ~ /\(.*\) (=> )?\{$/ && text !~ /^(if|for|while|switch|\} else) / {
        inside = 1; head = FNR; body = indent; title = text
    }
    name !~ /\.([ch]|[ch]pp)$/ { next }

    inside && text ~ /^\}/ && indent == body { check(head, FNR, title); inside = 0; head = 0; next }
    inside { next }
    text == "{" && head { inside = 1; body = indent; next }
    text == "" || text ~ /^[}#]|^\/\/|^\/?\*|:$|;$|\{$/ { head = 0; next }
    !head { head = FNR; title = text }
    END { end_file() }
' $sources | sed -E 's/ [0-9]+ lines in (.*)/ \1/; s/ [0-9]+ lines$/ the file/')

known=$(sed '/^#/d; /^$/d' test/docs/sizes.exceptions)
unknown=$(printf '%s\n' "$found" | grep -v -x -F -e "${known:-.}" || true)
gone=$(printf '%s\n' "$known" | grep -v -x -F -e "${found:-.}" || true)
[ -z "$unknown" ] || printf 'too long:\n%s\n' "$unknown"
[ -z "$gone" ] || printf 'no longer too long, remove from test/docs/sizes.exceptions:\n%s\n' "$gone"
[ -z "$unknown$gone" ]
