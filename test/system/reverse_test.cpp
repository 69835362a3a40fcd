// SPDX-License-Identifier: Apache-2.0
// Runs a real GDB backwards.
#include "test/system/debugging.hpp"

using levee::test::check_in_order;
using levee::test::contains;
using levee::test::Debuggee;
using levee::test::firmware;
using levee::test::gdb_is_missing;
using levee::test::GdbSession;
using levee::test::reproducible;
using levee::test::run_gdb;
using levee::test::Workplace;

namespace {

constexpr const char* back_and_forth = R"(
break test_dma
continue
set $begin = $pc
set $at = &received[1]
set $count = $minstret
stepi
stepi
stepi
reverse-stepi
reverse-stepi
reverse-stepi
print $pc == $begin && $minstret == $count
break test_rsa
continue
watch *$at
reverse-continue
print *$at
reverse-continue
print *$at
delete 3
reverse-continue
delete
reverse-continue
continue
)";

} // namespace

TEST_CASE("GDB goes back by instructions, lines, breakpoints and watchpoints, and forward again")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest", "--no-report"}, firmware("selftest"), back_and_forth);
    check_in_order(gdb.text, {"Breakpoint 1, test_dma", "$1 = 1", "Breakpoint 2, test_rsa",
                              "Hardware watchpoint 3: *$at", "Old value = 165", "New value = 8",
                              "$2 = 8", "written by dma", "Old value = 8", "New value = 0",
                              "$3 = 0", "Breakpoint 1, test_dma",
                              "No more reverse-execution history", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    // The program's text is printed once, however often it is executed.
    const std::string printed = gdb.debuggee.text();
    const std::size_t first = printed.find("timer: mtime and mcycle advance");
    REQUIRE(first != std::string::npos);
    CHECK(printed.find("timer: mtime and mcycle advance", first + 1) == std::string::npos);
    CHECK(contains(printed, "0 failures"));
}

TEST_CASE("a run that went back and forth gives the results of an ordinary run")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest", "--no-report", "--trace", "instr:back.txt"}, firmware("selftest"),
                   R"(
monitor checkpoint every 2us
break test_sfu
continue
monitor checkpoint
monitor checkpoints
reverse-step
reverse-stepi
monitor restart 4294967298
monitor restart 2
maintenance flush register-cache
monitor time
delete
continue
)");
    check_in_order(gdb.text, {"a checkpoint every 2us", "Breakpoint 1, test_sfu", ", kept",
                              "there is no checkpoint 4294967298", "us of simulated time",
                              "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    const auto debugged = reproducible(gdb.place.results("out/selftest"));
    REQUIRE(
        gdb.place.levee({"run", "selftest", "--no-report", "--trace", "instr:alone.txt"}).code ==
        0);
    CHECK(reproducible(gdb.place.results("out/selftest")) == debugged);
    CHECK(gdb.place.read("back.txt").size() > 10'000);
    CHECK(gdb.place.read("back.txt") == gdb.place.read("alone.txt"));
}

TEST_CASE("a change is undone when the run goes back before it, and kept otherwise")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest", "--no-report"}, firmware("selftest"), R"(
break test_rsa
continue
print failures
set var failures = 7
stepi
stepi
reverse-stepi
print failures
delete
tbreak test_dma
reverse-continue
print failures
delete
continue
)");
    check_in_order(gdb.text, {"$1 = 0", "$2 = 7", "test_dma", "$3 = 0", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
}

TEST_CASE("a file that the program appends to is also restored")
{
    if (gdb_is_missing())
        return;
    const std::string program = std::string(LEVEE_SEMIHOST_DIR) + "/append.elf";
    GdbSession gdb({"core", "--elf", program, "--out", "out", "--no-report"}, program, R"(
break between
continue
monitor checkpoint
continue
reverse-continue
continue
reverse-continue
reverse-continue
delete
continue
)");
    check_in_order(gdb.text,
                   {"Breakpoint 1, between", "kept", "Breakpoint 1, between",
                    "Breakpoint 1, between", "Breakpoint 1, between", "Breakpoint 1, between",
                    "No more reverse-execution history", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    CHECK(gdb.place.read("out/log.txt") == "one\ntwo\nthree\n");
}

TEST_CASE("kill ends a run that has gone back, with all its processes")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest", "--no-report"}, firmware("selftest"), R"(
break test_rsa
continue
reverse-stepi
kill
)");
    CHECK(gdb.debuggee.wait() == 1);
    CHECK(contains(gdb.debuggee.text(), "killed by the debugger"));
    const std::string folders = gdb.place
                                    .shell("for p in /proc/[0-9]*/comm; do grep -qx levee $p && "
                                           "readlink ${p%comm}cwd; done; true")
                                    .text;
    CHECK(!contains(folders, "levee_system_test." + std::to_string(getpid())));
}

namespace {

constexpr const char* change_commands = R"(
break test_rsa
continue
set var *(unsigned*)0x10040024 = 3
print *(unsigned*)0x10040024
monitor rsa.IRQ_ENABLE
monitor rsa.IRQ_ENABLE = 1
monitor rsa.ID = 7
monitor rsa.IRQENABLE
monitor flip counter 0 bit 4
monitor flip counter 0 bit 4
monitor set word failures = 9
print failures
monitor set word failures = 0
monitor set memory failures = 01 02
monitor flip memory failures bit 99
break irq_wait_until
continue
monitor descriptors
monitor descriptors rsa
monitor descriptors sync
monitor descriptors rsaa
set var *(unsigned*)0x10040000 = 1
)";

} // namespace

TEST_CASE("registers of blocks are written by address and by name, and descriptors shown by name")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest", "--no-report"}, firmware("selftest"), change_commands);
    check_in_order(
        gdb.text,
        {"$1 = 3", "rsa.IRQ_ENABLE = 0x00000003", "rsa.IRQ_ENABLE: 0x00000003 -> 0x00000001",
         "rsa.ID is read-only", "did you mean 'IRQ_ENABLE'?", "sync.VALUE0: 0x000000",
         "sync.VALUE0: 0x000000", "09 00 00 00", "$2 = 9", "-> 01 02", "'99' is not a valid bit",
         "rsa\n  0: GEMM, tag 1579089923, running since", "submitted at", "by command_queue_submit",
         "called from", "a    ", "tcm+0x", "sync executes no descriptors", "did you mean 'rsa'?"});
    CHECK(contains(gdb.debuggee.text(), "rsa.ID is read-only"));
}
