// SPDX-License-Identifier: Apache-2.0
// Tests scripts that pause a run and change it, and runs that return to a recorded state.
#include "test/system/program.hpp"

using levee::test::reproducible;
using levee::test::Workplace;

namespace {

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// Runs `selftest` with a script of these lines.
levee::test::Outcome run_script(const Workplace& place, const std::string& lines)
{
    place.write("it.script", lines);
    return place.levee({"run", "selftest", "--no-report", "--script", "it.script"});
}

} // namespace

TEST_CASE(
    "a script flips an operand's bit before the operation reads it, and the results report this")
{
    const Workplace place;
    // The first copy reads the injected data. The fault appears when test_dma compares the result.
    const auto outcome =
        run_script(place, "at dma COPY nth 2  # back\n  flip memory received bit 3\n"
                          "at dma COPY ends nth 2\n");
    CHECK(outcome.code == 10); // The program makes two copies.
    CHECK(contains(outcome.text, "it.script:3: 'at dma COPY ends nth 2' was not reached"));
    const auto flipped =
        run_script(place, "at pc main\n  flip memory sent+5 bit 3\n"
                          "at dma COPY nth 2 ends\n  flip memory received+5 bit 0\n");
    CHECK(flipped.code != 0);
    CHECK(contains(flipped.text, "it.script:4 at "));
    CHECK(contains(flipped.text, "dma: there and back                  FAILED"));
    CHECK(contains(flipped.text, "changed registers or memory 2 times"));
    const auto results = place.results("out/selftest");
    CHECK(results["metrics"]["interventions.script"] == 2);
}

TEST_CASE("an operation pauses before it reads, so that a flipped bit affects its result")
{
    const Workplace place;
    const auto before = run_script(place, "at dma FILL\n set memory received+1 = 5a\n");
    CHECK(contains(before.text, "dma: there and back                  ok"));
    // The program overwrites the flipped bit.
    CHECK(contains(before.text, "dma: strided fill                    ok"));
    const auto copied = run_script(place, "at dma COPY nth 1\n flip memory sent+7 bit 7\n"
                                          "at dma COPY ends\n flip memory sent+7 bit 7\n");
    CHECK(contains(copied.text, "dma: there and back                  FAILED"));
    CHECK(contains(copied.text, "(tcm+0x"));
}

TEST_CASE("a script reports a phase or the end at the moment of the register write")
{
    const Workplace place;
    const auto run = [&](const std::string& time, const std::string& line) {
        place.write("it.script", "at time " + time + "\n set hostlink." + line + "\n");
        CHECK(place
                  .levee({"run", "app", "--elf", std::string(LEVEE_BARE_DIR) + "/phase_200.elf",
                          "--no-report", "--script", "it.script"})
                  .code == 0);
        return place.results("out/app")["metrics"];
    };
    auto metrics = run("200ns", "phase = 2"); // The DMA engine is working.
    const double began = metrics["sim.seconds"].get<double>() -
                         metrics["prefill.seconds"].get<double>() -
                         metrics["decode.seconds"].get<double>();
    CHECK(began < 100e-9); // The program marks its prefill.
    CHECK(metrics["prefill.seconds"].get<double>() == Approx(200e-9 - began));
    CHECK(metrics["bounds.prefill.dma.memory_dram_seconds"] > 50e-9);
    CHECK(run("240ns", "exit = 0")["sim.seconds"] == 240e-9);
}

TEST_CASE("scripts can use registers, counters, times and addresses")
{
    const Workplace place;
    const auto outcome = run_script(
        place, "at start\n show time\n"
               "at pc command_queue_submit nth 2\n set core.mscratch = 0x77\n show core.mscratch\n"
               "at rsa GEMM tag 0x5e1f0003\n show descriptors rsa\n"
               "at counter 0 >= 1\n show sync\n"
               "at time 1ms\n");
    CHECK(contains(outcome.text, "it.script:2 at 0.000000 us: time"));
    CHECK(contains(outcome.text, "core.mscratch = 0x00000077"));
    CHECK(contains(outcome.text, "GEMM, tag 1579089923, "));
    CHECK(contains(outcome.text, "    a "));
    CHECK(contains(outcome.text, "counter  0  1"));
    const auto early =
        run_script(place, "at rsa GEMM\n set counter 0 = 1\nat counter 0 >= 2\n show sync\n");
    CHECK(contains(early.text, "sync.VALUE0: 0x00000000 -> 0x00000001"));
    CHECK(contains(early.text, "counter  0  2")); // The operation has added to the counter.
}

TEST_CASE("a script that only reads changes no byte of the results")
{
    const Workplace place;
    REQUIRE(place.levee({"run", "selftest", "--no-report"}).code == 0);
    const auto alone = reproducible(place.results("out/selftest"));
    const auto outcome =
        run_script(place, "at time 3us\n show blocks\nat pc command_queue_submit\n show dma\n"
                          "at rsa ends\n show rsa.STATUS\nat counter 0 >= 1\n"
                          " show memory 0x80000000 16\n");
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.text, "rsa.STATUS = 0x0000000"));
    CHECK(reproducible(place.results("out/selftest")) == alone);
}

TEST_CASE("errors in a script are reported before the run, with the line")
{
    const Workplace place;
    const auto wrong = [&place](const std::string& lines, const std::string& message) {
        const auto outcome = run_script(place, lines);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.text, message));
        CHECK(!contains(outcome.text, "ok\n"));
    };
    wrong("set rsa.CONTROL = 1\n",
          "it.script:1: 'set' comes before the first pause; expected at start");
    wrong("\nat rsaa\n", "it.script:2: 'rsaa' is not a block with a queue; did you mean 'rsa'?");
    wrong("at rsa GEM\n", "it.script:1: 'GEM' is not an operation of rsa; did you mean 'GEMM'?");
    wrong("at time 3 parsecs\n", "it.script:1: '3 parsecs' is not a time; expected");
    wrong("at pc mein\n", "'mein' is not an address; expected a number or a name of the program");
    wrong("at start\nset rsa.ID = 3\n", "it.script:2: rsa.ID is read-only");
    wrong("at start\nflip rsa.SUBMIT bit 0\n", "rsa.SUBMIT is write-only");
    wrong("at start\nset rsa.CONTRL = 3\n", "did you mean 'CONTROL'?");
    wrong("at start\nset core.pc = 0\n", "expected this below 'at pc ADDRESS'");
    wrong("at start\nflip memory 0xFFF000000 bit 1\n", "nothing is stored at 0xFFF000000");
    wrong("at start\nflip memory sent bit 64\n",
          "'64' is not a valid bit; expected a number from 0 to 63");
    wrong("at start\nset counter 64 = 1\n",
          "'64' is not a valid counter; expected a number from 0 to 63");
    wrong("at start\nset counter 99 = 1\n",
          "'99' is not a valid counter; expected a number from 0 to");
    wrong("at start\npoke rsa\n", "expected at, set, flip, show or halt");
    wrong("at start\nshow rssa\n", "did you mean 'rsa'?");
    CHECK(contains(place.levee({"run", "selftest", "--script", "none"}).text,
                   "none: the script cannot be read"));
}

TEST_CASE("a scenario names a script in its own folder")
{
    const Workplace place;
    place.write("faulty.yaml", "extends: " + std::string(LEVEE_SOURCE) +
                                   "/scenarios/selftest.yaml\nobserve:\n  script: fault.script\n");
    place.write("fault.script", "at dma COPY ends\n  flip memory sent bit 0\n");
    const auto outcome = place.levee({"run", "faulty.yaml", "--no-report", "--allow-outside"});
    CHECK(contains(outcome.text, "fault.script:2 at "));
    CHECK(contains(outcome.text, "a script changed registers or memory 1 times"));
    place.write("faulty.yaml", "extends: " + std::string(LEVEE_SOURCE) +
                                   "/scenarios/selftest.yaml\nobserve:\n  script: /etc/passwd\n");
    CHECK(place.levee({"run", "faulty.yaml", "--no-report"}).code == 2);
}

TEST_CASE("a restored run reaches the recorded state, or names what differs")
{
    const Workplace place;
    const std::vector<std::string> run{"run", "selftest", "--no-report"};
    const auto with = [&run](std::vector<std::string> more) {
        more.insert(more.begin(), run.begin(), run.end());
        return more;
    };
    REQUIRE(place.levee(run).code == 0);
    const auto alone = reproducible(place.results("out/selftest"));
    REQUIRE(place.levee(with({"--checkpoint-every", "5us"})).code == 0);
    CHECK(reproducible(place.results("out/selftest")) == alone);
    const auto restored = place.levee(with({"--restore", "10us"}));
    CHECK(restored.code == 0);
    CHECK(contains(restored.text, "--restore: at 10 us the state equals the recorded one"));
    CHECK(reproducible(place.results("out/selftest")) == alone);

    place.write("it.script", "at time 7us\n flip word 0x80000f00 bit 1\n");
    const auto differs = place.levee(with({"--restore", "10us", "--script", "it.script"}));
    CHECK(differs.code == 11);
    CHECK(contains(differs.text, "at 10 us the state differs from the one in"));
    CHECK(contains(differs.text, "in these parts: tcm"));
    const auto none = place.levee(with({"--restore", "11us"}));
    CHECK(none.code == 2);
    CHECK(contains(none.text, "no checkpoint at 11 us; expected one of: 5 us, 10 us"));
}
