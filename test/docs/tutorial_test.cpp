// SPDX-License-Identifier: Apache-2.0
// Follows pages of docs/ (test/support/page.hpp).
#include "test/support/page.hpp"

using levee::test::quote;
using levee::test::Workplace;

namespace {

/// A folder that looks like the repository to the page's commands.
void furnish(const Workplace& place)
{
    // What is built already is not built again from inside a test.
    place.write("levee",
                "#!/bin/sh\n[ \"$1\" = build ] && exit\nexport LEVEE_RTL_CACHE=rtl_cache\nexec " +
                    quote(LEVEE_PROGRAM) + " \"$@\"\n");
    std::filesystem::permissions(place.path("levee"), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(place.path("build"));
    std::filesystem::create_directories(place.path("mine"));
    std::filesystem::create_symlink(LEVEE_FIRMWARE_DIR, place.path("build/firmware"));
    for (const char* folder : {"firmware", "ip", "rtl", "scenarios"})
        std::filesystem::create_symlink(std::filesystem::path(LEVEE_SOURCE) / folder,
                                        place.path(folder));
}

/// Follows a page of docs/ as if in the repository.
void follow_in_repository(const std::string& name, unsigned least_files, unsigned least_commands)
{
    const Workplace place;
    furnish(place);
    levee::test::follow(place, name, least_files, least_commands);
}

} // namespace

TEST_CASE("the architects' tutorial's commands print what it says")
{
    follow_in_repository("tutorial_architect.md", 1, 7);
}

TEST_CASE("the firmware tutorial's commands print what it says")
{
    follow_in_repository("firmware.md", 3, 10);
}

TEST_CASE("the hardware teams' tutorial's commands print what it says")
{
    follow_in_repository("tutorial_hardware.md", 0, 7);
}

TEST_CASE("the commands of the page about RTL of one's own print what it says")
{
    follow_in_repository("own_rtl.md", 1, 6);
}
