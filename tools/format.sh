#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [FILE...]: whether C and C++ sources, all of them unless some are named, are as clang-format leaves
# them: versions 14 and 16, which Debian 12 has, each that is installed; else whatever version there is. Exit code 77: none is.
set -eu
cd -- "$(dirname -- "$0")/.."

tools=$(command -v clang-format-14 || true; command -v clang-format-16 || true)
tools=${tools:-$(command -v clang-format)} || {
    echo "format.sh: no clang-format; Debian has it as clang-format" >&2
    exit 77
}
# Files that cosim exports have places to fill in, and are no C++ yet.
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(find cmake core firmware fuzz ip platform rtl test -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) \
    ! -path 'platform/studies/cosim/exported/*' | LC_ALL=C sort)
for tool in $tools; do
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 100 "$tool" --dry-run -Werror
done
