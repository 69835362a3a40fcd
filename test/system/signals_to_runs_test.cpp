// SPDX-License-Identifier: Apache-2.0
// Tests runs and studies that a signal ends. Existing results are written and marked as incomplete.
#include "test/system/running.hpp"

using levee::test::quote;
using levee::test::Running;
using levee::test::Workplace;

namespace {

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a run that a signal ends writes its results so far, marked as cut")
{
    const Workplace place;
    for (const auto& [signal, name] :
         {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"}, std::pair{SIGHUP, "SIGHUP"},
          std::pair{SIGQUIT, "SIGQUIT"}, std::pair{SIGUSR1, "SIGUSR1"},
          std::pair{SIGUSR2, "SIGUSR2"}, std::pair{SIGXCPU, "SIGXCPU"},
          std::pair{SIGALRM, "SIGALRM"}}) {
        INFO(name);
        std::filesystem::remove_all(place.path("out"));
        Running run(place, {"run", "kelle/recall", "--out", "out", "--trace", "instr"});
        run.wait_until([&] {
            std::error_code none;
            return std::filesystem::file_size(place.path("out/instr.txt"), none) > 8'000'000 &&
                   !none;
        });
        CHECK(run.end(signal) == 130);
        const nlohmann::json results = place.results("out");
        CHECK(results.at("cut") == name);
        CHECK(results.at("exit_code") == 130);
        CHECK_THAT(results.at("error").get<std::string>(),
                   Catch::Contains(std::string("cut: ") + name + " has ended the run") &&
                       Catch::Contains(" of simulated time"));
        CHECK(results.at("metrics").at("sim.seconds").get<double>() > 0);
        CHECK(has(place.read("out/report.html"), std::string("cut: ") + name));
        CHECK(place.read("out/instr.txt").ends_with('\n'));
    }
}

TEST_CASE("a run that gets two signals, as from a closing terminal, writes its results")
{
    const Workplace place;
    for (const auto& [first, second] :
         {std::pair{SIGTERM, SIGHUP}, std::pair{SIGHUP, SIGTERM}, std::pair{SIGHUP, SIGHUP}}) {
        INFO(first << " and " << second);
        std::filesystem::remove_all(place.path("out"));
        Running run(place, {"run", "kelle/recall", "--out", "out", "--trace", "instr"});
        run.wait_until([&] {
            std::error_code none;
            return std::filesystem::file_size(place.path("out/instr.txt"), none) > 1'000'000 &&
                   !none;
        });
        run.send(first);
        run.wait_until_handled();
        CHECK(run.end(second) == 130);
        CHECK(place.results("out").contains("cut"));
        CHECK(std::filesystem::exists(place.path("out/report.html")));
    }
}

TEST_CASE("a signal during the setup of a run ends the run at its start")
{
    const Workplace place;
    Running run(place, {"run", "kelle/recall", "--out", "out"});
    run.wait_until([&] { return std::filesystem::exists(place.path("out")); });
    CHECK(run.end(SIGINT) == 130);
    CHECK(place.results("out").at("cut") == "SIGINT");
}

TEST_CASE("a run that reaches its end mentions no cut")
{
    const Workplace place;
    CHECK(place.levee({"run", "hello", "--out", "out"}).code == 0);
    CHECK_FALSE(place.results("out").contains("cut"));
}

TEST_CASE("signals that a run is told to ignore do not end it")
{
    const Workplace place;
    const auto outcome = place.shell(
        "trap '' HUP; " + quote(LEVEE_PROGRAM) + " run veda/demo --out out & run=$!; " +
        "while [ ! -e out ]; do kill -0 $run || exit 9; done; kill -HUP $run; wait $run");
    CHECK(outcome.code == 0);
    CHECK_FALSE(place.results("out").contains("cut"));
}

TEST_CASE("a sweep that a signal has ended continues where it stopped")
{
    const Workplace place;
    place.write("study.yaml", "scenario: kelle/recall.yaml\naxes: {seed: [1, 2, 3]}\n"
                              "columns: [sim.seconds]\nset: [sampling=off]\n");
    for (const bool session : {false, true}) {
        const std::string out = session ? "all" : "one";
        Running sweep(place, {"sweep", "study.yaml", "--out", out, "--jobs", "2"});
        sweep.wait_until(
            [&] { return std::filesystem::exists(place.path(out + "/scratch-1-of-1/0")); });
        CHECK(sweep.end(SIGINT, session) == 130);
        CHECK_THAT(place.read("output.txt"),
                   Catch::Contains("the sweep has stopped: 0 of 3 runs are done; the same "
                                   "command continues it"));
        CHECK(place.read(out + "/points.journal").empty());
    }
}
