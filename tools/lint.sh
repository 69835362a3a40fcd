#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh [FILE...]: checks C and C++ sources (default: all) with clang-format and clang-tidy.
# BUILD: a build folder configured with the tests, whose compile commands clang-tidy uses (default: build-clang).
set -eu
cd -- "$(dirname -- "$0")/.."

# Uses clang-tidy 16 of Debian, which reports no warnings in this tree, or else any installed
# version.
tidy=$(command -v clang-tidy-16 || command -v clang-tidy) || {
    echo "lint.sh: clang-tidy is missing; on Debian: apt-get install clang-tidy-16" >&2
    exit 2
}
build=${BUILD:-build-clang}

# The templates of `levee cosim --export` are left out, because they are not valid C++ until their placeholders are
# filled in.
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
