// SPDX-License-Identifier: Apache-2.0
// Tests which results a sweep keeps: after kills, on a full disk, after edits of the study, and
// with shards.
#include "test/system/program.hpp"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/mount.h>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

const std::string study = R"(scenario: hello.yaml
axes:
  system.core.clock: {from: 100 MHz, to: 4 GHz, steps: 10, scale: log}
  latency: {key: system.bus.latency, values: [10 ns, 20 ns, 40 ns, 80 ns]}
columns: [sim.seconds, core.cycles, hello.instructions]
objectives: {minimize: sim.seconds}
)";

std::vector<std::string> command(const std::string& out, const std::vector<std::string>& more = {})
{
    std::vector<std::string> words{"sweep", "study.yaml", "--out", out, "--jobs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

struct Tables {
    explicit Tables(const Workplace& place, const std::string& out)
        : table(place.read(out + "/table.csv")), points(place.read(out + "/points.csv")),
          text(place.read(out + "/table.txt")), data(place.read(out + "/sweep.json"))
    {
    }
    bool operator==(const Tables&) const = default;
    std::string table, points, text, data;
};

/// Starts the sweep, kills it after `microseconds`, and returns whether it was still running.
bool kill_after(const Workplace& place, const std::string& out, useconds_t microseconds)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const int nothing = ::open("/dev/null", O_RDWR);
        ::dup2(nothing, STDOUT_FILENO);
        ::dup2(nothing, STDERR_FILENO);
        if (::chdir(place.path("").c_str()) == 0)
            ::execl(LEVEE_PROGRAM, LEVEE_PROGRAM, "sweep", "study.yaml", "--out", out.c_str(),
                    "--jobs", "2", nullptr);
        ::_exit(127);
    }
    ::usleep(microseconds);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

std::size_t lines_in(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a sweep killed at random moments ends with the tables of an uninterrupted one")
{
    const Workplace place;
    place.write("study.yaml", study);
    REQUIRE(place.levee(command("whole")).code == 0);
    const Tables whole(place, "whole");
    REQUIRE(lines_in(whole.table) == 41);
    std::mt19937 random(13);
    int killed = 0;
    for (int round = 0; round < 10; ++round)
        killed += kill_after(place, "cut", 2000 + random() % 60'000) ? 1 : 0;
    CHECK(killed > 0);
    const Outcome last = place.levee(command("cut"));
    REQUIRE(last.code == 0);
    CHECK((Tables(place, "cut") == whole));
    CHECK(lines_in(place.read("cut/points.journal")) == 40); // No run was executed twice.
    CHECK_FALSE(std::filesystem::exists(place.path("cut/scratch-1-of-1")));
}

TEST_CASE("a sweep on a full disk says so, loses nothing and continues when there is space")
{
    const Workplace place;
    place.write("study.yaml", study);
    REQUIRE(place.levee(command("whole")).code == 0);
    // A limit on the length of files acts like a full disk, for any user.
    const Outcome full = place.shell("ulimit -f 10; " + levee::test::quote(LEVEE_PROGRAM) +
                                     " sweep study.yaml --out full --jobs 2");
    CHECK(full.code == 1);
    CHECK_THAT(full.text, Catch::Contains("points.journal: cannot be written: File too large"));
    CHECK_THAT(full.text, Catch::Contains("of 40 runs are done; the same command continues it"));
    const std::size_t kept = lines_in(place.read("full/points.journal"));
    CHECK(kept > 0);
    CHECK(kept < 40);
    const Outcome last = place.levee(command("full"));
    REQUIRE(last.code == 0);
    CHECK_THAT(last.text, Catch::Contains(std::to_string(kept) + " of 40 runs are done already"));
    CHECK((Tables(place, "full") == Tables(place, "whole")));
}

TEST_CASE("a sweep on a file system that is really full loses nothing either")
{
    const Workplace place;
    place.write("study.yaml", study);
    std::filesystem::create_directories(place.path("small"));
    if (::mount("tmpfs", place.path("small").c_str(), "tmpfs", 0, "size=12k") != 0) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    const Outcome full = place.levee(command("small/swept"));
    const Outcome again = place.levee(command("small/swept"));
    ::mount("tmpfs", place.path("small").c_str(), "tmpfs", MS_REMOUNT, "size=4m");
    const Outcome last = place.levee(command("small/swept"));
    const std::string table = place.read("small/swept/table.csv");
    ::umount(place.path("small").c_str());
    CHECK(full.code == 1);
    CHECK_THAT(full.text, Catch::Contains("No space left on device"));
    CHECK(again.code != 0);
    CHECK(last.code == 0);
    REQUIRE(place.levee(command("whole")).code == 0);
    CHECK(table == place.read("whole/table.csv"));
}

TEST_CASE("an edited study keeps results that are still valid, and a changed file those it does "
          "not affect")
{
    const Workplace place;
    const std::string head =
        "scenario: mine.yaml\npoints:\n  a: []\n  b: system.core.clock=3 GHz\n";
    place.write("mine.yaml", "extends: hello.yaml\n");
    place.write("study.yaml", head + "columns: [sim.seconds]\n");
    REQUIRE(place.levee(command("swept")).code == 0);
    place.write("study.yaml", head + "  c: system.core.clock=4 GHz\ncolumns: [core.cycles]\n");
    Outcome outcome = place.levee(command("swept"));
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.text, Catch::Contains("2 of 3 runs are done already"));
    CHECK_THAT(place.read("swept/table.csv"), Catch::Contains("point,seed,core.cycles,error\na,,"));
    place.write("mine.yaml", "extends: hello.yaml\nsystem: {bus: {latency: 1 us}}\n");
    outcome = place.levee(command("swept"));
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.text, !Catch::Contains("done already"));
    outcome = place.levee(command("swept", {"--no-resume"}));
    CHECK_THAT(outcome.text, !Catch::Contains("done already"));
    CHECK(lines_in(place.read("swept/points.journal")) == 3);
}

TEST_CASE("a run is repeated when the content of a file that it reads has changed")
{
    const Workplace place;
    std::ifstream stories(LEVEE_SOURCE "/models/embedded/held_out.txt");
    std::string one, other;
    std::getline(stories, one);
    std::getline(stories, other); // Skips the separator line between the stories.
    std::getline(stories, other);
    place.write("text.txt", one);
    place.write("mine.yaml", "extends: perplexity.yaml\n"
                             "workload: {text_file: text.txt, max_tokens: 8}\n");
    place.write("study.yaml", "scenario: mine.yaml\npoints: {a: []}\ncolumns: [score.nll]\n");
    REQUIRE(place.levee(command("swept")).code == 0);
    const std::string before = place.read("swept/table.csv");
    CHECK_THAT(place.levee(command("swept")).text, Catch::Contains("1 of 1 runs are done already"));
    place.write("text.txt", other);
    const Outcome outcome = place.levee(command("swept"));
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.text, !Catch::Contains("done already"));
    CHECK(place.read("swept/table.csv") != before);
}

TEST_CASE(
    "a second sweep into a folder is refused while the first one runs, but not after it was killed")
{
    const Workplace place;
    place.write("study.yaml", study);
    std::filesystem::create_directories(place.path("swept"));
    const int lock = ::open(place.path("swept/lock").c_str(), O_RDWR | O_CREAT, 0644);
    REQUIRE(lock >= 0);
    REQUIRE(::write(lock, "process 1 on it", 15) == 15);
    // An existing file without a lock does not block the sweep.
    const Outcome free = place.levee(command("swept"));
    CHECK(free.code == 0);
    const Outcome refused = place.shell("flock swept/lock " + levee::test::quote(LEVEE_PROGRAM) +
                                        " sweep study.yaml --out swept");
    const std::string beside = "flock -s swept/lock " + levee::test::quote(LEVEE_PROGRAM) +
                               " sweep study.yaml --out swept";
    CHECK(place.shell(beside).code == 2); // A sweep without shards next to a shard is refused.
    CHECK(place.shell(beside + " --shard 1/2").code == 0);
    ::close(lock);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text,
               Catch::Contains("another sweep or reproduction writes into this folder (process "));
}

TEST_CASE("shards together execute the whole sweep, and the sweep without shards makes the table")
{
    const Workplace place;
    place.write("study.yaml", study);
    REQUIRE(place.levee(command("whole")).code == 0);
    for (const char* shard : {"3/3", "1/3", "2/3"}) {
        const Outcome part = place.levee(command("parts", {"--shard", shard}));
        CHECK(part.code == 0);
        CHECK_FALSE(std::filesystem::exists(place.path("parts/table.csv")));
    }
    CHECK(lines_in(place.read("parts/points-1-of-3.journal")) == 14);
    const Outcome outcome = place.levee(command("parts"));
    CHECK_THAT(outcome.text, Catch::Contains("40 of 40 runs are done already"));
    CHECK((Tables(place, "parts") == Tables(place, "whole")));
    CHECK(place.levee(command("parts", {"--shard", "4/3"})).code == 2);
    const Outcome anew = place.levee(command("parts", {"--shard", "1/3", "--no-resume"}));
    CHECK(anew.code == 2);
    CHECK_THAT(anew.text, Catch::Contains("'--no-resume' cannot be used with '--shard'"));
    CHECK(lines_in(place.read("parts/points-2-of-3.journal")) == 13);
}

TEST_CASE("a restarted job array takes no work away from a shard that uses the folder")
{
    const Workplace place;
    place.write("study.yaml", study);
    REQUIRE(place.levee(command("swept", {"--shard", "1/2"})).code == 0);
    const Outcome refused =
        place.shell("flock -s swept/lock " + levee::test::quote(LEVEE_PROGRAM) +
                    " sweep study.yaml --out swept --executor slurm --no-resume");
    CHECK(refused.code == 2);
    CHECK(lines_in(place.read("swept/points-1-of-2.journal")) == 20);
}

TEST_CASE("piped progress has at most twenty lines, and many points make few files")
{
    const Workplace place;
    place.write("study.yaml", "scenario: hello.yaml\n"
                              "axes: {system.core.clock: {from: 100 MHz, to: 4 GHz}}\n"
                              "sample: {random: 200}\n"
                              "columns: [sim.seconds]\n");
    const Outcome outcome = place.levee(command("swept"));
    REQUIRE(outcome.code == 0);
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = outcome.text.find(" runs done\n", at)) != std::string::npos;
         ++at)
        ++lines;
    CHECK(lines == 20);
    CHECK_THAT(outcome.text, Catch::Contains("10 of 200 runs done\n20 of 200 runs done\n"));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path("swept")))
        files += entry.is_regular_file() ? 1 : 0;
    CHECK(files == 7); // Four tables, the page, the journal and the lock.
    CHECK(place.levee(command("swept", {"--quiet"})).text.empty());
}
