// SPDX-License-Identifier: Apache-2.0
// Tests pipes, folders and links in place of the files of a run, and files that another run uses.
// CTest would end a run that waits for the other side of a pipe.
#include "test/system/program.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Workplace;

namespace {

void make_pipe(const Workplace& place, const std::string& name)
{
    std::filesystem::create_directories(place.path(name).parent_path());
    REQUIRE(::mkfifo(place.path(name).c_str(), 0600) == 0);
}

} // namespace

TEST_CASE("a pipe in place of an input file is refused without waiting for it")
{
    const Workplace place;
    for (const char* const name :
         {"pipe", "model/config.json", "run/results.json", "bench/m.yaml", "own/report.html"})
        make_pipe(place, name);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"import", "gguf", "pipe", "-o", "x.levee"},
             {"import", "llama2c", "pipe", "pipe", "-o", "x.levee"},
             {"import", "config", "pipe", "-o", "x.yaml"},
             {"import", "safetensors", "model", "-o", "x.levee"},
             {"run", "hello", "--stdin", "pipe"},
             {"report", "run"},
             {"report", "own"},
             {"calibrate-decisions", "pipe"},
             {"cosim", "systolic_evictor", "--rtl", "bench/m.yaml"},
             {"run", "pipe"},
             {"sweep", "pipe"},
             {"explore", "pipe"},
             {"describe", "pipe"},
             {"run", "--set", "model.image=pipe"}}) {
        const Outcome outcome = place.levee(words);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains("is a pipe; expected a file"));
    }
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"run", "hello", "--elf", "pipe"},
                                               {"run", "hello", "--script", "pipe"},
                                               {"compare", "run", "run"}})
        CHECK(place.levee(words).code == 2);
}

TEST_CASE("files of the current folder are used only if the user typed their names")
{
    const Workplace place;
    for (const char* const name : {"app", "app.yaml", "demo", "demo.yaml"})
        place.write(name, "not: a scenario\n");
    CHECK(place.levee({"run", "--app", "hello"}).code == 0);
    constexpr int out_of_time = 6;
    CHECK(place.levee({"run", "--max-sim-time", "1us", "--out", "out"}).code == out_of_time);
    const Outcome typed = place.levee({"run", "demo"});
    CHECK(typed.code == 2);
    CHECK(typed.text.find("demo:1:1: unknown key 'not'") != std::string::npos);

    // A study's scenario is looked for next to the study.
    make_pipe(place, "elsewhere");
    make_pipe(place, "studies/near");
    const auto refused = [&](const std::string& scenario) {
        place.write("studies/study.yaml",
                    "scenario: " + scenario + "\npoints: {a: []}\ncolumns: {t: sim.seconds}\n");
        return place.levee({"sweep", "studies/study.yaml", "--dry-run"}).text;
    };
    CHECK_THAT(refused("elsewhere"), Catch::Contains("no scenario 'elsewhere': there is no such"));
    CHECK_THAT(refused("near"), Catch::Contains("studies/near is a pipe"));
}

TEST_CASE("a device or a folder in place of an input file is reported by name")
{
    const Workplace place;
    CHECK_THAT(place.levee({"import", "gguf", "/dev/zero", "-o", "x.levee"}).text,
               Catch::Contains("/dev/zero: is a device; expected a file"));
    CHECK_THAT(place.levee({"import", "gguf", ".", "-o", "x.levee"}).text,
               Catch::Contains(".: is a folder; expected a file"));
}

TEST_CASE("a trace into a pipe is written if a reader exists, and refused otherwise")
{
    const Workplace place;
    make_pipe(place, "pipe");
    const Outcome outcome = place.levee({"run", "hello", "--trace", "instr:pipe"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text,
               Catch::Contains("pipe: cannot be written: no process reads this pipe"));
    (void)place.shell("cat pipe > copy & reader=$!; exec 3<> pipe; " + quote(LEVEE_PROGRAM) +
                      " run hello --trace instr:pipe; exec 3<&-; wait $reader");
    CHECK(place.levee({"run", "hello", "--out", "out", "--trace", "instr"}).code == 0);
    CHECK(place.read("copy") == place.read("out/instr.txt"));
}

TEST_CASE("a trace does not follow a link out of the output folder")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("out"));
    place.write("precious", "kept\n");
    std::filesystem::create_symlink("../precious", place.path("out/instr.txt"));
    for (const char* const trace : {"instr", "instr:out/instr.txt"}) {
        const Outcome outcome = place.levee({"run", "hello", "--out", "out", "--trace", trace});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains("is a link to a place outside the output folder"));
    }
    CHECK(place.read("precious") == "kept\n");
    std::filesystem::create_symlink("../precious", place.path("elsewhere"));
    CHECK(place.levee({"run", "hello", "--out", "out", "--trace", "instr:other.txt"}).code == 0);
}

TEST_CASE("a folder with the name of a result is neither removed nor overwritten")
{
    const Workplace place;
    for (const char* const name : {"results.json", "report.html"}) {
        std::filesystem::create_directories(place.path("out") / name);
        const Outcome outcome = place.levee({"run", "hello", "--out", "out"});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(std::string(name) + ": cannot be written: it is "
                                                                     "a folder"));
        CHECK(std::filesystem::is_directory(place.path("out") / name));
        std::filesystem::remove(place.path("out") / name);
    }
    CHECK(place.levee({"run", "hello", "--out", "out"}).code == 0);
}

TEST_CASE("two runs cannot write into one folder at the same time")
{
    const Workplace place;
    CHECK(place.levee({"run", "hello", "--out", "out"}).code == 0);
    const std::string before = place.read("out/results.json");
    const int other = ::open(place.path("out").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(::flock(other, LOCK_EX) == 0); // Locks the folder like a run in progress.
    const Outcome outcome = place.levee({"run", "hello", "--out", "out"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("out: another run writes into this folder (process " +
                                             std::to_string(::getpid())) &&
                                 Catch::Contains("'--out'"));
    CHECK(place.read("out/results.json") == before);
    CHECK(place.levee({"run", "hello", "--out", "more"}).code == 0);
    ::close(other);
    CHECK(place.levee({"run", "hello", "--out", "out"}).code == 0);
}

TEST_CASE("deeply nested results and results with very many figures are read or refused")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("deep"));
    const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
    place.write("deep/results.json", "{\"metrics\": {\"a\": 1}, \"scenario\": " + deep + "}");
    CHECK_THAT(place.levee({"compare", "deep", "deep"}).text,
               Catch::Contains("deep/results.json: no results of a run"));
    CHECK_THAT(place.levee({"report", "deep"}).text, Catch::Contains("expected a JSON object"));
    std::filesystem::create_directories(place.path("many"));
    std::string metrics;
    for (int i = 0; i < 200'000; ++i)
        metrics += (i == 0 ? "\"m" : ", \"m") + std::to_string(i) + "\": 1";
    place.write("many/results.json", "{\"metrics\": {" + metrics + "}, \"scenario\": {}}");
    CHECK(place.shell("ulimit -t 60; " + quote(LEVEE_PROGRAM) + " report many").code == 0);
}

TEST_CASE("a file that does not fit into memory is reported by name")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("model"));
    place.write("model/config.json", "{");
    std::filesystem::resize_file(place.path("model/config.json"), std::uintmax_t{1} << 42);
    const Outcome outcome = place.shell("ulimit -v 8000000; " + quote(LEVEE_PROGRAM) +
                                        " import safetensors model -o x.levee");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("model/config.json: there is not enough memory for "
                                             "its 4398046511104 bytes"));
}

TEST_CASE("a file larger than any of its kind is refused before it is read")
{
    const Workplace place;
    std::filesystem::create_directories(place.path("dir"));
    for (const char* const name :
         {"big.yaml", "big.elf", "big.script", "big.txt", "dir/results.json"}) {
        place.write(name, "");
        std::filesystem::resize_file(place.path(name), std::uintmax_t{40} << 30);
    }
    for (const auto& [words, name] : std::vector<std::pair<std::string, std::string>>{
             {"run big.yaml", "big.yaml"},
             {"sweep big.yaml", "big.yaml"},
             {"run hello --set system=big.yaml", "big.yaml"},
             {"run hello --elf big.elf", "big.elf"},
             {"run hello --script big.script", "big.script"},
             {"run --set workload.prompts=null --set workload.prompt_file=big.txt", "big.txt"},
             {"report dir", "dir/results.json"}}) {
        const Outcome outcome =
            place.shell("ulimit -v 8000000; " + quote(LEVEE_PROGRAM) + " " + words);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(name) &&
                                     Catch::Contains("has 42949672960 bytes; expected at most "));
    }
}
