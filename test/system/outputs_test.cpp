// SPDX-License-Identifier: Apache-2.0
// Tests the outputs of a command if another command writes to the same place, if links, pipes or
// devices are in the way, and if writing fails.
#include "test/system/running.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Running;
using levee::test::Workplace;

namespace fs = std::filesystem;

namespace {

Outcome run_levee(const Workplace& place, const std::string& arguments)
{
    return place.shell(quote(LEVEE_PROGRAM) + " " + arguments);
}

void make_pipe(const Workplace& place, const std::string& name)
{
    fs::create_directories(place.path(name).parent_path());
    REQUIRE(::mkfifo(place.path(name).c_str(), 0600) == 0);
}

void make_link(const Workplace& place, const std::string& to, const std::string& name)
{
    fs::create_directories(place.path(name).parent_path());
    fs::create_symlink(place.path(to), place.path(name));
}

/// A file or folder that another process has locked, like a command that writes there.
class Locked {
public:
    Locked(const Workplace& place, const std::string& name)
        : descriptor_(::open(place.path(name).c_str(), O_RDONLY | O_CLOEXEC))
    {
        REQUIRE(::flock(descriptor_, LOCK_EX) == 0);
    }
    ~Locked() { ::close(descriptor_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    int descriptor_;
};

/// Returns all files with this name below a folder.
std::vector<fs::path> files_called(const fs::path& folder, const std::string& name)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == name)
            found.push_back(entry.path());
    return found;
}

constexpr const char* study = "scenario: hello\naxes: {system.core.clock: [1 GHz, 2 GHz]}\n"
                              "columns: [sim.seconds]\n";
constexpr const char* exploration = "objectives: {minimize: sim.seconds}\nexplore: {points: 2}\n";

} // namespace

TEST_CASE("a run that is refused leaves the other one's recording and results as they are")
{
    const Workplace place;
    fs::create_directories(place.path("out"));
    place.write("out/results.json", "the other's");
    place.write("rec.bin.unfinished", "the other's");
    const std::string run = "run kelle/demo --quiet --record-decisions rec.bin --out ";
    {
        const Locked folder(place, "out");
        CHECK(run_levee(place, run + "out").code == 2);
    }
    CHECK(place.read("rec.bin.unfinished") == "the other's");
    const Locked recording(place, "rec.bin.unfinished");
    const Outcome refused = run_levee(place, run + "own");
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("rec.bin.unfinished: cannot be written: process ") &&
                                 Catch::Contains(" is writing it; expected another name"));
    CHECK(run_levee(place, run + "out").code == 2);
    CHECK(place.read("rec.bin.unfinished") == "the other's");
    CHECK(place.read("out/results.json") == "the other's");
}

TEST_CASE("results are written where the recording cannot be")
{
    const Workplace place;
    const Outcome outcome =
        place.shell("ulimit -f 120; " + quote(LEVEE_PROGRAM) +
                    " run kelle/demo --quiet --no-report --out out --record-decisions rec.bin");
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text, Catch::Contains("rec.bin: not all decisions could be written"));
    CHECK_THAT(place.results("out").at("error").get<std::string>(),
               Catch::Contains("not all decisions could be written"));
    CHECK_FALSE(fs::exists(place.path("rec.bin.unfinished")));
}

TEST_CASE("results that are larger than a file may be are an error that leaves nothing behind")
{
    const Workplace place;
    const Outcome outcome = place.shell("ulimit -f 1; " + quote(LEVEE_PROGRAM) +
                                        " run hello --quiet --no-report --out out");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("results.json: cannot be written: File too large"));
    CHECK(fs::is_empty(place.path("out")));
}

TEST_CASE("a run whose output nobody reads writes its results")
{
    const Workplace place;
    (void)place.shell("(" + quote(LEVEE_PROGRAM) +
                      " run demo --out out; echo $? > code) | (exec <&-; while ! [ -e code ]; do "
                      "sleep 0.1; done)");
    CHECK(place.results("out").at("exit_code") == 0);
    CHECK(place.read("code") == "141\n");
}

TEST_CASE("a table goes into a file, and into nothing else")
{
    const Workplace place;
    REQUIRE(run_levee(place, "run hello --quiet --out a").code == 0);
    REQUIRE(run_levee(place, "run hello --quiet --out b").code == 0);
    make_pipe(place, "pipe");
    make_link(place, "pipe", "to_pipe");
    for (const char* const name : {"pipe", "to_pipe", "a"}) {
        const Outcome outcome = run_levee(place, std::string("compare a b --quiet --csv ") + name);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains("cannot be written: it is a "));
    }
    CHECK(fs::is_fifo(place.path("pipe")));
    place.write("table.csv", "old");
    make_link(place, "table.csv", "to_table");
    CHECK(run_levee(place, "compare a b --quiet --csv to_table").code == 0);
    CHECK(fs::is_symlink(place.path("to_table")));
    CHECK(place.read("table.csv") != "old");
}

TEST_CASE("a table for what the standard output goes to joins the text there")
{
    const Workplace place;
    REQUIRE(run_levee(place, "run hello --quiet --out a").code == 0);
    REQUIRE(run_levee(place, "run hello --quiet --out b").code == 0);
    const std::string text = run_levee(place, "compare a b --csv table.csv").text;
    const std::string both = place.read("table.csv") + text;
    REQUIRE(both.size() > text.size());
    fs::create_symlink("/proc/self/fd/1", place.path("so")); // The link acts like /dev/stdout.
    const Outcome piped = run_levee(place, "compare a b --csv so");
    CHECK(piped.code == 0);
    CHECK(piped.text == both);
    CHECK(run_levee(place, "compare a b --csv so >both.txt").code == 0);
    CHECK(place.read("both.txt") == both);
    CHECK(fs::is_symlink(place.path("so")));
}

TEST_CASE("a pipe where a run writes a file is refused, and not waited for")
{
    const Workplace place;
    make_pipe(place, "out/checkpoints.jsonl");
    CHECK_THAT(run_levee(place, "run hello --out out --checkpoint-every 1us").text,
               Catch::Contains("checkpoints.jsonl: cannot be written: it is a pipe"));
    make_pipe(place, "rec.bin.unfinished");
    const Outcome recording =
        run_levee(place, "run kelle/demo --out own --record-decisions rec.bin");
    CHECK(recording.code == 2);
    CHECK_THAT(recording.text,
               Catch::Contains("rec.bin.unfinished: cannot be written: it is a pipe"));
    make_pipe(place, "signals.vcd");
    CHECK(run_levee(place, "run kelle/demo --out traced --trace signals:signals.vcd").code == 2);
}

TEST_CASE("a pipe or a link where a study's run writes its log is refused")
{
    const Workplace place;
    place.write("study.yaml", study);
    place.write("precious", "kept\n");
    const std::string sweep = "sweep study.yaml --quiet --keep --no-resume --out swept";
    REQUIRE(run_levee(place, sweep).code == 0);
    const std::vector<fs::path> logs = files_called(place.path("swept"), "log.txt");
    REQUIRE(logs.size() == 2);
    fs::remove(logs[0]);
    REQUIRE(::mkfifo(logs[0].c_str(), 0600) == 0);
    fs::remove(logs[1]);
    fs::create_symlink(place.path("precious"), logs[1]);
    CHECK(run_levee(place, sweep).code != 0);
    const std::string table = place.read("swept/table.csv");
    CHECK_THAT(table, Catch::Contains("log.txt: cannot be written: it is a pipe") &&
                          Catch::Contains("log.txt: cannot be written: it is a link"));
    CHECK(place.read("precious") == "kept\n");
    const std::string reproduce = "reproduce silicon --only S01 --no-variants --quiet --out again";
    REQUIRE(run_levee(place, reproduce).code == 0);
    const fs::path log = files_called(place.path("again"), "log.txt").at(0);
    fs::remove(log);
    REQUIRE(::mkfifo(log.c_str(), 0600) == 0);
    const Outcome refused = run_levee(place, reproduce + " --no-resume");
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text, Catch::Contains("log.txt: cannot be written: it is a pipe"));
}

TEST_CASE("no output follows a link to another file")
{
    const Workplace place;
    place.write("study.yaml", study);
    place.write("precious", "kept\n");
    fs::create_directories(place.path("elsewhere"));
    for (const char* const name : {"lock", "points.journal"}) {
        fs::remove_all(place.path("swept"));
        make_link(place, "precious", std::string("swept/") + name);
        const Outcome outcome = run_levee(place, "sweep study.yaml --quiet --out swept");
        CHECK(outcome.code != 0);
        CHECK_THAT(outcome.text,
                   Catch::Contains(std::string(name) + ": cannot be written: it is a link"));
    }
    for (const char* const name : {"runs", "scratch-1-of-2"}) {
        fs::remove_all(place.path("swept"));
        make_link(place, "elsewhere", std::string("swept/") + name);
        const bool keeps = std::string(name) == "runs";
        (void)run_levee(place, std::string("sweep study.yaml --quiet --out swept") +
                                   (keeps ? " --keep" : " --shard 1/2"));
        CHECK(fs::is_empty(place.path("elsewhere")));
    }
    make_link(place, "precious", "rec.bin.unfinished");
    CHECK(run_levee(place, "run kelle/demo --quiet --out own --record-decisions rec.bin").code ==
          2);
    make_link(place, "elsewhere", "again/runs");
    CHECK(run_levee(place, "reproduce silicon --only S01 --no-variants --quiet --out again").code ==
          2);
    CHECK(fs::is_empty(place.path("elsewhere")));
    CHECK(place.read("precious") == "kept\n");
}

TEST_CASE("commands do not write into a folder in which another one does")
{
    const Workplace place;
    place.write("study.yaml", study);
    place.write("explore.yaml", std::string(study) + exploration);
    REQUIRE(run_levee(place, "run hello --quiet --out a").code == 0);
    REQUIRE(run_levee(place, "run hello --quiet --out out").code == 0);
    const Locked folder(place, "out"); // Locked like a run, a sweep or a reproduction.
    for (const char* const command :
         {"run hello", "sweep study.yaml", "sweep study.yaml --shard 1/2", "explore explore.yaml",
          "compare a a", "reproduce silicon --only S01 --no-variants"}) {
        INFO(command);
        const Outcome outcome = run_levee(place, std::string(command) + " --quiet --out out");
        CHECK(outcome.code != 0);
        CHECK_THAT(outcome.text,
                   Catch::Contains("out: another run writes into this folder (process " +
                                   std::to_string(::getpid())));
    }
}

TEST_CASE("a run is refused beside a sweep, and a sweep goes on")
{
    const Workplace place;
    place.write("study.yaml", "scenario: kelle/recall.yaml\naxes: {seed: [1, 2, 3]}\n"
                              "columns: [sim.seconds]\nset: [sampling=off]\n");
    Running sweep(place, {"sweep", "study.yaml", "--out", "swept", "--jobs", "1"});
    sweep.wait_until([&] { return fs::exists(place.path("swept/scratch-1-of-1/0")); });
    const Outcome outcome = run_levee(place, "run hello --quiet --out swept");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("swept: another run writes into this folder"));
    CHECK(sweep.end(SIGINT) == 130);
}

TEST_CASE("two runs do not write one trace")
{
    const Workplace place;
    place.write("trace.txt", "the other's");
    const Locked trace(place, "trace.txt");
    const Outcome outcome = run_levee(place, "run hello --quiet --trace instr:trace.txt");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("trace.txt: cannot be written: process " +
                                             std::to_string(::getpid()) + " is writing it"));
    CHECK(place.read("trace.txt") == "the other's");
}

TEST_CASE("a comparison that waits for another build says so")
{
    const Workplace place;
    const fs::path lock = fs::path(LEVEE_PROGRAM).parent_path().parent_path() / "lock";
    const int other = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    REQUIRE(other >= 0);
    REQUIRE(::flock(other, LOCK_EX) == 0); // The test locks the file as another build would.
    Running cosim(place, {"cosim", "systolic_evictor", "--ops", "1"});
    cosim.wait_until([&] {
        return place.read("output.txt").find("levee: waiting for another build in ") !=
               std::string::npos;
    });
    ::close(other);
    CHECK(cosim.wait() == 9); // Results are equal, but one operation reaches few cover points.
}
