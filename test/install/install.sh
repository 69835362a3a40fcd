#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh ROOT BUILD FIRST PREFIX: installs BUILD, built from the tree ROOT, into FIRST and moves it to PREFIX.
set -eu
rm -rf "$3" "$4"
cmake --install "$2" --prefix "$3" >/dev/null
mv "$3" "$4"
for part in lib/cmake/levee/levee-config.cmake share/levee/hal/lib/cmake share/bash-completion; do
    test -e "$4/$part" || {
        echo "$part was not installed"
        exit 1
    }
done
# No installed text may name the build or installation folder. Programs do, for debugging.
for folder in "$1" "$2" "$3"; do
    if grep -rIlP "(^|[^\w./-])\Q$folder\E(/|\W|\$)" "$4"; then
        echo "these installed files contain the path $folder"
        exit 1
    fi
done
