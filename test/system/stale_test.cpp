// SPDX-License-Identifier: Apache-2.0
// Tests reports about wrong programs that use stale copies of code and data written by the DMA
// engine. The report must name the stale data.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

Outcome run(const Workplace& place, const std::string& program, std::vector<std::string> more = {})
{
    std::vector<std::string> arguments{
        "run", "app", "--elf", std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/" + program + ".elf"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.levee(arguments);
}

void check_says(const Outcome& outcome, const std::vector<std::string>& words)
{
    for (const std::string& word : words) {
        INFO(word);
        CHECK(outcome.text.find(word) != std::string::npos);
    }
}

} // namespace

TEST_CASE("missing fence.i after the DMA engine has written code is reported")
{
    const Workplace place;
    for (const std::string number : {"1", "2"}) {
        const Outcome outcome = run(place, "dma_code_" + number);
        INFO(outcome.text);
        CHECK(outcome.code == 7);
        check_says(outcome,
                   {"[core] executes at pc 0x",
                    "<code> instructions that dma's COPY, tag 41 has written there at ",
                    "since the last fence.i", "submitted by command_queue_submit+", "; at "});
    }
    const Outcome right = run(place, "dma_code_3");
    CHECK(right.code == 0);
    CHECK(right.text.find("fence.i") == std::string::npos);
}

TEST_CASE("missing maintenance of a software-coherent data cache is reported")
{
    const Workplace place;
    const std::string dcache = "system.core.dcache={size: 1 KiB, line: 32 B, ways: 2, coherence: ";
    const auto outcome = [&](const std::string& number, const std::string& coherence) {
        return run(place, "stale_" + number, {"--set", dcache + coherence + "}"});
    };
    const auto found = [&](const std::string& number, const std::vector<std::string>& words) {
        const Outcome its = outcome(number, "software");
        INFO(its.text);
        CHECK(its.code == 7);
        check_says(its, words);
        check_says(its, {"line 0x40000000 to 0x4000001f, filled at "});
    };
    found("1", {"[core] reads 4 bytes at 0x40000004", "dma's COPY, tag 51 wrote there at",
                "dcache_invalidate (cbo.inval) has not been called since", "<main+"});
    found("2", {"[dma] COPY, tag 52, reads source at 0x40000000", "is dirty",
                "dcache_clean (cbo.clean) of this line is missing",
                "submitted by command_queue_submit+"});
    found("3", {"[core] writes the data cache's line", "back over bytes that dma's COPY, tag 51",
                "0x40000004 to 0x4000001f", "<main+"});
    for (const std::string number : {"4", "5"})
        CHECK(outcome(number, "software").code == 0);
    for (const std::string number : {"1", "2", "3"})
        CHECK(outcome(number, "snooped").text.find("dcache_") == std::string::npos);
}
