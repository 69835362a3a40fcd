// SPDX-License-Identifier: Apache-2.0
// Follows pages of docs/ (test/support/page.hpp).
#include "test/support/page.hpp"

using levee::test::quote;
using levee::test::Workplace;

namespace {

/// Makes a folder that looks like the repository to the page's commands. `build` replaces the
/// command `./levee build`, and `program` serves all other commands.
void furnish(const Workplace& place, const std::string& build, const std::string& program)
{
    place.write("levee", "#!/bin/sh\nif [ \"$1\" = build ]; then\n" + build +
                             "\nfi\nexport LEVEE_RTL_CACHE=rtl_cache\nexec " + program + "\n");
    std::filesystem::permissions(place.path("levee"), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(place.path("build"));
    std::filesystem::create_directories(place.path("mine"));
    for (const char* folder : {"core", "ip", "rtl", "scenarios"})
        std::filesystem::create_symlink(std::filesystem::path(LEVEE_SOURCE) / folder,
                                        place.path(folder));
}

/// Follows a page of docs/ as if in the repository.
void follow_in_repository(const std::string& name, unsigned least_files, unsigned least_commands)
{
    const Workplace place;
    furnish(place, "exit",
            quote(LEVEE_PROGRAM) + " \"$@\""); // Prevents a rebuild from inside a test.
    std::filesystem::create_symlink(LEVEE_FIRMWARE_DIR, place.path("build/firmware"));
    std::filesystem::create_symlink(std::filesystem::path(LEVEE_SOURCE) / "firmware",
                                    place.path("firmware"));
    levee::test::follow(place, name, least_files, least_commands);
}

/// Follows a page that changes firmware, in a copy of the firmware in which only the page's
/// programs are built. The platform with the page's policy is already built.
void follow_in_firmware(const std::string& name, unsigned least_files, unsigned least_commands)
{
    const Workplace place;
    furnish(
        place,
        "{ cmake -G Ninja -S firmware -B build/firmware && cmake --build build/firmware "
        "--target generate.elf recall.elf; } >build/log 2>&1 && exit\ncat build/log\nexit 1",
        quote(LEVEE_WITH_POLICY) +
            " \"$@\" --elf build/firmware/$(case $2 in *recall*) echo recall ;; *) echo generate "
            ";; esac).elf");
    std::filesystem::copy(std::filesystem::path(LEVEE_SOURCE) / "firmware", place.path("firmware"),
                          std::filesystem::copy_options::recursive);
    levee::test::follow(place, name, least_files, least_commands);
}

} // namespace

TEST_CASE("the commands of the architects' tutorial print the output shown there")
{
    follow_in_repository("tutorial_architect.md", 1, 7);
}

TEST_CASE("the commands of the firmware tutorial print the output shown there")
{
    follow_in_repository("firmware.md", 3, 10);
}

TEST_CASE("the commands of the page from main to a scheduler print the output shown there")
{
    follow_in_repository("../firmware/apps/tutorial/README.md", 2, 10);
}

TEST_CASE("the commands of the hardware teams' tutorial print the output shown there")
{
    follow_in_repository("tutorial_hardware.md", 0, 7);
}

TEST_CASE("the commands of the page about a user's own RTL print the output shown there")
{
    follow_in_repository("own_rtl.md", 1, 6);
}

TEST_CASE("the policy and the part on the page about extending firmware work as described there")
{
    follow_in_firmware("extending_firmware.md", 2, 12);
}
