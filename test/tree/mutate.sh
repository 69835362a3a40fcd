#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutate.sh TREE FOLDER: tests the mutator of C++ on a small project. Mutants that a test detects are killed, one that
# changes nothing survives, and the source is restored.
set -eu
tree=$1
folder=$2

fail() {
    echo "failed: $*"
    cat "$folder/log"
    exit 1
}

rm -rf "$folder"
mkdir -p "$folder/tools" "$folder/ip/least" "$folder/test/unit/least"
cd "$folder"
cp "$tree/tools/mutate.py" tools
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(least CXX)
enable_testing()
add_subdirectory(test/unit/least)
CMAKE
cat >test/unit/least/CMakeLists.txt <<'CMAKE'
add_executable(test_least test.cpp ${PROJECT_SOURCE_DIR}/ip/least/least.cpp)
add_test(NAME "test_least:the smaller one" COMMAND test_least)
CMAKE
cat >ip/least/least.cpp <<'CPP'
int least(int one, int other) // one < other in a comment is no place
{
    if (one < other)
        return one;
    return other;
}
CPP
cat >test/unit/least/test.cpp <<'CPP'
int least(int one, int other);
int main()
{
    return least(1, 2) == 1 && least(2, 1) == 1 ? 0 : 1;
}
CPP
cp ip/least/least.cpp before
{ cmake -G Ninja -S . -B build && ninja -C build; } >log 2>&1 || fail "the project was not built"
python3 tools/mutate.py ip --count 9 >log 2>&1 || fail "the mutator ended with $?"
grep -q "'<' -> '<=': survived" log || fail "a mutant that changes nothing did not survive"
grep -q "'one < other' -> '!(one < other)': killed test_least:the smaller one" log || fail "a mutant was not killed"
grep -q "^1 of 2 killed, 0 did not compile; 2 mutants possible" log || fail "the counts are wrong"
cmp -s ip/least/least.cpp before || fail "the source was not restored"
python3 tools/mutate.py ip/none >log 2>&1 && fail "a folder that does not exist was taken"
grep -q "ip/none: no such file or folder" log || fail "the missing folder was not named"
echo "passed"
