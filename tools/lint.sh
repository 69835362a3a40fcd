#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh [FILE...]: clang-format and clang-tidy over the C and C++ sources, all of them unless some are named.
# BUILD: a folder configured with the tests, for clang-tidy's compile commands (build-clang).
set -eu
cd -- "$(dirname -- "$0")/.."

# Debian's version 16, with which the tree has no warnings, or any installed version.
tidy=$(command -v clang-tidy-16 || command -v clang-tidy) || {
    echo "lint.sh: no clang-tidy; Debian has it as clang-tidy-16" >&2
    exit 2
}
build=${BUILD:-build-clang}

# Files that cosim exports have places to fill in, and are no C++ yet.
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(git ls-files 'core/*' 'ip/*' 'platform/*' 'test/*' 'firmware/*' ':!platform/studies/cosim/exported/*' |
    grep -E '\.(cpp|hpp|c|h)$')
tools/format.sh "$@"

[ -f "$build/compile_commands.json" ] || {
    echo "lint.sh: $build is not configured: cmake --preset clang" >&2
    exit 2
}
printf '%s\n' "$@" | grep -E '^(core|ip|platform|test)/.*\.cpp$' |
    xargs -r -P "$(nproc)" -n 4 "$tidy" --quiet -p "$build"
