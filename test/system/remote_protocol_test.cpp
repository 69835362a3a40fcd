// SPDX-License-Identifier: Apache-2.0
// Tests invalid and hostile input from the remote protocol's other side, and the speed of a program
// under a debugger.
#include "test/system/debugging.hpp"

#include <algorithm>
#include <memory>
#include <vector>

using levee::test::contains;
using levee::test::Debuggee;
using levee::test::RemoteClient;
using levee::test::Workplace;

namespace {

double instructions(RemoteClient& client)
{
    const std::string text = client.monitor("time");
    const std::size_t end = text.find(" instructions");
    REQUIRE(end != std::string::npos);
    return std::stod(text.substr(text.rfind(' ', end - 1)));
}

constexpr const char* long_count = "P0c=ffffff7f"; // Sets a2 of test/bench/core/alu.S.

/// Starts a program that runs longer than any test.
void start_counting(RemoteClient& client)
{
    for (int i = 0; i < 4; ++i) // Steps over four instructions: li, li (two instructions) and li.
        REQUIRE(client.ask("s").substr(0, 3) == "T05");
    REQUIRE(client.ask(long_count) == "OK");
}

} // namespace

TEST_CASE("a second debugger is refused")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    RemoteClient client(debuggee.port());
    CHECK(client.ask("?") == "T05thread:1;");
    RemoteClient second(debuggee.port());
    CHECK(second.receive() == "E.another debugger is connected to this run");
    CHECK(second.receive() == "(closed)");
    CHECK(client.ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
}

TEST_CASE("GDB says that another debugger is connected")
{
    if (levee::test::gdb_is_missing())
        return;
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    RemoteClient client(debuggee.port());
    CHECK(client.ask("?") == "T05thread:1;");
    const std::string text = run_gdb(place, debuggee, levee::test::firmware("hello"), "");
    CHECK(contains(text, "another debugger is connected to this run"));
    CHECK(client.ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
}

TEST_CASE("a web page cannot drive a run or keep a debugger away")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    // Browsers open such a connection before they have a request.
    const RemoteClient silent(debuggee.port());
    for (const char* const method : {"POST", "GET", "OPTIONS"}) {
        RemoteClient page(debuggee.port());
        page.send_raw(method + std::string(" / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                                           "+$M80000000,4:73005010#2a$vKill;1#6e"));
        CHECK(page.byte() == std::nullopt);
    }
    RemoteClient client(debuggee.port());
    CHECK(client.ask("m80000000,4") != "73005010");
    RemoteClient page(debuggee.port());
    CHECK(page.receive() == "E.another debugger is connected to this run");
    CHECK(client.ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "closed a connection to the --gdb port"));
}

TEST_CASE("silent connections are closed when others come")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    std::vector<std::unique_ptr<RemoteClient>> silent;
    for (int i = 0; i < 40; ++i)
        silent.push_back(std::make_unique<RemoteClient>(debuggee.port()));
    CHECK(silent.front()->byte() == std::nullopt);
    CHECK(silent.back()->ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
}

TEST_CASE("a debugger can attach to a running program, detach and attach again")
{
    const Workplace place;
    Debuggee debuggee(place, {"core", "--elf", LEVEE_BENCH_ALU, "--gdb-wait", "no"});
    double before = 0;
    for (int i = 0; i < 20 || before < 1e6; ++i) {
        RemoteClient client(debuggee.port());
        CHECK(client.ask("?") == "T05thread:1;");
        if (i == 0)
            CHECK(client.ask(long_count) == "OK");
        const double now = instructions(client);
        CHECK(now >= before);
        before = now;
        CHECK(client.ask("D") == "OK");
        if (i % 4 == 0) // In the other rounds the client disconnects at once.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    RemoteClient client(debuggee.port());
    CHECK(client.ask("vKill;1") == "OK");
    CHECK(debuggee.wait() == 1);
}

TEST_CASE("malformed packets are refused, and the run continues unharmed")
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
    client.send_raw("-"); // The other side reports a failed transmission.
    CHECK(client.receive() == "T05thread:1;");
    CHECK(client.ask("QStartNoAckMode") == "OK");
    CHECK(client.ask("?") == "T05thread:1;");
    client.send_raw("$?#00");
    CHECK(client.receive() == "E01"); // The answer is an error instead of '-'.
    CHECK(client.ask("c") == "W00");
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "Hello from the core"));
}

TEST_CASE("a running core answers nothing but Ctrl-C")
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

TEST_CASE("a debugger can inspect a program that waits forever")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    RemoteClient client(debuggee.port());
    // The instruction is wfi, and no interrupt is enabled.
    CHECK(client.ask("M80000000,4:73005010") == "OK");
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

// The measured ratio of times depends on the machine's load, so this is not an ordinary test.
// `test_gdb [bench]` prints the ratio.
TEST_CASE("how fast a program runs under a debugger", "[.bench]")
{
    const Workplace place;
    Debuggee debuggee(place, {"core", "--elf", LEVEE_BENCH_ALU});
    auto client = std::make_unique<RemoteClient>(debuggee.port());
    start_counting(*client);
    // Instructions per second of CPU time, measured in many short turns. Load from other programs
    // slows both turns of a pair, or affects only a few pairs.
    constexpr double turn_seconds = 0.06;
    const auto rate = [&](auto&& go, auto&& halt) {
        const double count = instructions(*client);
        const double seconds = debuggee.cpu_seconds();
        go();
        debuggee.let_work(turn_seconds);
        halt();
        return (instructions(*client) - count) / (debuggee.cpu_seconds() - seconds);
    };
    std::vector<double> ratios;
    for (int pair = 0; pair < 25; ++pair) {
        const double attached = rate([&] { client->send("c"); },
                                     [&] {
                                         client->send_raw("\x03");
                                         REQUIRE(client->receive() == "T02thread:1;");
                                     });
        const double alone = rate(
            [&] {
                REQUIRE(client->ask("D") == "OK");
                client.reset();
            },
            [&] {
                client = std::make_unique<RemoteClient>(debuggee.port());
                REQUIRE(client->ask("?") == "T05thread:1;");
            });
        ratios.push_back(attached / alone);
    }
    const auto median = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, median);
    WARN("under a debugger: " << *median << " times the instructions per second of CPU time");
}

TEST_CASE("an invalid port is refused before the run")
{
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    const auto taken =
        place.levee({"run", "hello", "--out", "other", "--gdb", std::to_string(debuggee.port())});
    CHECK(taken.code == 2);
    CHECK(contains(taken.text, "--gdb: cannot listen on 127.0.0.1:"));
    CHECK_FALSE(contains(taken.text, "Hello"));
    const auto word = place.levee({"run", "hello", "--gdb", "door"});
    CHECK(word.code == 2);
    CHECK(contains(word.text, "'door' is not a port; expected 0 to 65535"));
    CHECK(place.levee({"run", "hello", "--gdb", "70000"}).code == 2);
    CHECK(place.levee({"run", "hello", "--gdb-wait", "maybe"}).code == 2);
}
