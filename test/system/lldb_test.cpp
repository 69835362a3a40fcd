// SPDX-License-Identifier: Apache-2.0
// Runs a real LLDB on real firmware.
#include "test/system/debugging.hpp"

using levee::test::check_in_order;
using levee::test::contains;
using levee::test::Debuggee;
using levee::test::firmware;
using levee::test::quote;
using levee::test::run_debugger;
using levee::test::Workplace;

namespace {

/// Returns the installed LLDB, with or without a version in its name, or "" if there is none.
std::string find_lldb()
{
    constexpr int oldest = 14, newest = 30;
    std::vector<std::string> names{"lldb"};
    for (int version = newest; version >= oldest; --version)
        names.push_back("lldb-" + std::to_string(version));
    for (const std::string& name : names)
        if (std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0)
            return name;
    return "";
}

} // namespace

TEST_CASE("a session of LLDB: breakpoints, steps, registers, memory, to the program's exit")
{
    const std::string lldb = find_lldb();
    if (lldb.empty()) {
        WARN("skipped: lldb is not installed");
        return;
    }
    const Workplace place;
    Debuggee debuggee(place, {"hello"});
    place.write("script.lldb", "gdb-remote 127.0.0.1:" + std::to_string(debuggee.port()) + R"(
breakpoint set --name main
breakpoint set --name hostlink_metric_u64
continue
register read pc sp
step
next
stepi
register write t6 0x1234
register read
memory read --size 4 --format x --count 1 0x1000
memory write --size 4 0x81000000 0x89abcdef
memory read --size 4 --format x --count 1 0x81000000
continue
bt
breakpoint delete --force
continue
)");
    const std::string text =
        run_debugger(debuggee, lldb + " -x -b -s " + quote(place.path("script.lldb")) + " " +
                                   quote(firmware("hello")));
    check_in_order(text, {"Process 1 stopped",
                          "_start",
                          "continue",
                          "stop reason = breakpoint 1.1",
                          "`main",
                          "pc = 0x8",
                          "sp = 0x8",
                          "stop reason = step",
                          "stop reason = step over",
                          "stop reason = instruction step into",
                          "register read",
                          "zero = 0x00000000",
                          "t6 = 0x00001234",
                          "pc = 0x8",
                          "0x00001000: 0x42564c21",
                          "0x81000000: 0x89abcdef",
                          "stop reason = breakpoint 2.1",
                          "hostlink_metric_u64",
                          "`main",
                          "continue",
                          "exited with status = 0"});
    CHECK(debuggee.wait() == 0);
    CHECK(contains(debuggee.text(), "Hello from the core"));
}
