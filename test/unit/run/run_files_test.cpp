// SPDX-License-Identifier: Apache-2.0
// Tests that no file of a run overwrites another.
#include "platform/run/run_files.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace levee;
namespace fs = std::filesystem;

TEST_CASE("a file named on the command line must not be another file of the run")
{
    const fs::path folder = fs::temp_directory_path() / "levee_run_files";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const fs::path model = folder / "model.levee", link = folder / "link";
    std::ofstream(model) << "weights";
    fs::create_symlink(model, link);
    const fs::path out = folder / "out";
    config::ObserveConfig observe;
    observe.logits = config::OutputName{"logits.bin", {}};
    const auto refused = [&](std::vector<NamedFile> named) -> std::string {
        try {
            check_names(observe, named, RunFiles{{model}, {"results.json"}}, out);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refused({{"--trace bus", out / "bus.txt"}, {"--trace instr", "instr.txt"}}).empty());
    CHECK(refused({{"--trace bus", "/dev/null"}, {"--trace instr", "/dev/null"}}).empty());
    CHECK(refused({{"--trace timeline", out / "results.json"}}) ==
          "--trace timeline: '" + (out / "results.json").string() +
              "' is a file that the run writes itself; expected another name");
    CHECK(
        refused({{"--trace bus", out / "x" / ".." / "logits.bin"}}).find("'observe' or another") !=
        std::string::npos);
    CHECK(refused({{"--trace bus", "same"}, {"--trace instr", "./same"}}).find("another option") !=
          std::string::npos);
    CHECK(refused({{"--record-decisions", link}}).find("the run reads") != std::string::npos);
    fs::remove_all(folder);
}

TEST_CASE("a run refuses to read a file that it would replace with a result")
{
    const fs::path folder = fs::temp_directory_path() / "levee_run_files_read";
    fs::remove_all(folder);
    fs::create_directories(folder / "inner");
    const std::vector<std::string> written{"turns.csv", "requests.csv", "results.json",
                                           "energy_mine.csv"};
    const auto refused = [&](const fs::path& read, const char* logits = "logits.bin") {
        std::ofstream(folder / "other.csv") << "prompt_tokens\n5\n";
        config::ObserveConfig observe;
        observe.logits = config::OutputName{logits, {}};
        try {
            check_names(observe, {}, RunFiles{{read}, written}, folder);
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused(folder / "other.csv").empty());
    CHECK(refused(folder / "inner" / "turns.csv").empty());
    CHECK(refused("turns.csv").empty()); // The file is in the current folder.
    for (const std::string& name : written)
        CHECK(refused(folder / "inner" / ".." / name) ==
              "'" + (folder / "inner" / ".." / name).string() +
                  "' is a file that the run reads, and the run writes '" + name +
                  "' into its output folder; expected another folder");
    CHECK(refused(folder / "other.csv", "./other.csv").find("the run reads the file 'other.csv'") !=
          std::string::npos);
    fs::create_symlink("other.csv", folder / "turns.csv");
    CHECK(refused(folder / "turns.csv").find("the run writes 'turns.csv'") != std::string::npos);
    fs::remove_all(folder);
}

TEST_CASE("a run refuses to replace a table that no run has written")
{
    const fs::path folder = fs::temp_directory_path() / "levee_run_files_tables";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const auto refused = [&](const std::string& name, const std::string& head) {
        std::ofstream(folder / name) << head << "\n";
        try {
            check_names({}, {}, RunFiles{{}, {"results.json", name}}, folder);
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    for (const char* name : {"turns.csv", "requests.csv"})
        CHECK(refused(name, "prompt_tokens,max_new_tokens") ==
              "the run writes '" + std::string(name) +
                  "', and its output folder holds a table that no run wrote, '" +
                  (folder / name).string() + "'; expected another folder");
    CHECK(refused("turns.csv", "turn,prompt_tokens").empty()); // The table is from an earlier run.
    CHECK(refused("requests.csv", "request,arrival_s").empty());
    fs::remove_all(folder);
}
