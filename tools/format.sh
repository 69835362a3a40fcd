#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [FILE...]: checks that C and C++ sources (default: all) are formatted as clang-format would format them. It
# uses clang-format 14 and 16, the versions of Debian 12, if installed, or else any installed version. Exit code 77:
# clang-format is missing.
set -eu
cd -- "$(dirname -- "$0")/.."

tools=$(command -v clang-format-14 || true; command -v clang-format-16 || true)
tools=${tools:-$(command -v clang-format)} || {
    echo "format.sh: clang-format is missing; on Debian: apt-get install clang-format" >&2
    exit 77
}
# The templates of `levee cosim --export` are left out, because they are not valid C++ until their placeholders are
# filled in.
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(find cmake core firmware fuzz ip platform rtl test -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) \
    ! -path 'platform/studies/cosim/exported/*' | LC_ALL=C sort)
for tool in $tools; do
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 100 "$tool" --dry-run -Werror
done
