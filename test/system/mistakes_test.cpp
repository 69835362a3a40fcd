// SPDX-License-Identifier: Apache-2.0
// Small wrong programs: the run ends, and what it prints names the mistake.
#include "test/system/program.hpp"

#include <regex>
#include <sstream>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

Outcome run(const Workplace& place, const std::string& program, std::vector<std::string> more = {})
{
    std::vector<std::string> arguments{"run", "app", "--elf",
                                       std::string(LEVEE_MISTAKES_DIR) + "/" + program + ".elf"};
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

/// Addresses move with every change of the HAL: any will do.
std::string without_addresses(const std::string& text)
{
    return std::regex_replace(text, std::regex("0x[0-9a-f]+"), "0x");
}

} // namespace

TEST_CASE("docs/mistakes.md shows what these programs print")
{
    const Workplace place;
    std::ifstream page(std::string(LEVEE_SOURCE) + "/docs/mistakes.md");
    const std::string prompt = "$ levee run app --elf ";
    std::string printed;
    unsigned commands = 0;
    bool shown = false;
    for (std::string line; std::getline(page, line);) {
        if (line == "```")
            shown = !shown;
        else if (shown && line.starts_with(prompt)) {
            std::istringstream words(line.substr(prompt.size()));
            std::string program;
            words >> program;
            const std::vector<std::string> options{std::istream_iterator<std::string>(words), {}};
            printed =
                without_addresses(run(place, program.substr(0, program.size() - 4), options).text);
            ++commands;
        } else if (shown) {
            INFO(line);
            CHECK(printed.find(without_addresses(line)) != std::string::npos);
        }
    }
    CHECK(commands >= 12);
}

TEST_CASE("a deadlock ends the run and says who waits for what")
{
    const Workplace place;
    const Outcome outcome = run(place, "deadlock");
    CHECK(outcome.code == 5);
    check_says(outcome, {"deadlock: the program waits for an interrupt that nothing will raise",
                         "core: sleeps (wfi) at 0x", "<irq_wait_until+", "external (", "sync",
                         "sync: its interrupt waits for counter 0 to reach 1, it is at 0; rsa's "
                         "GEMM, tag 42, would add to it",
                         "rsa: GEMM, tag 42, waits for counter 5 to reach 3, it is at 0; nothing",
                         "submitted by command_queue_submit+", "called from main+"});
    CHECK(place.results("out/app")["exit_code"] == 5);
}

TEST_CASE("a limit of simulated time ends a program that polls for ever")
{
    const Workplace place;
    const Outcome outcome = run(place, "poll", {"--max-sim-time", "2 ms"});
    CHECK(outcome.code == 6);
    check_says(outcome,
               {"the program has not ended within 2 ms of simulated time", "core: runs at 0x", "<",
                "rsa: GEMM, tag 43, waits for counter 6 to reach 1, it is at 0"});
    CHECK(place.results("out/app")["metrics"]["sim.seconds"] == 0.002);
}

TEST_CASE("a deadlock is one also under a limit of simulated time")
{
    const Workplace place;
    CHECK(run(place, "deadlock", {"--max-sim-time", "1ms"}).code == 5);
}

TEST_CASE("a limit that is no time is refused")
{
    const Workplace place;
    const Outcome outcome = run(place, "poll", {"--max-sim-time", "soon"});
    CHECK(outcome.code == 2);
    check_says(outcome, {"--max-sim-time", "'soon' is no time to run"});
}

TEST_CASE("an access to nothing names the address, the program's place and what lies near")
{
    const Workplace place;
    const Outcome outcome = run(place, "nothing_there");
    CHECK(outcome.code == 1);
    check_says(outcome,
               {"[core] read at 0x100000 of 4 bytes (lw", "nothing lies there; the nearest is",
                "pc 0x", "<main", "firmware: trap: mcause 0x00000005"});
}

TEST_CASE("wrong register accesses name the register")
{
    const Workplace place;
    check_says(run(place, "no_register"),
               {"rsa + 0x100 is no register; the nearest below is RING1_STRIDE at 0xbc"});
    check_says(run(place, "misaligned"), {"[core] misaligned read at 0x", "of 4 bytes"});
    check_says(run(place, "read_only"),
               {"[core] write at 0x", "rsa + 0x1c, register DONE_COUNT, is read-only"});
    check_says(run(place, "byte_register"),
               {"of 1 bytes (lbu", "registers are read and written as aligned 32-bit words"});
}

TEST_CASE("a field out of range is called by its name, with the doorbell's place")
{
    const Workplace place;
    const Outcome outcome = run(place, "field");
    CHECK(outcome.code == 1);
    check_says(outcome, {"[rsa] stopped: field out of range in k (byte ",
                         "of descriptor 0 (GEMM, tag 77), submitted by command_queue_submit+",
                         "called from main+", "firmware: block rsa stopped"});
}

TEST_CASE("a tensor outside memory is called by its field")
{
    const Workplace place;
    check_says(run(place, "outside"),
               {"[dma] stopped: bad address in source (byte 80) of descriptor 0 (COPY, tag 78)"});
}

TEST_CASE("a queue overflow says how much room there was")
{
    const Workplace place;
    check_says(run(place, "overflow"), {"[rsa] stopped: queue overflow by a doorbell for 1 where "
                                        "there was room for 0",
                                        "submitted by command_queue_submit+"});
}

TEST_CASE("an output over what is still read names both operations")
{
    const Workplace place;
    const Outcome outcome = run(place, "overlap_write", {"--check", "overlap"});
    CHECK(outcome.code == 7);
    check_says(outcome,
               {"[dma] FILL, tag 12, writes destination at 0x", "which rsa's GEMM, tag 11, "
                                                                "still reads (b)"});
    CHECK(run(place, "overlap_write").code == 0); // only where it is asked for
}

TEST_CASE("an input that is still to be written names both operations")
{
    const Workplace place;
    check_says(run(place, "overlap_read", {"--check", "overlap"}),
               {"[dma] COPY, tag 12, reads source at 0x", "which rsa's GEMM, tag 11, has not "
                                                          "written yet (out)"});
}

TEST_CASE("operations whose extents interleave do not overlap")
{
    const Workplace place;
    const Outcome outcome = run(place, "overlap_none", {"--check", "overlap"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("tag") == std::string::npos);
}

TEST_CASE("reading what nobody has written names the block, the operand and its address")
{
    const Workplace place;
    const Outcome outcome = run(place, "uninitialised", {"--check", "uninitialised"});
    CHECK(outcome.code == 7);
    check_says(outcome, {"[dma] COPY, tag 21, reads source at 0x", "40, which nobody has written "
                                                                   "(128 bytes from 0x"});
    CHECK(run(place, "uninitialised").code == 0);
}

TEST_CASE("a stack overflow ends the run where it happens")
{
    const Workplace place;
    const Outcome outcome = run(place, "stack", {"--check", "stack"});
    CHECK(outcome.code == 7);
    check_says(outcome, {"stack overflow: sp 0x", "bytes below the stack, 0x800fc000 to 0x80100000",
                         "pc 0x", "<descend+"});
}

TEST_CASE("a check that there is not is refused")
{
    const Workplace place;
    const Outcome outcome = run(place, "stack", {"--check", "stak"});
    CHECK(outcome.code == 2);
    check_says(outcome, {"--check: there is no check called 'stak'", "stack"});
}

TEST_CASE("the checks find nothing in the shipped programs")
{
    const Workplace place;
    for (const std::string app : {"hello", "gemv", "overlap", "interrupt", "attention_head"}) {
        INFO(app);
        CHECK(place.levee({"run", "--app", app, "--check", "all"}).code == 0);
    }
    for (const std::string scenario : {"demo", "perplexity", "selftest"}) {
        INFO(scenario);
        CHECK(place.levee({"run", scenario, "--check", "all", "--quiet"}).code == 0);
    }
}
