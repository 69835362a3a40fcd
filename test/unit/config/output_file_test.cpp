// SPDX-License-Identifier: Apache-2.0
// Tests that output files must be regular files, are opened without following links, and are locked
// against a second writer.
#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"
#include "test/unit/config/files.hpp"

#include <sys/file.h>
#include <sys/stat.h>

using namespace levee::config;

namespace {

std::string content_of(const std::string& path)
{
    std::string why;
    return read_file(path, 1000, why).value_or(why);
}

} // namespace

TEST_CASE("an output must be a regular file, and links, pipes, folders and devices are not changed")
{
    const Files files;
    const std::string kept = files.write("kept", "kept");
    const std::string link = files.path("link"), pipe = files.path("pipe");
    std::filesystem::create_symlink(kept, link);
    std::filesystem::create_symlink(files.path("none"), files.path("to_none"));
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto expected = [](const std::string& path, const char* kind) {
        return path + ": cannot be written: it is " + kind +
               "; expected a regular file, or an unused name";
    };
    for (const auto& [path, kind] : {std::pair{link, "a link"},
                                     {files.path("to_none"), "a link"},
                                     {pipe, "a pipe"},
                                     {files.folder().string(), "a folder"},
                                     {std::string("/dev/null"), "a device"}}) {
        CHECK_THROWS_WITH(open_output(path), expected(path, kind));
        CHECK_THROWS_WITH(open_new_output(path), expected(path, kind));
        CHECK_THROWS_WITH(output_stream(path), expected(path, kind));
        CHECK_THROWS_WITH(check_output(path), expected(path, kind));
        CHECK_THROWS_WITH(copy_output(kept, path), expected(path, kind));
    }
    CHECK_FALSE(std::filesystem::exists(files.path("none")));
    CHECK(content_of(kept) == "kept");
}

TEST_CASE("a named output may be a link, a device or a pipe with a reader")
{
    const Files files;
    const std::string target = files.write("target", "old"), link = files.path("link");
    std::filesystem::create_symlink(target, link);
    const OutputWay named{.named = true};
    ::close(open_new_output(link, named));
    CHECK(content_of(target).empty());
    ::close(open_new_output("/dev/null", named));
    const std::string pipe = files.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(open_new_output(pipe, named),
                      pipe + ": cannot be written: no process reads this pipe");
}

TEST_CASE("a new output is locked while it is open, and only the holder of the lock empties it")
{
    const Files files;
    const std::string path = files.write("out", "first");
    const int first = open_new_output(path);
    REQUIRE(::write(first, "mine", 4) == 4);
    CHECK_THROWS_WITH(
        open_new_output(path),
        Catch::StartsWith(path + ": cannot be written: process ") &&
            Catch::Contains(" is writing it; expected another name, or wait until that run ends"));
    CHECK(content_of(path) == "mine");
    // A finished recording is renamed like this.
    std::filesystem::rename(path, files.path("renamed"));
    const int second = open_new_output(path);
    CHECK(content_of(files.path("renamed")) == "mine");
    ::close(first);
    ::close(second);
    ::close(open_new_output(path));
}

TEST_CASE("a stream empties its file, or continues at its end")
{
    const Files files;
    const std::string path = files.write("out", "old");
    output_stream(path) << "a";
    output_stream(path, std::ios::app) << "b";
    CHECK(content_of(path) == "ab");
}

TEST_CASE("folders are created in a folder, and not through a link")
{
    const Files files;
    const std::string root = files.path("root");
    std::filesystem::create_directories(files.path("elsewhere"));
    make_inner_folder(root, root + "/a/b");
    CHECK(std::filesystem::is_directory(root + "/a/b"));
    make_inner_folder(root, root + "/a/b");
    std::filesystem::create_directory_symlink(files.path("elsewhere"), root + "/link");
    for (const char* const inner : {"/link", "/link/c"})
        CHECK_THROWS_WITH(make_inner_folder(root, root + inner),
                          root + "/link: expected a folder, or an unused name");
    CHECK(std::filesystem::is_empty(files.path("elsewhere")));
    std::filesystem::create_directory_symlink(root, files.path("named"));
    // The folder that the user named may itself be a link.
    make_inner_folder(files.path("named"), files.path("named") + "/c");
    CHECK(std::filesystem::is_directory(root + "/c"));
}

TEST_CASE("a file is read whole up to a limit")
{
    const Files files;
    std::string why;
    CHECK(read_file(files.write("full", std::string(10, 'x')), 10, why) == std::string(10, 'x'));
    CHECK_FALSE(read_file(files.write("long", std::string(11, 'x')), 10, why));
    CHECK(why == "has 11 bytes; expected at most 10");
    CHECK_FALSE(read_file("/dev/zero", 10, why));
    CHECK(why == "is a device; expected a file");
}
