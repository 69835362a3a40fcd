// SPDX-License-Identifier: Apache-2.0
// Tests reports about wrong programs that misuse operands, results, counters and queues.
#include "test/system/checks.hpp"

using levee::test::check_says;
using levee::test::Outcome;
using levee::test::run;
using levee::test::Workplace;

TEST_CASE("an operand that is read as another type than was written is reported")
{
    const Workplace place;
    const auto found = [&](const std::string& program, const std::vector<std::string>& words) {
        const Outcome outcome = run(place, program, {"--check", "types"});
        INFO(outcome.text);
        CHECK(outcome.code == 7);
        check_says(outcome, words);
    };
    found("operands_1", {"[rsa] GEMM, tag 81, reads a at 0x",
                         " as INT8, which rsa's GEMM, tag 81, has written (out) as FP32"});
    found("operands_2", {"[rsa] GEMM, tag 81, reads a at 0x",
                         " as INT8, which rsa's GEMM, tag 81, has written (out) as FP32"});
    found("operands_3", {"[rsa] GEMM, tag 81, reads a at 0x",
                         " as INT16, which sfu's QUANTISE, tag 82, has written (out) as INT8"});
    CHECK(run(place, "operands_1").code == 0); // This finding is reported only on request.
}

TEST_CASE("rows that overlap each other are reported")
{
    const Workplace place;
    const auto found = [&](const std::string& program, const std::vector<std::string>& words) {
        const Outcome outcome = run(place, program);
        INFO(outcome.text);
        CHECK(outcome.code == 7);
        check_says(outcome, words);
    };
    found("operands_4", {"[rsa] GEMM, tag 81, reads b at 0x",
                         "8 rows of 8 bytes that are 0 bytes apart (b_stride[2]): all are the same "
                         "bytes"});
    found("operands_5", {"[rsa] GEMM, tag 81, reads a at 0x",
                         "4 rows of 8 bytes that are 4 bytes apart (a_stride[3]): they overlap"});
    found("operands_6", {"[dma] COPY, tag 84, reads source at 0x",
                         "4 rows of 8 bytes that are 4 bytes apart (source_stride[2])"});
}

TEST_CASE("reading an array for a result that nothing has written is reported")
{
    const Workplace place;
    const Outcome outcome = run(place, "operands_7", {"--check", "uninitialised"});
    INFO(outcome.text);
    CHECK(outcome.code == 7);
    check_says(outcome, {"[core] has read sums (128 bytes), first at pc 0x", "<sum_of+",
                         "which nothing has written since it was cleared at the start"});
}

TEST_CASE("a counter that the core sets from an old reading loses what operations add")
{
    const Workplace place;
    const Outcome possible = run(place, "counters_1");
    INFO(possible.text);
    CHECK(possible.code == 7);
    check_says(
        possible,
        {"[core] sets counter 0 to 1 after it has read 0: an addition by dma's COPY, tag 91, "
         "between the two accesses would be lost, although none was lost here",
         "sync_add()", "<main+"});
    const Outcome lost = run(place, "counters_2");
    INFO(lost.text);
    CHECK(lost.code == 7);
    check_says(lost, {"[core] sets counter 0 to 1 after it has read 0: the 1 that operations have "
                      "added since then is lost"});
}

TEST_CASE("a queue fed by main and a handler is reported if the handler can interrupt main")
{
    const Workplace place;
    const Outcome done = run(place, "feeds_1");
    INFO(done.text);
    CHECK(done.code == 7);
    check_says(done, {"[dma] its queue receives descriptors with interrupts enabled (submitted by ",
                      "and from the handler of dma's interrupt (submitted by ", "mstatus.MIE"});
    const Outcome timer = run(place, "feeds_2");
    CHECK(timer.code == 7);
    check_says(timer, {"and from the handler of the timer (submitted by "});
}

TEST_CASE("correct uses of operands, counters and queues are not reported")
{
    const Workplace place;
    for (const char* program :
         {"operands_20", "counters_20", "counters_21", "feeds_20", "feeds_21"}) {
        const Outcome outcome = run(place, program, {"--check", "all"});
        INFO(program << ": " << outcome.text);
        CHECK(outcome.code == 0);
    }
}
