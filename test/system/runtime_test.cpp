// SPDX-License-Identifier: Apache-2.0
// Tests that a program finds the runtime of the C standard, on the HAL or through a simulator's
// host interface.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

class Programs {
public:
    Outcome run(const std::string& program, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> arguments{"run", "--app",
                                           std::string(LEVEE_RUNTIME_DIR) + "/" + program};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return place.levee(arguments);
    }
    Outcome run_with(const std::string& program, const std::string& input) const
    {
        place.write("input", input);
        return run(program, {"--stdin", "input"});
    }
    Workplace place;
};

void starts(const Outcome& outcome, const std::string& text)
{
    INFO(outcome.text);
    CHECK(outcome.text.starts_with(text));
}

} // namespace

TEST_CASE("constructors run before main, functions of atexit and destructors run after main")
{
    const Programs programs;
    const Outcome in_c = programs.run("order.elf");
    CHECK(in_c.code == 0);
    starts(in_c, "101 201 plain main two one destructor\n");
    const Outcome in_cxx = programs.run("order_cxx.elf");
    CHECK(in_cxx.code == 0);
    starts(in_cxx, "+1 +2 area 9 ~shape -2 -1\n");
}

TEST_CASE("a program ends with its exit code, in each possible way")
{
    const Programs programs;
    const auto ends = [&](const std::string& program, const std::string& text, int code) {
        const Outcome outcome = programs.run(program + ".elf");
        starts(outcome, text);
        CHECK(outcome.code == 1);
        CHECK(programs.place.results("out/" + program)["exit_code"] == code);
    };
    ends("ends_1", "farewell\n", 3);
    ends("ends_2", "\n", 4);
    ends("ends_3", "\n", 134);
    ends("ends_4", "assertion \"number == 5\" failed: file ", 134);
    ends("ends_5", "signal 15\nfarewell\n", 6);
    ends("ends_6", "\n", 143);
    ends("ends_7", "\n", 8);
}

TEST_CASE("standard input is read to its end, whatever bytes it contains")
{
    const Programs programs;
    const std::string bytes("42 a\n\0\xff", 7);
    const Outcome all = programs.run_with("input.elf", bytes);
    CHECK(all.code == 0);
    starts(all, "1: 42, then 5 bytes of sum 394, end 1, error 0\n");
    starts(programs.run("input.elf"), "-1: 0, then 0 bytes of sum 0, end 1, error 0\n");
    starts(programs.run_with("input.elf", std::string(70'000, '\x01')),
           "0: 0, then 70000 bytes of sum 70000, end 1, error 0\n");
}

TEST_CASE("a standard input that cannot be read is refused before the run")
{
    const Programs programs;
    const Outcome none = programs.run("input.elf", {"--stdin", "none"});
    CHECK(none.code == 2);
    starts(none, "--stdin: 'none' cannot be read: No such file or directory");
    CHECK(programs.run("input.elf", {"--stdin", "."}).code == 2);
    const Outcome endless = programs.run("input.elf", {"--stdin", "/dev/zero"});
    CHECK(endless.code == 2);
    starts(endless, "--stdin: '/dev/zero' is a device; expected a file");
}

TEST_CASE("malloc and the HAL's heap share the free memory")
{
    const Outcome outcome = Programs().run("heap.elf");
    CHECK(outcome.code == 0);
    starts(outcome, "0 wrong, too much refused\n");
}

TEST_CASE("a driver of a 16550 sends and receives by interrupts")
{
    const Outcome outcome = Programs().run_with("uart.elf", "ab\nc");
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("firmware:") == std::string::npos);
    for (const char* text : {"sent by interrupts\n", "ab\nc"}) {
        INFO(outcome.text);
        CHECK(outcome.text.find(text) != std::string::npos);
    }
}

TEST_CASE("a simulator's host interface serves system calls and characters")
{
    const Programs programs;
    const Outcome calls = programs.run("host_1");
    CHECK(calls.code == 0);
    starts(calls, "by a call\n");
    const Outcome characters = programs.run("host_2");
    CHECK(characters.code == 0);
    starts(characters, "by characters\n");
    CHECK(programs.run_with("host_3", "abcd").code == 0);
    CHECK(programs.run_with("host_4", "abc").code == 0);
}

TEST_CASE("sections define which parts of a segment without flags are constant")
{
    const Programs programs;
    for (const char* program : {"host_1", "host_5"}) {
        const Outcome outcome = programs.run(program, {"--check", "all"});
        INFO(outcome.text);
        CHECK(outcome.code == 0);
        CHECK(outcome.text.find("constants") == std::string::npos);
    }
    const Outcome wrong = programs.run("host_6");
    CHECK(wrong.code == 7);
    CHECK(wrong.text.find("[core] writes 4 bytes at 0x") != std::string::npos);
    CHECK(wrong.text.find("in the program's code and constants") != std::string::npos);
}
