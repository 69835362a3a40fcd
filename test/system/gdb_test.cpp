// SPDX-License-Identifier: Apache-2.0
// Runs a real GDB on real firmware.
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

TEST_CASE("breakpoints, steps, registers and memory work on the hello firmware")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"hello"}, firmware("hello"), R"(
break main
hbreak hostlink_metric_u64
continue
backtrace
info registers
p/x $mstatus
p/x $misa
set $mscratch = 0x1234
p/x $mscratch
p $mcycle > 0
x/2i $pc
p/x *(unsigned int*)0x1000
stepi
next
next
step
finish
info breakpoints
continue
backtrace
delete
continue
)");
    check_in_order(gdb.text,
                   {"Breakpoint 1, main ()", "#0  main ()", "ra  ", "sp  ", "t6  ", "pc  ",
                    "$1 = 0x18", "$2 = 0x40001105", "$3 = 0x1234", "$4 = 1", "=> 0x8", "main () at",
                    "hello.c", "hw breakpoint", "Breakpoint 2, hostlink_metric_u64", "#1  0x",
                    " in main ()", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    CHECK(contains(gdb.debuggee.text(), "Hello from the core"));
}

TEST_CASE("a program whose exit code has a low byte of 0 is not reported as a normal exit")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    const std::string program = std::string(LEVEE_BARE_DIR) + "/ends_with_256.elf";
    Debuggee debuggee(place, {"app", "--elf", program});
    check_in_order(run_gdb(place, debuggee, program, "continue\n"), {"exited with code 01"});
    CHECK(debuggee.wait() == 1);
}

TEST_CASE("step enters a function, finish leaves it, next steps over it")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest"}, firmware("selftest"), R"(
break command_queue_submit
continue
up
down
finish
tbreak sync_arm
continue
step
next
backtrace
kill
)");
    check_in_order(gdb.text, {"Breakpoint 1, command_queue_submit", "#1  ", "#0  ",
                              "run (queue=", "sync_arm", "#0  ", "#1  ", "killed"});
    CHECK(gdb.debuggee.wait() == 1);
    CHECK(contains(gdb.debuggee.text(), "killed by the debugger"));
}

TEST_CASE("watchpoints see the core and the blocks, and say which block it was")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest"}, firmware("selftest"), R"(
break test_dma
continue
watch received[1]
rwatch sent[3]
continue
continue
continue
delete
break test_rsa
continue
awatch descriptor.opcode
continue
continue
delete
continue
)");
    check_in_order(gdb.text,
                   {"Breakpoint 1, test_dma", "read by dma", "Hardware read watchpoint 3: sent[3]",
                    "written by dma", "Hardware watchpoint 2: received[1]", "Old value = 0",
                    "New value = 8", "Hardware read watchpoint 3: sent[3]", "in memcmp",
                    "Hardware access (read/write) watchpoint 5", "New value = 1 ",
                    "in descriptor_init", "read by rsa",
                    "Hardware access (read/write) watchpoint 5", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    CHECK(contains(gdb.debuggee.text(), "0 failures"));
}

namespace {

constexpr const char* monitor_commands = R"(
monitor help
monitor blocks
break test_rsa
continue
break irq_wait_until
continue
monitor blocks
monitor rsa
monitor uart
monitor plic
monitor sync
monitor time
monitor until rsa idle
monitor rsa
maintenance flush register-cache
backtrace
monitor memory 0x80000000 20
monitor memory 0x100000000 4
monitor memory 0x9999999999 4
monitor memory 0x80000000
monitor until dma idle
monitor until sync idle
monitor until rsa
monitor dmaa
x/2wx 0x10040000
x/1bx 0x10040081
set var *(int*)0x10040000 = 1
)";

} // namespace

TEST_CASE("monitor shows blocks, queues, counters and time, and runs until a block is idle")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"selftest"}, firmware("selftest"), monitor_commands);
    check_in_order(gdb.text, {"monitor until BLOCK idle",
                              "registers 0x10040000  interrupt  4  idle",
                              "Breakpoint 2, irq_wait_until",
                              "0x10040000  interrupt  4  running",
                              "which is running",
                              "STATUS           0x00000001",
                              "ROWS ",
                              "operations 0",
                              "0x10000000  RBR/THR          0x00000000",
                              "0x10000005  LSR              0x00000060",
                              "0x0c000010  priority4        0x00000001",
                              "counters are zero",
                              "us of simulated time",
                              "until rsa is idle",
                              "us of simulated time",
                              "queue: idle",
                              "operations 1",
                              "#0  ",
                              "0x000080000000  ",
                              "0x000100000000  00 00 00 00",
                              "nothing can be read at 0x9999999999",
                              "expected monitor memory ADDRESS LENGTH",
                              "dma is idle",
                              "never busy",
                              "expected monitor until BLOCK idle",
                              "did you mean 'dma'?",
                              "0x10040000:\t0x00000003",
                              "0x10040081:\t0x00",
                              "Cannot access memory at address 0x10040000"});
}

TEST_CASE("load writes a program to memory and runs it")
{
    if (gdb_is_missing())
        return;
    const std::string tests = LEVEE_ISA_DIR;
    GdbSession gdb({"core", "--elf", tests + "/alu.elf"}, tests + "/fails.elf", "load\ncontinue\n");
    check_in_order(gdb.text,
                   {"Loading section .text", "Start address 0x80000000", "exited with code"});
    CHECK(gdb.debuggee.wait() == 1);
}

TEST_CASE(
    "Ctrl-C stops a sleeping core and its time, and after a detach the run is as if never stopped")
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    std::string prompts = "workload.prompts=[a";
    for (int i = 0; i < 15; ++i)
        prompts += ", a"; // This is enough work to be interrupted.
    const std::vector<std::string> run{"demo", "--quiet", "--set", prompts + "]"};
    Debuggee debuggee(place, run);
    // Sends Ctrl-C when the run has used 0.2 s of CPU time (proc(5)), however long that takes.
    const std::string at_work = "awk '{exit !($14 < " + std::to_string(debuggee.cpu_ticks() + 20) +
                                " && $3 != \"Z\")}' /proc/" + std::to_string(debuggee.process()) +
                                "/stat";
    const std::string interrupt =
        "shell (while " + at_work + "; do sleep 0.02; done; kill -INT $PPID) &\n";
    const std::string text = run_gdb(place, debuggee, firmware("generate"), interrupt + R"(continue
monitor time
shell sleep 0.5
monitor time
disconnect
shell sleep 0.3
eval "target remote 127.0.0.1:%d", $port
monitor time
stepi
detach
)");
    check_in_order(text, {"SIGINT", "us of simulated time", "detached"});
    // The same line must appear three times.
    const std::size_t line = text.rfind('\n', text.find(" us of simulated time")) + 1;
    const std::string time = text.substr(line, text.find('\n', line) + 1 - line);
    check_in_order(text, {time, time, time});
    CHECK(debuggee.wait() == 0);
    const auto debugged = reproducible(place.results("out/demo"));
    std::vector<std::string> again{"run"};
    again.insert(again.end(), run.begin(), run.end());
    CHECK(place.levee(again).code == 0);
    CHECK(reproducible(place.results("out/demo")) == debugged);
}

TEST_CASE("a trace of a debugged run equals the trace of a run without a debugger")
{
    if (gdb_is_missing())
        return;
    GdbSession gdb({"hello", "--trace", "instr:debugged.txt"}, firmware("hello"), R"(
break main
continue
next
stepi 20
step
watch *(int*)0x80000f00
continue
)");
    check_in_order(gdb.text, {"Breakpoint 1, main ()", "exited normally"});
    CHECK(gdb.debuggee.wait() == 0);
    CHECK(gdb.place.levee({"run", "hello", "--trace", "instr:alone.txt"}).code == 0);
    CHECK(gdb.place.read("alone.txt").size() > 10'000);
    CHECK(gdb.place.read("debugged.txt") == gdb.place.read("alone.txt"));
}

TEST_CASE("the sessions of docs/debugging.md run as printed there")
{
    if (gdb_is_missing())
        return;
    std::ifstream document(std::string(LEVEE_SOURCE) + "/docs/debugging.md");
    const std::string mark = "```gdb ";
    unsigned sessions = 0;
    for (std::string line; std::getline(document, line);) {
        if (!line.starts_with(mark))
            continue;
        const std::string app = line.substr(mark.size());
        std::string commands;
        std::vector<std::string> expected;
        const std::string prompt = "(gdb) ";
        while (std::getline(document, line) && line != "```") {
            if (line.starts_with(prompt)) {
                commands += line.substr(prompt.size()) + "\n";
                continue;
            }
            const std::string gap = "[...]"; // On the page, this represents any text.
            for (std::size_t at = 0; at <= line.size();) {
                const std::size_t end = std::min(line.find(gap, at), line.size());
                if (end > at)
                    expected.push_back(line.substr(at, end - at));
                at = end + gap.size();
            }
        }
        const Workplace place;
        Debuggee debuggee(place, {app});
        check_in_order(run_gdb(place, debuggee, firmware(app), commands + "kill\n"), expected);
        CHECK(expected.size() > 5);
        ++sessions;
    }
    CHECK(sessions == 3);
}
