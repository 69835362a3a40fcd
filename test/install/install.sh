#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh BUILD FIRST PREFIX: installs BUILD into FIRST and moves it to PREFIX.
set -eu
rm -rf "$2" "$3"
cmake --install "$1" --prefix "$2" >/dev/null
mv "$2" "$3"
# Nothing there names where it was built or installed, but for the programs' debugging and the RTL's tools.
if grep -rl -e "$2" "$3"/lib/cmake "$3"/share/levee/hal/lib/cmake "$3"/share/bash-completion; then
    echo "these files name the folder that the tree was installed into"
    exit 1
fi
