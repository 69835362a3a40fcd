// SPDX-License-Identifier: Apache-2.0
// Runs and studies that a signal ends: what there is is written, and marked.
#include "test/system/program.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

using levee::test::quote;
using levee::test::Workplace;

namespace {

/// The program beside the test, in a session of its own, until a signal ends it.
class Running {
public:
    Running(const Workplace& place, std::vector<std::string> words) : place_(place)
    {
        words.insert(words.begin(), LEVEE_PROGRAM);
        std::vector<char*> list;
        for (std::string& word : words)
            list.push_back(word.data());
        list.push_back(nullptr);
        child_ = fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            setsid();
            for (const int signal : {SIGINT, SIGTERM, SIGHUP})
                std::signal(signal, SIG_DFL);
            if (chdir(place.path(".").c_str()) != 0 ||
                std::freopen("output.txt", "w", stdout) == nullptr || dup2(1, 2) < 0)
                _exit(127);
            execv(list[0], list.data());
            _exit(127);
        }
    }
    ~Running()
    {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Waits for what must come while it runs.
    void wait_until(const std::function<bool()>& is_so) const
    {
        while (!is_so()) {
            REQUIRE(waitpid(child_, nullptr, WNOHANG) == 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    /// Its exit code behind the signal, to its whole session or to it alone; -1: it was killed.
    int end(int signal, bool session = false)
    {
        REQUIRE(::kill(session ? -child_ : child_, signal) == 0);
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = 0;
        UNSCOPED_INFO(place_.read("output.txt"));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    const Workplace& place_;
    pid_t child_ = 0;
};

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a run that a signal ends writes the results there are, marked as cut")
{
    const Workplace place;
    for (const auto& [signal, name] : {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"},
                                       std::pair{SIGHUP, "SIGHUP"}}) {
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

TEST_CASE("a run to its end says nothing of a cut")
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

TEST_CASE("a sweep that a signal ends goes on where it was")
{
    const Workplace place;
    place.write("study.yaml", "scenario: kelle/recall.yaml\naxes: {seed: [1, 2, 3]}\n"
                              "columns: [sim.seconds]\nset: [sampling=off]\n");
    for (const bool session : {false, true}) {
        const std::string out = session ? "all" : "one";
        Running sweep(place, {"sweep", "study.yaml", "--out", out, "--jobs", "2"});
        sweep.wait_until([&] { return std::filesystem::exists(place.path(out + "/scratch-1/0")); });
        CHECK(sweep.end(SIGINT, session) == 130);
        CHECK_THAT(place.read("output.txt"),
                   Catch::Contains("the sweep has stopped: 0 of 3 runs are done, and the same "
                                   "command goes on from there"));
        CHECK(place.read(out + "/points.journal").empty());
    }
}
