#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh [FILE...]: clang-format and clang-tidy over the C and C++ sources, all of them unless some are named.
# BUILD: a folder configured with the tests, for clang-tidy's compile commands (build-clang).
set -eu
cd -- "$(dirname -- "$0")/.."

# tool NAME: Debian's version 16, for which the tree is kept clean, or whatever version there is.
tool() {
    command -v "$1-16" || command -v "$1" || {
        echo "lint.sh: no $1; Debian has it as $1-16" >&2
        exit 2
    }
}
format=$(tool clang-format)
tidy=$(tool clang-tidy)
build=${BUILD:-build-clang}

# What cosim exports has places to fill in, and is no C++ yet.
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(git ls-files 'ip/*' 'platform/*' 'test/*' 'firmware/*' ':!platform/studies/cosim/exported/*' |
    grep -E '\.(cpp|hpp|c|h)$')
"$format" --dry-run -Werror "$@"

[ -f "$build/compile_commands.json" ] || {
    echo "lint.sh: $build is not configured: cmake --preset clang" >&2
    exit 2
}
printf '%s\n' "$@" | grep -E '^(ip|platform|test)/.*\.cpp$' |
    xargs -r -P "$(nproc)" -n 4 "$tidy" --quiet -p "$build"
