// SPDX-License-Identifier: Apache-2.0
// Runs the example programs of firmware/apps, each by its name.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

/// Runs a program, requires that its text begins with `text`, and returns the run's figures.
nlohmann::json figures(const Workplace& place, const std::string& app, const std::string& text)
{
    const Outcome outcome = place.levee({"run", "--app", app});
    CHECK(outcome.code == 0);
    const auto results = place.results("out/" + app);
    CHECK(results["text"].get<std::string>().starts_with(text));
    CHECK(results["scenario"]["workload"]["app"] == app);
    return results["metrics"];
}

} // namespace

TEST_CASE("hello runs by its name and finds the baseline's blocks")
{
    const Workplace place;
    figures(place, "hello", "Hello from the core, at 1000 MHz, with 4 blocks and 3 memories:\n");
}

TEST_CASE("gemv gets the core's own result from the array")
{
    const Workplace place;
    const auto metrics =
        figures(place, "gemv", "y[0] = 3120000, y[1] = 1576800, y[47] = 1125600\n48 of 48 rows");
    CHECK(metrics["rsa.operations"] == 1);
    // All rows at once cannot be slower than one row at a time.
    CHECK(metrics["gemv.cycles"] < 48 * 64);
}

TEST_CASE("overlap is faster with a second buffer, and its result does not depend on timing")
{
    const Workplace place;
    const auto metrics = figures(place, "overlap", "sequential  ");
    const double sequential = metrics["overlap.sequential_cycles"];
    const double overlapped = metrics["overlap.overlapped_cycles"];
    CHECK(sequential > 1.4 * overlapped);
    CHECK(sequential < 2.1 * overlapped); // Two operations run at once, not three.
}

TEST_CASE("interrupt sees the end of an operation, an error and the timer")
{
    const Workplace place;
    figures(place, "interrupt",
            "done: 1 interrupt, the last byte is 0xa5\n"
            "stopped: error 2 at the descriptor with tag 2\n"
            "timer: 100 ticks later\n");
}

TEST_CASE("attention_head attends to the requested token")
{
    const Workplace place;
    const auto metrics =
        figures(place, "attention_head",
                "score 32 for token 37, 0 for its neighbour\n64 of 64 output elements");
    CHECK(metrics["rsa.operations"] == 2);
    CHECK(metrics["sfu.operations"] == 1);
}

TEST_CASE("an app also runs in a scenario, and a wrong name is answered with the nearest one")
{
    const Workplace place;
    CHECK(place.levee({"run", "core", "--app", "hello"}).text.starts_with("Hello from the core"));
    const Outcome wrong = place.levee({"run", "--app", "gemm"});
    CHECK(wrong.code == 2);
    CHECK(wrong.text.find("did you mean 'gemv'?") != std::string::npos);
    CHECK(place.levee({"run", "--app", "hello", "--elf", "x.elf"}).code == 2);
    const Outcome missing = place.levee({"run", "core", "--app", "overlap"});
    CHECK(missing.code == 1);
    CHECK(missing.text.find("this system lacks a second memory") != std::string::npos);
}
