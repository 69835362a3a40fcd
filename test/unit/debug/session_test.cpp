// SPDX-License-Identifier: Apache-2.0
// Tests packets on a simple target. A malformed packet gets an error and has no other effect.
#include "platform/observe/debug/packet.hpp"
#include "platform/observe/debug/registers.hpp"
#include "platform/observe/debug/session.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <vector>

using namespace levee::debug;
using Kind = Action::Kind;

namespace {

constexpr std::uint32_t memory_base = 0x8000'0000;
constexpr std::uint32_t mscratch = register_first_csr + 0x340;

class FakeTarget : public Target {
public:
    std::vector<std::uint32_t> registers = std::vector<std::uint32_t>(33);
    std::uint32_t scratch = 0;
    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(0x100);
    std::vector<Point> points;
    unsigned changes = 0;

    std::optional<std::uint32_t> read_register(std::uint32_t index) override
    {
        if (index < registers.size())
            return registers[index];
        return index == mscratch ? std::optional(scratch) : std::nullopt;
    }
    bool write_register(std::uint32_t index, std::uint32_t value) override
    {
        if (index >= registers.size() && index != mscratch)
            return false;
        ++changes;
        (index == mscratch ? scratch : registers[index]) = value;
        return true;
    }
    std::size_t read_memory(std::uint32_t address, std::span<std::uint8_t> data) override
    {
        std::size_t done = 0;
        for (; done < data.size() && address - memory_base + done < memory.size(); ++done)
            data[done] = memory[address - memory_base + done];
        return done;
    }
    bool write_memory(std::uint32_t address, std::span<const std::uint8_t> data) override
    {
        if (address - memory_base + data.size() > memory.size())
            return false;
        ++changes;
        std::copy(data.begin(), data.end(), memory.begin() + (address - memory_base));
        return true;
    }
    [[nodiscard]] std::vector<Region> regions() const override
    {
        return {{0x1000, 0x200}, {memory_base, 0x100}};
    }
    void add_point(const Point& point) override
    {
        ++changes;
        points.push_back(point);
    }
    void remove_point(const Point& point) override
    {
        ++changes;
        std::erase(points, point);
    }
    void remove_all_points() override { points.clear(); }
};

struct Bench {
    FakeTarget target;
    Session session{target};

    Answer handle(std::string_view packet) { return session.handle(packet, "T05thread:1;"); }
    std::string reply(std::string_view packet)
    {
        const Answer answer = handle(packet);
        REQUIRE(answer.action.kind == Kind::None);
        REQUIRE(answer.reply);
        return *answer.reply;
    }
};

} // namespace

TEST_CASE("registers are read and written one by one and together")
{
    Bench bench;
    bench.target.registers[1] = 0x12345678;
    CHECK(bench.reply("p1") == "78563412");
    CHECK(bench.reply("P20=04030280") == "OK");
    CHECK(bench.target.registers[32] == 0x8002'0304);
    std::string all = bench.reply("g");
    CHECK(all.size() == 33 * 8);
    CHECK(all.substr(8, 8) == "78563412");
    all.replace(8, 8, "01000000");
    CHECK(bench.reply("G" + all) == "OK");
    CHECK(bench.target.registers[1] == 1);
}

TEST_CASE("CSRs are numbered from 65")
{
    Bench bench;
    CHECK(bench.reply("P" + number(mscratch) + "=efbeadde") == "OK");
    CHECK(bench.target.scratch == 0xDEAD'BEEF);
    CHECK(bench.reply("p" + number(mscratch)) == "efbeadde");
    CHECK(bench.reply("p" + number(register_first_csr + 0x7C0)) == error_no_register);
    CHECK(bench.reply("P" + number(register_first_csr + 0x7C0) + "=00000000") == error_no_register);
}

TEST_CASE("memory is read and written, in hexadecimal and binary")
{
    Bench bench;
    CHECK(bench.reply("M80000010,4:deadbeef") == "OK");
    CHECK(bench.reply("m80000010,4") == "deadbeef");
    CHECK(bench.reply("X80000020,3:" + escape("#$}")) == "OK");
    CHECK(bench.reply("m80000020,3") == "23247d");
    CHECK(bench.reply("X80000020,0:") == "OK");
    CHECK(bench.reply("m800000fe,8") == "0000"); // The read stops at the end of memory.
    CHECK(bench.reply("m90000000,4") == error_memory);
    CHECK(bench.reply("M800000fe,4:00000000") == error_memory);
    CHECK(bench.reply("mffffffff,2") == error_memory);
    CHECK(bench.reply("m100000000,1") == error_memory);
}

TEST_CASE("breakpoints and watchpoints are set and removed")
{
    Bench bench;
    CHECK(bench.reply("Z0,80000004,2") == "OK");
    CHECK(bench.reply("Z2,80000041,3") == "OK");
    REQUIRE(bench.target.points.size() == 2);
    CHECK(bench.target.points[0] == Point{PointKind::Software, 0x8000'0004, 0});
    CHECK(bench.target.points[1] == Point{PointKind::Write, 0x8000'0041, 3});
    CHECK(bench.reply("z0,80000004,4") == "OK");
    CHECK(bench.target.points.size() == 1);
    CHECK(bench.reply("Z5,80000004,2").empty());
    CHECK(bench.reply("Z1,80000001,2") == error_invalid);
    CHECK(bench.reply("Z3,80000000,0") == error_invalid);
    CHECK(bench.reply("Z4,fffffffe,4") == error_invalid);
}

TEST_CASE("commands that continue the run")
{
    Bench bench;
    CHECK(bench.handle("c").action.kind == Kind::Continue);
    CHECK(bench.handle("s").action.kind == Kind::Step);
    CHECK(bench.handle("C05").action.kind == Kind::Continue);
    CHECK(bench.handle("vCont;c").action.kind == Kind::Continue);
    CHECK(bench.handle("vCont;s:1;c").action.kind == Kind::Step);
    CHECK(bench.handle("vCont;s:2;c").action.kind == Kind::Continue);
    const Answer range = bench.handle("vCont;r80000000,80000010:1");
    CHECK(range.action.kind == Kind::StepRange);
    CHECK(range.action.range_begin == 0x8000'0000);
    CHECK(range.action.range_end == 0x8000'0010);
    CHECK_FALSE(range.reply);
    CHECK(bench.handle("vCont;rfffffff0,100000000:1").action.range_end == 0x1'0000'0000);
    CHECK(bench.handle("bs").action.kind == Kind::StepBack);
    CHECK(bench.handle("bc").action.kind == Kind::ContinueBack);
    CHECK_FALSE(bench.handle("bc").reply);
    CHECK(bench.reply("bx").empty());
    CHECK(bench.target.changes == 0);
    CHECK(bench.handle("c80000008").action.kind == Kind::Continue);
    CHECK(bench.target.registers[32] == 0x8000'0008);
}

TEST_CASE("detach, kill and monitor")
{
    Bench bench;
    const Answer detach = bench.handle("D");
    CHECK(detach.action.kind == Kind::Detach);
    CHECK(detach.reply == "OK");
    CHECK(bench.handle("k").action.kind == Kind::Kill);
    CHECK_FALSE(bench.handle("k").reply);
    CHECK(bench.handle("vKill;1").reply == "OK");
    const Answer monitor = bench.handle("qRcmd," + to_hex("until rsa idle"));
    CHECK(monitor.action.kind == Kind::Monitor);
    CHECK(monitor.action.command == "until rsa idle");
}

TEST_CASE("queries that GDB sends when it connects")
{
    Bench bench;
    CHECK(bench.reply("?") == "T05thread:1;");
    CHECK(bench.reply("qSupported:multiprocess+;xmlRegisters=i386").find("qXfer:features:read+") !=
          std::string::npos);
    CHECK(bench.reply("qC") == "QC1");
    CHECK(bench.reply("qfThreadInfo") == "m1");
    CHECK(bench.reply("qsThreadInfo") == "l");
    CHECK(bench.reply("qAttached") == "1");
    CHECK(bench.reply("qSymbol::") == "OK");
    CHECK(bench.reply("Hg0") == "OK");
    CHECK(bench.reply("Hc-1") == "OK");
    CHECK(bench.reply("Hg0001") == "OK"); // LLDB uses this format.
    CHECK(bench.reply("vCont?") == "vCont;c;C;s;S;r");
    CHECK(bench.reply("vMustReplyEmpty").empty());
    CHECK(bench.reply("qTStatus").empty());
    CHECK(bench.handle("QStartNoAckMode").no_acks);
}

TEST_CASE("the target description arrives in parts")
{
    Bench bench;
    std::string document;
    for (bool last = false; !last;) {
        const std::string part =
            bench.reply("qXfer:features:read:target.xml:" + number(document.size()) + ",100");
        REQUIRE((part[0] == 'm' || part[0] == 'l'));
        last = part[0] == 'l';
        document += *unescape(std::string_view(part).substr(1));
    }
    CHECK(document == target_description());
    CHECK(document.find("<reg name=\"mstatus\" bitsize=\"32\" regnum=\"833\"") !=
          std::string::npos);
    CHECK(bench.reply("qXfer:features:read:other.xml:0,100") == "E00");
    CHECK(bench.reply("qXfer:features:read:target.xml:ffffff,10") == "l");
}

TEST_CASE("the memory map lists accessible ranges, and registers have the roles that LLDB needs")
{
    Bench bench;
    const std::string map = bench.reply("qXfer:memory-map:read::0,1000");
    CHECK(map.find("<memory type=\"ram\" start=\"0x1000\" length=\"0x200\"/>") !=
          std::string::npos);
    CHECK(map.find("start=\"0x80000000\" length=\"0x100\"") != std::string::npos);
    CHECK(bench.reply("qXfer:memory-map:write::0,1").empty());
    CHECK(bench.reply("qXfer:auxv:read::0,1000").empty());
    const std::string registers = target_description();
    for (const char* const role : {"name=\"ra\"", "generic=\"pc\"", "generic=\"sp\"",
                                   "generic=\"fp\"", "generic=\"ra\"", "generic=\"arg8\""})
        CHECK(registers.find(role) != std::string::npos);
    CHECK(bench.reply("qHostInfo").find("watchpoint_exceptions_received:before;") !=
          std::string::npos);
}

TEST_CASE("vRun starts again, with the program that it names")
{
    Bench bench;
    CHECK(bench.reply("!") == "OK");
    const Answer same = bench.handle("vRun;");
    CHECK(same.action.kind == Kind::Run);
    CHECK(same.action.command.empty());
    const Answer other = bench.handle("vRun;2f61;62");
    CHECK(other.action.command == "/a");
    CHECK(bench.reply("vRun;2") == error_malformed);
}

TEST_CASE("a malformed packet is an error without any other effect")
{
    Bench bench;
    const auto packet = GENERATE(
        as<std::string>{}, "", "?x", "g1", "G00", "G" + std::string(264, 'x'), "p", "px",
        "p123456789", "P", "P1", "P1=", "P1=123", "P1=0000000g", "P=00000000", "m", "m80000000",
        "m80000000,", "m,4", "m80000000,x", "M80000000,4", "M80000000,4:", "M80000000,4:000000",
        "M80000000,4:0000000000", "M80000000,4:0000000x", "X80000000,2:a", "X80000000,1:}",
        "X80000000:a", "Z", "Z0", "Z0,", "Z0,80000000", "Z0 80000000,2", "z2,80000000,x", "H",
        "Hg7", "T", "T2", "cx", "c80000001", "c100000000", "C", "Cx", "Sx;80000000", "s 8",
        "vCont;", "vCont;x", "vCont;cx", "vCont;C", "vCont;r1", "vCont;r1,", "vCont;r,2",
        "vCont;s:2", "vCont;:1", "Dx", "kill", "qRcmd,0", "qRcmd,zz",
        "qXfer:features:read:target.xml", "qXfer:features:read:target.xml:0",
        "qXfer:features:read:target.xml:x,1");
    CAPTURE(packet);
    CHECK(bench.reply(packet) == error_malformed);
    CHECK(bench.target.changes == 0);
}

TEST_CASE("random packets are always answered")
{
    Bench bench;
    std::mt19937 random(11);
    const std::string letters = "?gGpPmMXZzHTcCsSDkqQv0123456789abcdef,:;=}#$-x";
    for (int round = 0; round < 20000; ++round) {
        std::string packet;
        for (std::size_t i = random() % 24; i-- > 0;)
            packet += letters[random() % letters.size()];
        const Answer answer = bench.handle(packet);
        const bool answers = answer.reply.has_value();
        const bool resumes = answer.action.kind != Kind::None;
        REQUIRE((answers || resumes));
        REQUIRE(answer.reply.value_or("").size() <= packet_bytes);
    }
}
