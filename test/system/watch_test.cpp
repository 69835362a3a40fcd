// SPDX-License-Identifier: Apache-2.0
// Tests that watchpoints report each access once and lose none. GDB removes watchpoints and steps
// over the instruction before which the core has stopped.
#include "test/system/debugging.hpp"

using levee::test::check_in_order;
using levee::test::contains;
using levee::test::Debuggee;
using levee::test::gdb_is_missing;
using levee::test::RemoteClient;
using levee::test::run_gdb;
using levee::test::Workplace;

namespace {

const std::string program = std::string(LEVEE_BARE_DIR) + "/watched.elf";

std::vector<std::string> run_watched()
{
    return {"app", "--elf", program, "--no-report"};
}

/// Checks that `expected` appears in order in a session with these commands, and that watchpoints
/// are reported `stops` times.
void check_stops(const std::string& commands, unsigned stops,
                 const std::vector<std::string>& expected)
{
    if (gdb_is_missing())
        return;
    const Workplace place;
    Debuggee debuggee(place, run_watched());
    const std::string text = run_gdb(place, debuggee, program, commands);
    check_in_order(text, expected);
    unsigned found = 0;
    for (std::size_t at = text.find("\nOld value"); at != std::string::npos;
         at = text.find("\nOld value", at + 1))
        ++found;
    for (std::size_t at = text.find("\nValue ="); at != std::string::npos;
         at = text.find("\nValue =", at + 1))
        ++found;
    CHECK(found == stops);
    if (text.find("exited normally") != std::string::npos)
        CHECK(debuggee.wait() == 0);
}

} // namespace

TEST_CASE("consecutive stores are each reported, with the pc after the store")
{
    check_stops(R"(
watch cells[0]
watch cells[1]
watch cells[2]
continue
print $pc == (unsigned)&store_1
continue
print $pc == (unsigned)&store_2
continue
print $pc == (unsigned)&behind_stores
continue
print $pc == (unsigned)&short_load
delete
continue
)",
                4,
                {"watchpoint 1: cells[0]", "New value = 5", "$1 = 1", "watchpoint 2: cells[1]",
                 "New value = 5", "$2 = 1", "watchpoint 3: cells[2]", "New value = 5", "$3 = 1",
                 "watchpoint 1: cells[0]", "New value = 6", "$4 = 1", "exited normally"});
}

TEST_CASE("stepi over a watched access executes one instruction")
{
    check_stops(R"(
tbreak store_0
continue
watch cells[0]
rwatch cells[1]
set $count = $minstret
stepi
print $pc == (unsigned)&store_1 && $minstret == $count + 1
stepi
print $pc == (unsigned)&store_2 && $minstret == $count + 2
continue
set $count = $minstret
stepi
print $pc == (unsigned)&behind_load && $minstret == $count + 1
reverse-stepi
print $pc == (unsigned)&short_load && $minstret == $count
kill
)",
                4,
                {"watchpoint 2: cells[0]", "New value = 5", "$1 = 1", "$2 = 1",
                 "watchpoint 2: cells[0]", "New value = 6", "read watchpoint 3", "Value = 5",
                 "$3 = 1", "read watchpoint 3", "Value = 5", "$4 = 1", "killed"});
}

TEST_CASE("an instruction that hits two watchpoints is reported for each")
{
    check_stops(R"(
watch halves[0]
watch halves[1]
continue
print $pc == (unsigned)&behind_halves
continue
print $pc == (unsigned)&behind_halves
delete
continue
)",
                2,
                {"watchpoint 1: halves[0]", "New value = 1", "$1 = 1", "watchpoint 2: halves[1]",
                 "New value = 2", "$2 = 1", "exited normally"});
}

TEST_CASE("atomics are reported before they read or write, and a failing sc is not reported")
{
    check_stops(R"(
tbreak add
continue
rwatch cells[0]
awatch cells[1]
continue
print $pc == (unsigned)&reserve
continue
print $pc == (unsigned)&conditional
continue
print $pc == (unsigned)&fails
continue
)",
                3,
                {"read watchpoint 2: cells[0]", "Value = 11", "$1 = 1",
                 "(read/write) watchpoint 3: cells[1]", "Value = 5", "$2 = 1",
                 "(read/write) watchpoint 3: cells[1]", "New value = 6", "$3 = 1",
                 "exited normally"});
}

TEST_CASE("a block's write to two watchpoints is reported for each, at the core's current place")
{
    check_stops(R"(
tbreak behind_fails
continue
watch cells[2]
watch cells[3]
continue
set $count = $minstret
continue
print $minstret == $count
continue
)",
                2,
                {"written by dma", "watchpoint 2: cells[2]", "New value = 117901063",
                 "written by dma", "watchpoint 3: cells[3]", "New value = 117901063", "$1 = 1",
                 "exited normally"});
}

namespace {

constexpr const char* backwards = R"(
tbreak behind_fails
continue
watch cells[0]
watch cells[1]
watch cells[2]
reverse-continue
print $pc == (unsigned)&conditional
reverse-continue
print $pc == (unsigned)&add
reverse-continue
print $pc == (unsigned)&short_store
reverse-continue
print $pc == (unsigned)&store_2
reverse-continue
print $pc == (unsigned)&store_1
reverse-continue
print $pc == (unsigned)&store_0
continue
print $pc == (unsigned)&store_1
reverse-stepi
print $pc == (unsigned)&store_0
reverse-continue
delete
continue
)";

} // namespace

TEST_CASE("backwards, each access is reported once, with the pc before the access")
{
    check_stops(backwards, 8,
                {"watchpoint 3: cells[1]",
                 "Old value = 6",
                 "New value = 5",
                 "$1 = 1",
                 "watchpoint 2: cells[0]",
                 "Old value = 11",
                 "New value = 6",
                 "$2 = 1",
                 "watchpoint 2: cells[0]",
                 "New value = 5",
                 "$3 = 1",
                 "watchpoint 4: cells[2]",
                 "New value = 0",
                 "$4 = 1",
                 "watchpoint 3: cells[1]",
                 "New value = 0",
                 "$5 = 1",
                 "watchpoint 2: cells[0]",
                 "New value = 0",
                 "$6 = 1",
                 "watchpoint 2: cells[0]",
                 "New value = 5",
                 "$7 = 1",
                 "watchpoint 2: cells[0]",
                 "New value = 0",
                 "$8 = 1",
                 "No more reverse-execution history",
                 "exited normally"});
}

TEST_CASE("a block's access is also found backwards")
{
    check_stops(R"(
tbreak behind_fails
continue
watch cells[3]
continue
reverse-continue
continue
continue
)",
                3,
                {"written by dma", "Old value = 0", "New value = 117901063", "written by dma",
                 "Old value = 117901063", "New value = 0", "written by dma", "Old value = 0",
                 "New value = 117901063", "exited normally"});
}

TEST_CASE("the core stops before a watched access, and passes if the debugger keeps the watchpoint")
{
    const Workplace place;
    Debuggee debuggee(place, run_watched());
    RemoteClient client(debuggee.port());
    // Reads the address of cells and of the first store from the program's registers.
    std::string stop;
    std::string address;
    for (int i = 0; i < 100 && address.empty(); ++i) {
        stop = client.ask("s");
        if (client.ask("p5") == "05000000") // The stores follow when t0 has this value.
            address = client.ask("p6");     // This is register t1.
    }
    REQUIRE(address.size() == 8);
    const std::string at = address.substr(6, 2) + address.substr(4, 2) + address.substr(2, 2) +
                           address.substr(0, 2); // Packets state addresses in big endian.
    const std::string before = client.ask("p20");
    CHECK(client.ask("Z2," + at + ",4") == "OK");
    CHECK(client.ask("c") == "T05watch:" + at + ";thread:1;");
    CHECK(client.ask("p20") == before);
    CHECK(client.ask("m" + at + ",4") == "00000000");
    CHECK(client.ask("c") == "T05watch:" + at + ";thread:1;"); // The core stops before short_store.
    CHECK(client.ask("m" + at + ",4") == "05000000");
    CHECK(client.ask("s") == "T05thread:1;");
    CHECK(client.ask("m" + at + ",4") == "06000000");
    // The core stops after short_store, going backwards.
    CHECK(client.ask("bc") == "T05watch:" + at + ";thread:1;");
    CHECK(client.ask("m" + at + ",4") == "06000000");
    // The core stops after store_0, going backwards.
    CHECK(client.ask("bc") == "T05watch:" + at + ";thread:1;");
    CHECK(client.ask("m" + at + ",4") == "05000000");
    CHECK(client.ask("bs") == "T05thread:1;");
    CHECK(client.ask("p20") == before);
    CHECK(client.ask("m" + at + ",4") == "00000000");
    client.send("k");
    (void)debuggee.wait();
}
