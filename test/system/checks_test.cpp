// SPDX-License-Identifier: Apache-2.0
// Small wrong programs must end their run with a report that names the error.
#include "test/system/checks.hpp"

#include <regex>
#include <sstream>

using levee::test::check_says;
using levee::test::Outcome;
using levee::test::run;
using levee::test::Workplace;

namespace {

/// Replaces addresses and times, which depend on the HAL, and the place at which a polling loop is
/// ended.
std::string without_addresses(const std::string& text)
{
    std::string moved = std::regex_replace(text, std::regex("0x[0-9a-f]+"), "0x");
    moved =
        std::regex_replace(moved, std::regex("core: runs at 0x <[^>]*>"), "core: runs at 0x <>");
    return std::regex_replace(moved, std::regex("[0-9.]+ [mun]s"), "... ns");
}

} // namespace

TEST_CASE("docs/checks.md shows what these programs print")
{
    const Workplace place;
    std::ifstream page(std::string(LEVEE_SOURCE) + "/docs/checks.md");
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
    check_says(outcome,
               {"deadlock: the program waits for an interrupt that nothing will raise",
                "core: sleeps (wfi) at 0x", "<irq_wait_until+", "external (", "sync",
                "sync: its interrupt waits for counter 0 to reach 1, it is at 0; rsa's "
                "GEMM, tag 42, would add to it",
                "rsa: GEMM, tag 42, waits for counter 5 to reach 3, it is at 0; no operation",
                "submitted by command_queue_submit+", "called from main+"});
    CHECK(place.results("out/app")["exit_code"] == 5);
}

TEST_CASE("a deadlock names an interrupt that was claimed and not completed")
{
    const Workplace place;
    const Outcome outcome = run(place, "not_completed");
    CHECK(outcome.code == 5);
    check_says(outcome, {"deadlock:", "core: sleeps (wfi) at 0x",
                         "; sync's interrupt was claimed and not completed"});
}

TEST_CASE(
    "a deadlock names a lost interrupt, a counter set back, or a descriptor dropped by a reset")
{
    const Workplace place;
    const auto says = [&](const std::string& program, const std::vector<std::string>& words) {
        const Outcome outcome = run(place, program);
        INFO(outcome.text);
        CHECK(outcome.code == 5);
        check_says(outcome, words);
    };
    says("lost_wakeup",
         {"the last interrupt, from sync, was taken at ", "in front of pc 0x", "<main+",
          "and completed at ", " instructions before this wfi",
          "the interrupt's handler may have made the condition true", "mstatus.MIE"});
    says("counter_set_back",
         {"rsa: GEMM, tag 42, waits for counter 5 to reach 2, it is at 1; it was set from 1 to 0 "
          "at ",
          "by the core at pc 0x", "<sync_set+", "called from main+",
          ", without which it would be at 2; no operation that"});
    says("queue_reset",
         {"dma: COPY, tag 47, waits for counter 5 to reach 2, it is at 0; rsa's GEMM, tag 45, "
          "which would have added to it, was dropped by a reset of its queue",
          "rsa: its queue was reset at ", "by command_queue_reset+", "called from main+",
          "with GEMM, tag 45, and 1 more pending"});
    // This program lost no wakeup, set no counter back and reset no queue.
    const Outcome other = run(place, "deadlock");
    for (const char* word : {"last interrupt", "it was set", "reset"})
        CHECK(other.text.find(word) == std::string::npos);
}

TEST_CASE("a deadlock is not blamed on a reset of an earlier turn")
{
    const Workplace place;
    const Outcome outcome = run(place, "second_turn");
    CHECK(outcome.code == 5);
    check_says(outcome, {"rsa: GEMM, tag 50, waits for counter 5 to reach 1, it is at 0; it was "
                         "set from 1 to 0 at ",
                         ", before this wait began (without that it would be at 1); no operation "
                         "that runs or is next"});
    for (const char* word : {"dropped", "its queue was reset"})
        CHECK(outcome.text.find(word) == std::string::npos);
}

TEST_CASE("a deadlock says that a script has set a counter back, whoever uses the bus next")
{
    const Workplace place;
    place.write("it.script",
                "at pc command_queue_submit\n set counter 5 = 2\n set counter 5 = 1\n");
    check_says(run(place, "deadlock", {"--script", "it.script"}),
               {"it is at 1; it was set from 2 to 1 at ", " by a debugger or script, before this"});
}

TEST_CASE("a limit of simulated time ends a program that polls forever")
{
    const Workplace place;
    const Outcome outcome = run(place, "poll", {"--max-sim-time", "2 ms"});
    CHECK(outcome.code == 6);
    check_says(outcome,
               {"the program has not ended within 2 ms of simulated time", "core: runs at 0x", "<",
                "rsa: GEMM, tag 43, waits for counter 6 to reach 1, it is at 0"});
    CHECK(place.results("out/app")["metrics"]["sim.seconds"] == 0.002);
}

TEST_CASE("a deadlock is reported even if there is a limit of simulated time")
{
    const Workplace place;
    CHECK(run(place, "deadlock", {"--max-sim-time", "1ms"}).code == 5);
}

TEST_CASE("a limit that is not a time is refused")
{
    const Workplace place;
    const Outcome outcome = run(place, "poll", {"--max-sim-time", "soon"});
    CHECK(outcome.code == 2);
    check_says(outcome, {"--max-sim-time", "'soon' is not a time"});
}

TEST_CASE("an access to unmapped memory is reported with address, program place and nearest region")
{
    const Workplace place;
    const Outcome outcome = run(place, "nothing_there");
    CHECK(outcome.code == 1);
    check_says(outcome,
               {"[core] read at 0x100000 of 4 bytes (lw", "nothing is mapped there; the nearest is",
                "pc 0x", "<main", "firmware: trap: mcause 0x00000005"});
}

TEST_CASE("wrong register accesses name the register")
{
    const Workplace place;
    check_says(run(place, "no_register"),
               {"rsa + 0x100 is not a register; the nearest below is RING1_STRIDE at 0xbc"});
    check_says(run(place, "misaligned"), {"[core] misaligned read at 0x", "of 4 bytes"});
    check_says(run(place, "read_only"),
               {"[core] write at 0x", "rsa + 0x1c, register DONE_COUNT, is read-only"});
    check_says(run(place, "byte_register"),
               {"of 1 bytes (lbu", "registers are read and written as aligned 32-bit words"});
}

TEST_CASE("an out-of-range field is named, with the place that rang the doorbell")
{
    const Workplace place;
    const Outcome outcome = run(place, "field");
    CHECK(outcome.code == 1);
    check_says(outcome, {"[rsa] stopped: field out of range in k (byte ",
                         "of descriptor 0 (GEMM, tag 77), submitted by command_queue_submit+",
                         "called from main+", "firmware: block rsa stopped"});
}

TEST_CASE("a tensor outside memory is reported by its field's name")
{
    const Workplace place;
    check_says(run(place, "outside"),
               {"[dma] stopped: bad address in source (byte 80) of descriptor 0 (COPY, tag 78)"});
}

TEST_CASE("a queue overflow states how many places were free")
{
    const Workplace place;
    check_says(run(place, "overflow"), {"[rsa] stopped: queue overflow: the doorbell submitted "
                                        "1, but there was room for 0",
                                        "submitted by command_queue_submit+"});
}

TEST_CASE("an output that overwrites data still being read is reported with both operations")
{
    const Workplace place;
    const Outcome outcome = run(place, "overlap_write", {"--check", "overlap"});
    CHECK(outcome.code == 7);
    check_says(outcome,
               {"[dma] FILL, tag 12, writes destination at 0x", "which rsa's GEMM, tag 11, "
                                                                "still reads (b)"});
    CHECK(run(place, "overlap_write").code == 0); // This finding is reported only on request.
}

TEST_CASE("an input that is still being written is reported with both operations")
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

TEST_CASE("reading unwritten memory is reported with the block, the operand and its address")
{
    const Workplace place;
    const Outcome outcome = run(place, "uninitialised", {"--check", "uninitialised"});
    CHECK(outcome.code == 7);
    check_says(outcome, {"[dma] COPY, tag 21, reads source at 0x", "40, which nobody has written "
                                                                   "(128 bytes from 0x"});
    CHECK(run(place, "uninitialised").code == 0);
}

TEST_CASE("a stack overflow ends the run at the place where it happens")
{
    const Workplace place;
    const Outcome outcome = run(place, "stack", {"--check", "stack"});
    CHECK(outcome.code == 7);
    check_says(outcome, {"stack overflow: sp 0x", "bytes below the stack, 0x800fc000 to 0x80100000",
                         "pc 0x", "<descend+"});
}

TEST_CASE("a missing wait of the core is reported, with both places")
{
    const Workplace place;
    const auto found = [&](const std::string& program, const std::vector<std::string>& words) {
        const Outcome outcome = run(place, program, {"--check", "all"});
        CHECK(outcome.code == 7);
        check_says(outcome, words);
    };
    found("race_1",
          {"COPY, tag 31,", "destination", "<main+", "submitted by command_queue_submit+"});
    found("race_2", {"COPY, tag 31,", "source", "<memset+"});
    found("race_3", {"[core] reads 4 bytes at 0x", "which nobody has written", "<main+"});
    found("race_4", {"[core] reads 1 bytes at 0x", "which dma's COPY, tag 31, has not written yet "
                                                   "(destination)"});
    found("race_5", {"[core] reads 1 bytes at 0x", "which dma's COPY, tag 31, has not written yet "
                                                   "(destination)"});
    found("race_6", {"[dma] COPY, tag 31, reads source at 0x", "the core writes at pc 0x",
                     "after the doorbell"});
    found("race_7", {"[core] reads 1 bytes at 0x", "which dma's COPY, tag 31, has written",
                     "has not seen a counter, status or interrupt"});
}

TEST_CASE("correct ways of waiting are not reported")
{
    const Workplace place;
    for (int number = 20; number <= 28; ++number) {
        const Outcome outcome = run(place, "race_" + std::to_string(number), {"--check", "all"});
        CHECK(outcome.code == 0);
        CHECK(outcome.text.find("tag 31") == std::string::npos);
    }
}

TEST_CASE("a store to code or constants is reported, and so is a missing fence.i")
{
    const Workplace place;
    check_says(run(place, "store_to_code"),
               {"[core] writes 4 bytes at 0x", "code and constants", "pc 0x", "<main"});
    CHECK(run(place, "store_to_code").code == 7);
    check_says(run(place, "store_to_constant"),
               {"[core] writes 1 bytes at 0x", "code and constants", "<main"});
    const Outcome stale = run(place, "no_fence");
    CHECK(stale.code == 7);
    check_says(stale, {"[core] executes at pc 0x", "<code", "fence.i", "ra 0x", "<main+"});
    CHECK(run(place, "with_fence").code == 0);
}

TEST_CASE("a program that ends before its queues is told how much work is left")
{
    const Workplace place;
    const Outcome outcome = run(place, "unfinished");
    CHECK(outcome.code == 7);
    check_says(outcome,
               {"[dma] the program ends before this queue is empty: COPY, tag 52, waits to start",
                "and 1 descriptor is queued behind it"});
}

TEST_CASE("overwriting a descriptor that is still queued is reported")
{
    const Workplace place;
    const Outcome outcome = run(place, "overwritten");
    CHECK(outcome.code == 7);
    check_says(outcome, {"[dma] descriptor 1 at 0x",
                         "overwritten while it was queued: it was COPY, "
                         "tag 61, at its doorbell",
                         "and is now COPY, tag 62"});
}

TEST_CASE("a result in a forbidden place is reported")
{
    const Workplace place;
    check_says(run(place, "apart_copy"),
               {"[dma] COPY, tag 72, writes destination at 0x", "over its own operand source"});
    CHECK(run(place, "apart_copy").code == 7);
    check_says(run(place, "apart_product"),
               {"[rsa] GEMM, tag 71, writes out at 0x", "over its own operand b"});
    check_says(run(place, "stride"), {"[rsa] GEMM, tag 71, writes out at 0x",
                                      "96 bytes beyond the end of rows", "(128 bytes)"});
    check_says(run(place, "over_program"), {"[dma] COPY, tag 73, writes destination at 0x",
                                            "over the program's code and constants"});
    CHECK(run(place, "apart_none").code == 0);
}

TEST_CASE("a check of a copy of a million rows placed by a table ends")
{
    CHECK(run(Workplace(), "apart_rows").code == 0);
}

TEST_CASE("a trap loop ends the run and reports what is pending")
{
    const Workplace place;
    const Outcome level = run(place, "unacknowledged");
    CHECK(level.code == 5);
    check_says(level, {"trap loop: the interrupt of sync (source ", "is never acknowledged",
                       "IRQ_VALUE is 0x1", "the handler is at 0x", "<trap_entry>"});
    check_says(
        run(place, "unacknowledged_timer"),
        {"trap loop: the interrupt of the timer (clint) is never acknowledged", "mtimecmp is 0x"});
    const Outcome fault = run(place, "trap_loop");
    CHECK(fault.code == 5);
    check_says(fault, {"trap loop: load access fault (mtval 0x100000) at pc 0x", "<main+",
                       "<return_at_once>"});
    check_says(run(place, "no_handler"),
               {"trap loop: instruction access fault (mtval 0x0) at pc 0x0 "
                "(in no function)",
                "mtvec is 0: no handler"});
}

TEST_CASE("handled traps are not a loop, even if many come from one place")
{
    const Workplace place;
    for (const char* program : {"yields", "turns"}) {
        const Outcome outcome = run(place, program);
        INFO(outcome.text);
        CHECK(outcome.code == 0);
    }
}

TEST_CASE("a stack overflow is reported even without checks")
{
    const Workplace place;
    const Outcome outcome = run(place, "stack");
    CHECK(outcome.code == 7);
    check_says(outcome, {"stack overflow: sp 0x", "<descend+"});
}

TEST_CASE("a check that does not exist is refused")
{
    const Workplace place;
    const Outcome outcome = run(place, "stack", {"--check", "stak"});
    CHECK(outcome.code == 2);
    check_says(outcome, {"--check: there is no check called 'stak'", "stack"});
}

TEST_CASE("the checks report nothing in the shipped programs")
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

TEST_CASE("operands with too many parts to compare give a warning, and the results remain valid")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "kelle/kelle_edram", "--set", "kv_cache.recompute=all", "--quiet",
                     "--no-report", "--out", "out"});
    CHECK(outcome.text.find("not all bytes of its result and its operand x were compared") !=
          std::string::npos);
    CHECK(outcome.code == 0);
}
