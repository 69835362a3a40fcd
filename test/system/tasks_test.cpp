// SPDX-License-Identifier: Apache-2.0
// Tests programs whose tasks have separate stacks.
#include "test/system/checks.hpp"

using levee::test::check_says;
using levee::test::Outcome;
using levee::test::run;
using levee::test::Workplace;

TEST_CASE("each task has its own stack, and an overflow into the neighbour's stack is reported")
{
    const Workplace place;
    const Outcome apart = run(place, "tasks_0", {"--check", "all"});
    INFO(apart.text);
    CHECK(apart.code == 0);
    CHECK(apart.text.find("stack") == std::string::npos);
    const Outcome over = run(place, "tasks_1", {"--check", "stack"});
    CHECK(over.code == 7);
    check_says(over, {"bytes below the stack first_stack, 0x", "(1024 bytes)", "<descend+"});
}

TEST_CASE("stacks on the heap are checked if the program declares them")
{
    const Workplace place;
    const Outcome named = run(place, "tasks_2", {"--check", "stack"});
    CHECK(named.code == 7);
    check_says(named, {"bytes below the stack at 0x", "(1024 bytes)", "<descend+"});
    const Outcome unnamed = run(place, "tasks_3", {"--check", "stack"});
    CHECK(unnamed.code == 0);
    check_says(unnamed, {"is outside all objects of the program, so this stack is not checked"});
}
