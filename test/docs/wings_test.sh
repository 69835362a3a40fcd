#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wings_test.sh
# Breaks each rule of wings.sh once, in a small tree of its own, and expects wings.sh to fail.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p platform/input platform/observe ip/common ip/low ip/high firmware/cache
printf 'add_subdirectory(input)   # first\nadd_subdirectory(observe) # second\n' >platform/CMakeLists.txt
for room in common low high; do
    printf '# %s\n' $room >ip/$room/README.md
    printf '#pragma once\n' >ip/$room/model.hpp
done
printf '* **Includes** `ip/low`.\n' >>ip/high/README.md
printf '#include "platform/input/reader.hpp"\n#include "ip/high/model.hpp"\n' >platform/observe/watch.cpp
printf '#include "ip/low/model.hpp"\n#include "ip/common/model.hpp"\n' >ip/high/module.cpp
printf '#include "ip/low/model.hpp"\n' >ip/high/model.hpp
printf '#include "firmware/cache/tables.h"\n' | tee firmware/cache/tables.c >firmware/cache/slots.c
printf '#include "firmware/cache/slots.h"\n' >firmware/cache/cache.c

# expect_broken PATTERN
expect_broken() {
    if text=$(sh "$here/wings.sh" "$tree" 2>&1); then
        echo "not seen: $1"
        exit 1
    fi
    echo "$text" | grep -q "$1" || { printf 'expected %s, got:\n%s\n' "$1" "$text"; exit 1; }
}

sh "$here/wings.sh" "$tree"

echo '#include "platform/observe/watch.hpp"' >platform/input/reader.cpp
expect_broken 'platform/input/reader.cpp: .*platform/input comes before it'
rm platform/input/reader.cpp

echo '#include "ip/high/model.hpp"' >ip/common/tool.cpp
expect_broken 'ip/common/tool.cpp: includes "ip/high/model.hpp"'
rm ip/common/tool.cpp

echo '#include <systemc>' >ip/low/model.hpp
expect_broken 'ip/low/model.hpp: includes "systemc"'
echo '#pragma once' >ip/low/model.hpp

echo '#include "firmware/cache/cache.h"' >firmware/cache/tables.h
expect_broken 'firmware/cache: files include each other in a circle.*firmware/cache/slots'
rm firmware/cache/tables.h

printf '* **Includes** `ip/high`.\n' >>ip/low/README.md
expect_broken 'in a circle'
