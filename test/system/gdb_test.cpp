// A real GDB on real firmware, and the protocol's other side at its worst.
#include "test/system/debugging.hpp"

using levee::test::Debuggee;
using levee::test::RemoteClient;
using levee::test::reproducible;
using levee::test::run_gdb;
using levee::test::Workplace;

namespace {

bool skipped()
{
    if (levee::test::gdb_is_installed())
        return false;
    WARN("skipped: gdb-multiarch is not installed");
    return true;
}

std::string firmware(const std::string& app)
{
    return std::string(LEVEE_FIRMWARE_DIR) + "/" + app + ".elf";
}

/// Each of `parts` occurs in `text`, behind the one before.
void check_order(const std::string& text, const std::vector<std::string>& parts)
{
    std::size_t at = 0;
    for (const std::string& part : parts) {
        const std::size_t found = text.find(part, at);
        INFO("looked for: " << part << "\nin: " << text);
        REQUIRE(found != std::string::npos);
        at = found + part.size();
    }
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// CPU seconds that a process has used.
double cpu_seconds(pid_t process)
{
    std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
    std::string word;
    std::getline(stream, word, ')'); // the name may have spaces
    std::vector<std::string> words;
    while (stream >> word)
        words.push_back(word);
    constexpr std::size_t user = 11, system = 12; // behind the name: proc(5), fields 14 and 15
    return static_cast<double>(std::stoull(words.at(user)) + std::stoull(words.at(system))) /
           static_cast<double>(sysconf(_SC_CLK_TCK));
}

double instructions(RemoteClient& client)
{
    const std::string text = client.monitor("time");
    const std::size_t end = text.find(" instructions");
    REQUIRE(end != std::string::npos);
    return std::stod(text.substr(text.rfind(' ', end - 1)));
}

constexpr const char* long_count = "P0c=ffffff7f"; // a2 of test/bench/core/alu.S

/// The core at work for longer than any test.
void start_counting(RemoteClient& client)
{
    for (int i = 0; i < 4; ++i) // li, li (two), li
        REQUIRE(client.ask("s").substr(0, 3) == "T05");
    REQUIRE(client.ask(long_count) == "OK");
}

} // namespace

TEST_CASE("breakpoints, steps, registers and memory of the hello firmware")
{
    if (skipped())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    const std::string text = run_gdb(place, debuggee, firmware("hello"), R"(
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
    check_order(text,
                {"Breakpoint 1, main ()", "#0  main ()", "ra  ", "sp  ", "t6  ", "pc  ",
                 "$1 = 0x18", "$2 = 0x40001105", "$3 = 0x1234", "$4 = 1", "=> 0x8", "main () at",
                 "hello.c", "hw breakpoint", "Breakpoint 2, hostlink_metric_u64", "#1  0x",
                 " in main ()", "exited normally"});
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "Hello from the core"));
}

TEST_CASE("step goes into a function, finish out of it, next over it")
{
    if (skipped())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"selftest"});
    const std::string text = run_gdb(place, debuggee, firmware("selftest"), R"(
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
    check_order(text, {"Breakpoint 1, command_queue_submit", "#1  ", "#0  ",
                       "run (queue=", "sync_arm", "#0  ", "#1  ", "killed"});
    CHECK(debuggee.wait() == 1);
    CHECK(contains(debuggee.text(), "killed by the debugger"));
}

TEST_CASE("watchpoints see the core and the blocks, and say which block it was")
{
    if (skipped())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"selftest"});
    const std::string text = run_gdb(place, debuggee, firmware("selftest"), R"(
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
    check_order(
        text, {"Breakpoint 1, test_dma", "read by dma", "Hardware read watchpoint 3: sent[3]",
               "written by dma", "Hardware watchpoint 2: received[1]", "Old value = 0",
               "New value = 8", "Hardware read watchpoint 3: sent[3]", "in memcmp",
               "Hardware access (read/write) watchpoint 5", "New value = 1 ", "in descriptor_init",
               "read by rsa", "Hardware access (read/write) watchpoint 5", "exited normally"});
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "0 failures"));
}

TEST_CASE("monitor shows blocks, queues, counters and time, and runs until a block is idle")
{
    if (skipped())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"selftest"});
    const std::string text = run_gdb(place, debuggee, firmware("selftest"), R"(
monitor help
monitor blocks
break test_rsa
continue
break irq_wait_until
continue
monitor blocks
monitor rsa
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
)");
    check_order(text, {"monitor until BLOCK idle",
                       "registers 0x10040000  interrupt  4  idle",
                       "Breakpoint 2, irq_wait_until",
                       "0x10040000  interrupt  4  running",
                       "which is running",
                       "STATUS           0x00000001",
                       "ROWS ",
                       "operations 0",
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

TEST_CASE("load puts a program in place and runs it")
{
    if (skipped())
        return;
    const Workplace place;
    const std::string tests = LEVEE_ISA_DIR;
    Debuggee debuggee(place, {"core", "--elf", tests + "/alu.elf"});
    const std::string text = run_gdb(place, debuggee, tests + "/fails.elf", "load\ncontinue\n");
    check_order(text, {"Loading section .text", "Start address 0x80000000", "exited with code"});
    CHECK(debuggee.wait() == 1);
}

TEST_CASE("Ctrl-C stops a sleeping core and time, and detached it ends as if never stopped")
{
    if (skipped())
        return;
    const Workplace place;
    std::string prompts = "workload.prompts=[a";
    for (int i = 0; i < 15; ++i)
        prompts += ", a"; // work enough to be interrupted
    const std::vector<std::string> run{"demo", "--quiet", "--set", prompts + "]"};
    Debuggee debuggee(place, run);
    const std::string text = run_gdb(place, debuggee, firmware("generate"), R"(
shell (sleep 0.6; kill -INT $PPID) &
continue
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
    check_order(text, {"SIGINT", "us of simulated time", "detached"});
    // Three times the same line.
    const std::size_t line = text.rfind('\n', text.find(" us of simulated time")) + 1;
    const std::string time = text.substr(line, text.find('\n', line) + 1 - line);
    check_order(text, {time, time, time});
    CHECK(debuggee.wait() == 0);
    const auto debugged = reproducible(place.results("out/demo"));
    std::vector<std::string> again{"run"};
    again.insert(again.end(), run.begin(), run.end());
    CHECK(place.levee(again).code == 0);
    CHECK(reproducible(place.results("out/demo")) == debugged);
}

TEST_CASE("a trace of a run that is debugged is the trace of one that is not")
{
    if (skipped())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"hello", "--trace", "instr:debugged.txt"});
    const std::string text = run_gdb(place, debuggee, firmware("hello"), R"(
break main
continue
next
stepi 20
step
watch *(int*)0x80000f00
continue
)");
    check_order(text, {"Breakpoint 1, main ()", "exited normally"});
    CHECK(debuggee.wait() == 0);
    CHECK(place.levee({"run", "hello", "--trace", "instr:alone.txt"}).code == 0);
    CHECK(place.read("alone.txt").size() > 10'000);
    CHECK(place.read("debugged.txt") == place.read("alone.txt"));
}

TEST_CASE("a run that does not wait can be joined, left and joined again")
{
    const Workplace place;
    Debuggee debuggee(place, {"core", "--elf", LEVEE_BENCH_ALU, "--gdb-wait", "no"});
    double before = 0;
    for (int i = 0; i < 3; ++i) {
        RemoteClient client(debuggee.port());
        CHECK(client.ask("?") == "T05thread:1;");
        if (i == 0)
            CHECK(client.ask(long_count) == "OK");
        const double now = instructions(client);
        CHECK(now > before);
        before = now;
        CHECK(client.ask("D") == "OK");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    RemoteClient client(debuggee.port());
    CHECK(client.ask("vKill;1") == "OK");
    CHECK(debuggee.wait() == 1);
}

TEST_CASE("malformed packets on the wire are refused, and the run is none the worse")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    RemoteClient client(debuggee.port());
    client.send_raw("$?#00");
    CHECK(client.byte() == '-');
    CHECK(client.ask("?") == "T05thread:1;");
    CHECK(client.ask("m8000") == "E01");
    CHECK(client.ask("X80000000,4:ab") == "E01");
    CHECK(client.ask("P20=zz") == "E01");
    CHECK(client.ask(std::string(20000, 'm')) == "E01");
    CHECK(client.ask("madness") == "E01");
    CHECK(client.ask("unknown").empty());
    CHECK(client.ask("m0,4") == "E0e");
    client.send_raw("\x01\xFFnoise$$#\x03#$?#3f");
    CHECK(client.receive() == "T05thread:1;");
    client.send_raw("-"); // it did not arrive, says the other side
    CHECK(client.receive() == "T05thread:1;");
    CHECK(client.ask("QStartNoAckMode") == "OK");
    CHECK(client.ask("?") == "T05thread:1;");
    client.send_raw("$?#00");
    CHECK(client.receive() == "E01"); // no '-' any more, but an error
    CHECK(client.ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "Hello from the core"));
}

TEST_CASE("a core that runs answers nothing but Ctrl-C")
{
    const Workplace place;
    Debuggee debuggee(place, {"core", "--elf", LEVEE_BENCH_ALU});
    RemoteClient client(debuggee.port());
    start_counting(client);
    client.send("c");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(client.ask("m80000000,4") == "E01");
    client.send_raw("\x03");
    CHECK(client.receive() == "T02thread:1;");
    CHECK(client.ask("m80000000,4").size() == 8);
    client.send("k");
    CHECK(debuggee.wait() == 1);
}

TEST_CASE("a program that waits for ever can still be looked at")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    RemoteClient client(debuggee.port());
    CHECK(client.ask("M80000000,4:73005010") == "OK"); // wfi, with no interrupt enabled
    client.send("c");
    std::string message;
    std::string packet = client.receive();
    for (; packet.substr(0, 1) == "O"; packet = client.receive())
        message += RemoteClient::from_hex(packet.substr(1));
    CHECK(contains(message, "nothing will raise"));
    CHECK(packet == "T05thread:1;");
    CHECK(client.ask("p20") == "04000080");
    for (packet = client.ask("c"); packet.substr(0, 1) == "O";)
        packet = client.receive();
    CHECK(packet.substr(0, 1) == "W");
    CHECK(packet != "W00");
    CHECK(debuggee.wait() > 0);
}

TEST_CASE("a program runs as fast under a debugger as without")
{
    const Workplace place;
    Debuggee debuggee(place, {"core", "--elf", LEVEE_BENCH_ALU});
    auto client = std::make_unique<RemoteClient>(debuggee.port());
    start_counting(*client);
    // Instructions per second of CPU time; in turns, as the machine may have other work.
    double attached = 0, alone = 0;
    const auto rate = [&](auto&& go, auto&& halt) {
        const double count = instructions(*client), cpu = cpu_seconds(debuggee.process());
        go();
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        halt();
        return (instructions(*client) - count) / (cpu_seconds(debuggee.process()) - cpu);
    };
    for (int round = 0; round < 3; ++round) {
        attached = std::max(attached, rate([&] { client->send("c"); },
                                           [&] {
                                               client->send_raw("\x03");
                                               REQUIRE(client->receive() == "T02thread:1;");
                                           }));
        alone = std::max(alone, rate(
                                    [&] {
                                        REQUIRE(client->ask("D") == "OK");
                                        client.reset();
                                    },
                                    [&] {
                                        client = std::make_unique<RemoteClient>(debuggee.port());
                                        REQUIRE(client->ask("?") == "T05thread:1;");
                                    }));
    }
    UNSCOPED_INFO("attached " << attached / 1e6 << " MIPS, alone " << alone / 1e6);
    CHECK(attached > 0.9 * alone);
}

TEST_CASE("a port that cannot be is refused before the run")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    const auto taken = place.levee({"run", "hello", "--gdb", std::to_string(debuggee.port())});
    CHECK(taken.code == 2);
    CHECK(contains(taken.text, "--gdb: cannot listen on 127.0.0.1:"));
    CHECK_FALSE(contains(taken.text, "Hello"));
    const auto word = place.levee({"run", "hello", "--gdb", "door"});
    CHECK(word.code == 2);
    CHECK(contains(word.text, "'door' is no port; expected 0 to 65535"));
    CHECK(place.levee({"run", "hello", "--gdb", "70000"}).code == 2);
    CHECK(place.levee({"run", "hello", "--gdb-wait", "maybe"}).code == 2);
}

TEST_CASE("the sessions of docs/debugging.md go as printed there")
{
    if (skipped())
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
            const std::string gap = "[...]"; // anything
            for (std::size_t at = 0; at <= line.size();) {
                const std::size_t end = std::min(line.find(gap, at), line.size());
                if (end > at)
                    expected.push_back(line.substr(at, end - at));
                at = end + gap.size();
            }
        }
        const Workplace place;
        Debuggee debuggee(place, {app});
        check_order(run_gdb(place, debuggee, firmware(app), commands + "kill\n"), expected);
        CHECK(expected.size() > 5);
        ++sessions;
    }
    CHECK(sessions == 2);
}
