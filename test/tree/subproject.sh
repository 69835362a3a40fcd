#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# subproject.sh ROOT FOLDER: a project in FOLDER adds ROOT as a subdirectory, links one of its libraries and makes a
# plug-in. It must get none of this project's tests, and must keep its own build type, language standard and target
# names.
set -eu
root=$1
folder=$2

rm -rf "$folder"
mkdir -p "$folder"
cp "$root"/test/install/plugin/*.?pp "$root/test/install/plugin/regs.h" "$folder"
cat >"$folder/main.cpp" <<'END'
#include "core/numerics/numerics.hpp"

int main()
{
    return levee::fp16_to_fp32(0x3c00) == 1.0f ? 0 : 1;
}
END
cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(outer VERSION 9.9 LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
set(LEVEE_PRECOMPILE OFF)
add_subdirectory($root levee EXCLUDE_FROM_ALL)
add_executable(outer main.cpp)
target_link_libraries(outer PRIVATE levee::numerics)
levee_add_plugin(argmax component.cpp module.cpp)
if(NOT TARGET levee::levee)
  message(FATAL_ERROR "the program has no name")
endif()
if(TARGET levee_test_main OR LEVEE_TESTS)
  message(FATAL_ERROR "tests are built without being asked for")
endif()
if(CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "a build type was chosen for the outer project: \${CMAKE_BUILD_TYPE}")
endif()
END
cmake -G Ninja -S "$folder" -B "$folder/build" >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log"
    exit 1
}
cmake --build "$folder/build" --target outer argmax
test -f "$folder/build/argmax.so"
"$folder/build/outer"
