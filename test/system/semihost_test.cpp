// SPDX-License-Identifier: Apache-2.0
// Tests that a program linked with picolibc's semihosting library runs as on any board.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

TEST_CASE("picolibc's printf and files work through semihosting")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "core", "--elf", std::string(LEVEE_SEMIHOST_DIR) + "/files.elf"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.starts_with("read back \"kept: 42\"\noutside: refused\n2 breakpoints\n"));
    CHECK(place.read("out/core/notes.txt") == "kept: 42\n");
    CHECK_FALSE(std::filesystem::exists(place.path("out/notes.txt")));
    CHECK(place.results("out/core")["text"].get<std::string>().starts_with("read back"));
}
