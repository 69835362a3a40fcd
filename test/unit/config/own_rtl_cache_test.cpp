// SPDX-License-Identifier: Apache-2.0
// Tests that a built design is reused only while its sources are unchanged, with any characters in
// their names. An unreadable source counts as changed.
#include "core/rtl/build/cache.hpp"
#include "core/rtl/build/tools.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <unistd.h>

using namespace levee;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<fs::path>;

struct Folder {
    Folder() : path(fs::temp_directory_path() / ("levee_rtl_cache." + std::to_string(::getpid())))
    {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    [[nodiscard]] fs::path write(const fs::path& name, const std::string& text) const
    {
        fs::create_directories((path / name).parent_path());
        own_rtl::write_text(path / name, text);
        fs::last_write_time(path / name, long_ago);
        return path / name;
    }
    const fs::file_time_type long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    const fs::file_time_type begun = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    fs::path path;
};

} // namespace

TEST_CASE("a change is found, whatever characters the file's path has")
{
    const Folder folder;
    const fs::path list = folder.path / "inputs";
    for (const char* const name :
         {"a b", "tab\there", "quote'd", "double\"d", "$HOME", "line\nbreak", "#", "back\\slash",
          "trailing\\", "co:lon", "uni\u00e9", "-"}) {
        INFO(name);
        const fs::path file = folder.write(fs::path(name) / "a design.sv", "right");
        const fs::path other = folder.write("other.sv", "other");
        own_rtl::write_fingerprints(list, {file, other}, folder.begun);
        CHECK(own_rtl::fingerprints_hold(list));
        CHECK_FALSE(folder.write(fs::path(name) / "a design.sv", "wrong").empty());
        CHECK_FALSE(own_rtl::fingerprints_hold(list));
    }
}

TEST_CASE("a file that cannot be read counts as changed")
{
    const Folder folder;
    const fs::path list = folder.path / "inputs", file = folder.write("a.sv", "");
    CHECK_FALSE(own_rtl::fingerprints_hold(list)); // The list does not exist.
    own_rtl::write_fingerprints(list, {file}, folder.begun);
    CHECK(own_rtl::fingerprints_hold(list)); // An empty file is readable.
    fs::remove(file);
    CHECK_FALSE(own_rtl::fingerprints_hold(list));
    own_rtl::write_fingerprints(list, {file}, folder.begun);
    CHECK_FALSE(own_rtl::fingerprints_hold(list)); // This file never existed.
    own_rtl::write_fingerprints(list, {folder.path}, folder.begun);
    CHECK_FALSE(own_rtl::fingerprints_hold(list)); // The path is a folder.
    own_rtl::write_fingerprints(list, {}, folder.begun);
    CHECK_FALSE(own_rtl::fingerprints_hold(list)); // An empty list matches no build.
}

TEST_CASE("a file written while the design was built counts as changed")
{
    const Folder folder;
    const fs::path list = folder.path / "inputs", file = folder.write("a.sv", "new");
    own_rtl::write_fingerprints(list, {file}, folder.long_ago - std::chrono::hours(1));
    CHECK_FALSE(own_rtl::fingerprints_hold(list));
}

TEST_CASE("names in a make rule end at unescaped blanks")
{
    const Folder folder;
    const fs::path rule = folder.write(
        "rule.d",
        "out\\ of:here/glue.o: /a\\ b/c.hpp \\\n /do$$lar/x.hpp /ha\\#sh.hpp /co\\:lon.hpp \\\n"
        "  /back\\slash.hpp /end\\\\\\ x.hpp /co:lon.hpp\n");
    CHECK(own_rtl::prerequisites(rule) == Paths{"/a b/c.hpp", "/do$lar/x.hpp", "/ha#sh.hpp",
                                                "/co:lon.hpp", "/back\\slash.hpp", "/end\\ x.hpp",
                                                "/co:lon.hpp"});
    CHECK_THROWS(own_rtl::prerequisites(folder.write("empty.d", "glue.o:\n")));
    CHECK_THROWS(own_rtl::prerequisites(folder.path / "missing.d"));
}

TEST_CASE("Verilator's list of files has their names in quotes")
{
    const Folder folder;
    const fs::path list = folder.write("files.dat", "# DESCRIPTION\nC \"--cc /a b/m.sv\"\n"
                                                    "S  74 115 17 115 17 115 \"/a b/m \"x\".sv\"\n"
                                                    "S  0 0 0 0 1 0 \"/a\"\n"
                                                    "S  0 1 1 1 1 1 \"/c.sv\"\n"
                                                    "T  9 1 1 1 1 1 \"/own/Vown.cpp\"\n");
    CHECK(own_rtl::verilated_sources(list) == Paths{"/a b/m \"x\".sv", "/c.sv"});
    CHECK_THROWS(own_rtl::verilated_sources(folder.path / "missing.dat"));
}
