// SPDX-License-Identifier: Apache-2.0
// Builds programs outside the tree with the installed HAL.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Workplace;

namespace {

/// Installs the HAL into the workplace's folder `hal`.
void install(const Workplace& place)
{
    const Outcome outcome = place.shell("cmake --install " + quote(LEVEE_FIRMWARE_DIR) +
                                        " --prefix " + quote(place.path("hal").string()));
    REQUIRE(outcome.code == 0);
}

/// Builds a project with these programs, each from the file of its name.
void build(const Workplace& place, const std::vector<std::string>& programs)
{
    std::string project = "cmake_minimum_required(VERSION 3.25)\nproject(mine C ASM)\n"
                          "find_package(levee-firmware REQUIRED)\n";
    for (const std::string& program : programs)
        project += "levee_firmware_program(" + program + " " + program + ".c)\n";
    place.write("CMakeLists.txt", project);
    const Outcome outcome = place.shell(
        "cmake -G Ninja -S . -B build --toolchain hal/toolchain.cmake && cmake --build build");
    REQUIRE(outcome.code == 0);
    CHECK(outcome.text.find("warning") == std::string::npos);
}

} // namespace

TEST_CASE("a tiny program builds against the installed HAL and runs on any system")
{
    const Workplace place;
    install(place);
    place.write("tiny.c", "#include \"firmware/hal/system.h\"\n"
                          "#include <stdio.h>\n"
                          "int main(void)\n"
                          "{\n"
                          "    printf(\"%lu blocks\\n\", system_info()->block_count);\n"
                          "    return system_info()->block_count == 4 ? 0 : 5;\n"
                          "}\n");
    build(place, {"tiny"});
    const Outcome baseline = place.levee({"run", "--app", "build/tiny.elf"});
    CHECK(baseline.code == 0);
    CHECK(baseline.text.starts_with("4 blocks\n"));
    CHECK(place.results("out/tiny")["exit_code"] == 0);
    const Outcome core = place.levee({"run", "core", "--elf", "build/tiny.elf"});
    CHECK(core.code == 1);
    CHECK(core.text.starts_with("0 blocks\n"));
    CHECK(place.results("out/core")["exit_code"] == 5);
}

TEST_CASE("two sources with the same name build in the host's project and in the core's")
{
    const Workplace place;
    install(place);
    for (const char* folder : {"front", "back"})
        std::filesystem::create_directories(place.path(folder));
    place.write("front/main.c", "int answer(void);\nint main(void) { return answer() - 42; }\n");
    place.write("back/main.c", "int answer(void);\nint answer(void) { return 42; }\n");
    place.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine C)\n"
                                  "find_package(levee-firmware REQUIRED)\n"
                                  "levee_firmware_program(both front/main.c back/main.c)\n");
    for (const std::string options :
         {"-B host -DCMAKE_PREFIX_PATH=$PWD/hal", "-B core --toolchain hal/toolchain.cmake"}) {
        REQUIRE(place.shell("cmake -G Ninja -S . " + options).code == 0);
        const std::string folder = options.substr(3, 4);
        REQUIRE(place.shell("cmake --build " + folder).code == 0);
        CHECK(place.levee({"run", "core", "--elf", folder + "/both.elf"}).code == 0);
    }
}

TEST_CASE("static objects of a C++ program are constructed")
{
    const Workplace place;
    install(place);
    place.write("clock.cpp", "#include <stdio.h>\n"
                             "struct Clock { explicit Clock(int hz) : hz(hz) {}\n"
                             "               ~Clock() { printf(\"~%d\\n\", hz); } int hz; };\n"
                             "static int rate() { return 1000; }\n"
                             "static Clock first(rate());\n"
                             "int main() { static Clock other(first.hz + 1);\n"
                             "             return other.hz - 1001; }\n");
    place.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine CXX ASM)\n"
                                  "find_package(levee-firmware REQUIRED)\n"
                                  "levee_firmware_program(clock clock.cpp)\n");
    const Outcome built = place.shell(
        "cmake -G Ninja -S . -B build --toolchain hal/toolchain.cmake && cmake --build build");
    INFO(built.text);
    REQUIRE(built.code == 0);
    const Outcome outcome = place.levee({"run", "--app", "build/clock.elf"});
    CHECK(outcome.code == 0);
    CHECK(outcome.text.starts_with("~1001\n~1000\n"));
}

TEST_CASE("the examples also build and run outside the tree")
{
    const Workplace place;
    install(place);
    const std::vector<std::string> examples{"hello", "gemv", "overlap", "interrupt",
                                            "attention_head"};
    for (const std::string& name : examples)
        std::filesystem::copy(std::string(LEVEE_SOURCE) + "/firmware/apps/" + name + ".c",
                              place.path(name + ".c"));
    build(place, examples);
    // The programs check their own results. Cycles are not compared, because they depend on the
    // linker's layout.
    for (const std::string& name : examples)
        CHECK(place.levee({"run", "--app", "build/" + name + ".elf"}).code == 0);
}
