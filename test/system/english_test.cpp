// SPDX-License-Identifier: Apache-2.0
// Tests the text that the shipped English model writes.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

TEST_CASE("the shipped English model continues a sentence")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "english", "--set", "workload.max_new_tokens=16", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    CHECK(place.results("out")["text"] == "The old man came into the room and said, \"You have a "
                                          "right to know what I have here.\"\n\"What\n");
}
