// SPDX-License-Identifier: Apache-2.0
// Tests which files in a sweep's folder belong to the sweep.
#include "platform/studies/sweep/store.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <unistd.h>

using namespace levee::sweep;

namespace {

namespace fs = std::filesystem;

struct Folder {
    Folder() : path(fs::temp_directory_path() / ("levee_store." + std::to_string(::getpid())))
    {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    [[nodiscard]] std::set<std::string> names() const
    {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(path))
            all.insert(entry.path().filename().string());
        return all;
    }
    fs::path path;
};

} // namespace

TEST_CASE("a sweep removes the files of a killed sweep, but none of the user's")
{
    const Folder folder;
    const std::set<std::string> users{"notes.tmp",         "notes.12.tmp",    "table.csv.tmp",
                                      "table.csv.old.tmp", "scratch-notes",   "scratch-3",
                                      "scratch-",          "scratch-1-of-04", "12.tmp",
                                      "table.csv.12tmp",   "scratch-2.csv"};
    const std::set<std::string> left{"table.csv.123.tmp", "points.csv.5.tmp",  "table.txt.6.tmp",
                                     "sweep.json.7.tmp",  "report.html.4.tmp", "probe.77.tmp"};
    for (const auto* names : {&users, &left})
        for (const std::string& name : *names)
            std::ofstream(folder.path / name) << name;
    fs::create_directories(scratch_folder(folder.path, {3, 4}) / "0");
    fs::create_directories(scratch_folder(folder.path, {}) / "0");
    CHECK(scratch_folder(folder.path, {1, 2}) != scratch_folder(folder.path, {1, 3}));
    {
        const Store shard(folder.path, {1, 4}); // Other shards may be running in this folder.
        for (const std::string& name : left)
            CHECK(folder.names().contains(name));
    }
    const Store whole(folder.path, Shard{});
    std::set<std::string> expected = users;
    expected.insert({"lock", "points-1-of-4.lock"});
    CHECK(folder.names() == expected);
}

TEST_CASE("a journal line that is no record counts as damaged, and its point runs again")
{
    const Folder folder;
    {
        Journal journal(folder.path / "points.journal");
        for (const char* text :
             {R"({"key": "a"})", R"({"key": 1, "metrics": {}})", R"([1])",
              R"({"key": "b", "metrics": 2})", R"({"key": "c", "metrics": {}, "warnings": [1]})",
              R"({"key": "d", "error": 3})", R"({"key": "e", "metrics": {"x": 1.5}})"})
            journal.append(nlohmann::json::parse(text));
    }
    Store store(folder.path, Shard{});
    CHECK(store.read_all(Study{}) == (folder.path / "points.journal").string() +
                                         ": 6 damaged lines; their points run again\n");
    CHECK(store.find("e") != nullptr);
    CHECK(store.find("a") == nullptr);
}
