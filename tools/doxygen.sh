#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doxygen.sh: makes pages of the interfaces, from the comments in the headers, in build-doxygen/html.
# Installs doxygen with apt-get if it is missing (as root, or with sudo).
set -eu
cd -- "$(dirname -- "$0")/.."

if ! command -v doxygen >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends doxygen
fi
mkdir -p build-doxygen
doxygen Doxyfile
echo "build-doxygen/html/index.html"
