// SPDX-License-Identifier: Apache-2.0
// Tests a debugger that loads another program. Messages about that program use its own names, or
// none.
#include "test/system/debugging.hpp"

using levee::test::check_in_order;
using levee::test::contains;
using levee::test::Debuggee;
using levee::test::gdb_is_missing;
using levee::test::run_gdb;
using levee::test::Workplace;

namespace {

std::string program(const std::string& name)
{
    return std::string(LEVEE_WRONG_PROGRAMS_DIR) + "/" + name + ".elf";
}

/// Returns a copy of a program in a folder without other programs.
std::string alone(const Workplace& place)
{
    std::filesystem::create_directories(place.path("alone"));
    const std::filesystem::path file = place.path("alone/yields.elf");
    std::filesystem::copy_file(program("yields"), file,
                               std::filesystem::copy_options::overwrite_existing);
    return file.string();
}

constexpr const char* wrong_place = "nothing is mapped there";

} // namespace

TEST_CASE("after load a fault is named in the new program's function")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"app", "--elf", program("yields"), "--no-report"});
    const std::string text = run_gdb(place, debuggee, program("nothing_there"), "load\ncontinue\n");
    check_in_order(text, {"Start address", "levee: the program is now ", "nothing_there"});
    (void)debuggee.wait();
    check_in_order(debuggee.text(), {"nothing_there.elf", wrong_place, "pc 0x", "<main+"});
    CHECK(contains(place.read("out/app/results.json"), "a debugger loaded "));
}

TEST_CASE("a loaded program that is not known has no names until the debugger says which it is")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    const std::string elsewhere = place.path("renamed").string();
    std::filesystem::copy_file(program("nothing_there"), elsewhere);
    for (const bool named : {false, true}) {
        Debuggee debuggee(place, {"app", "--elf", alone(place), "--no-report"});
        const std::string command =
            named ? "load\nmonitor program " + elsewhere + "\ncontinue\n" : "load\ncontinue\n";
        const std::string text = run_gdb(place, debuggee, elsewhere, command);
        (void)debuggee.wait();
        INFO(debuggee.text());
        CHECK(contains(text, "no file of the loaded program is known") == !named);
        CHECK(contains(debuggee.text(), "<main+") == named);
        CHECK(contains(debuggee.text(), "(in no function)") == !named);
    }
}

TEST_CASE("a patch at the pc leaves the program the one it is")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"app", "--elf", program("nothing_there"), "--no-report"});
    const std::string text = run_gdb(place, debuggee, program("nothing_there"), R"(
set var *(unsigned*)$pc = *(unsigned*)$pc
continue
)");
    (void)debuggee.wait();
    CHECK(!contains(text, "levee: "));
    CHECK(contains(debuggee.text(), "<main+"));
}

TEST_CASE("run goes back to the beginning, with the program that it names")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"app", "--elf", program("yields"), "--no-report"});
    const std::string commands = R"(
disconnect
eval "target extended-remote 127.0.0.1:%d", $port
stepi
stepi
set remote exec-file )" + program("nothing_there") +
                                 R"(
tbreak main
run
info mem
continue
)";
    const std::string text = run_gdb(place, debuggee, program("nothing_there"), commands);
    check_in_order(text, {"Temporary breakpoint 1, main", "0x80000000", "exited with code"});
    (void)debuggee.wait();
    check_in_order(debuggee.text(), {wrong_place, "<main+"});
}
