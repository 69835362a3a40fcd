// SPDX-License-Identifier: Apache-2.0
// Tests interleaved memories in a scenario: their addresses, and errors.
#include "core/abi/boot_info.h"
#include "platform/machine/assembly/system.hpp"
#include "test/unit/config/files.hpp"

#include <string>
#include <vector>

using namespace levee;

namespace {

const std::string head = "system:\n"
                         "  name: s\n"
                         "  core: {clock: 1 GHz, timebase: 10 MHz}\n"
                         "  bus: {latency: 2 ns, port_bandwidth: 16 GB/s, interleave: 8 KiB}\n"
                         "  memories:\n"
                         "    tcm: {type: tcm, size: 1 MiB, bandwidth: 16 GB/s, latency: 1 ns}\n";
const std::string first =
    "    one: {type: sram, size: 64 KiB, bandwidth: 1 GB/s, latency: 2 ns, roles: [model, kv]}\n";
const std::string between =
    "    act: {type: sram, size: 4 MiB, bandwidth: 5 GB/s, latency: 2 ns, roles: [activations]}\n";
const std::string second =
    "    two: {size: 64 KiB, type: sram, latency: 2 ns, bandwidth: 1 GB/s, roles: [kv, model]}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

SystemPlan plan(const std::string& text)
{
    const Files files;
    const config::FileFinder finder(files.folder(), config::Reach::Anywhere);
    return plan_system(config::load_scenario({files.write("s.yaml", text), {}, {}}, finder).system);
}

/// Returns the error without its folder, such as "s.yaml:9:5: ...".
std::string fault(const std::string& text)
{
    const std::string message = message_of([&] { (void)plan(text); });
    return message.substr(message.find("s.yaml"));
}

bool contains(const std::string& text, const std::string& part)
{
    UNSCOPED_INFO(text);
    UNSCOPED_INFO(part);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("memories with the role model are one range, and boot_info shows one memory")
{
    const SystemPlan interleaved = plan(head + first + between + second);
    REQUIRE(interleaved.interleave);
    CHECK(interleaved.interleave->memories == std::vector<std::size_t>{1, 3});
    CHECK(interleaved.interleave->division.granule() == 8192);
    CHECK(interleaved.ways_at(0) == 1);
    CHECK(interleaved.ways_at(1) == 2);
    CHECK(interleaved.ways_at(2) == 1);
    CHECK(interleaved.ways_at(3) == 0);
    // The next component's addresses come after both memories.
    CHECK(interleaved.components[1].base == 0x2000'0000);
    CHECK(interleaved.components[1].core_size == 128 << 10);
    CHECK(interleaved.components[2].base == 0x2010'0000);
    CHECK(interleaved.components[3].base == 0x2000'0000);

    const std::vector<std::uint64_t> free{0, 0x3000, 0x1000, 0};
    const levee_boot_info info = make_boot_info(interleaved, free, {}, {}, {"baseline", {}});
    REQUIRE(info.memory_count == 3);
    CHECK(std::string(info.memories[1].name) == "one");
    CHECK(info.memories[1].base == 0x2000'0000);
    CHECK(info.memories[1].size == 128 << 10);
    CHECK(info.memories[1].bytes_per_second == 2'000'000'000);
    CHECK(info.memories[1].free_base == 0x2000'3000);
    CHECK(info.memories[1].roles == (LEVEE_ROLE_MODEL | LEVEE_ROLE_KV));
    CHECK(std::string(info.memories[2].name) == "act");
    CHECK(info.memories[2].free_base == 0x2010'1000);
}

TEST_CASE("one memory with the role model is not interleaved, whatever the granule")
{
    const SystemPlan plain = plan(replaced(head, "8 KiB", "1 GiB") + first + between +
                                  replaced(second, "[kv, model]", "[kv]"));
    CHECK_FALSE(plain.interleave);
    CHECK(plain.components[3].base == 0x2050'0000);
}

TEST_CASE(
    "memories that differ are not interleaved, and the message names the difference and its place")
{
    const auto says = [](const std::string& other, const std::string& place,
                         const std::string& what) {
        const std::string message = fault(head + first + other);
        CHECK(contains(message, "s.yaml:" + place));
        CHECK(contains(message, what));
        CHECK(contains(message,
                       "; expected the same: memories with the role 'model' are interleaved"));
    };
    says(replaced(second, "64 KiB", "128 KiB"), "8:17: ",
         "'system.memories.two.size' is '128 KiB' and 'system.memories.one.size' '64 KiB'");
    says(replaced(second, "1 GB/s", "2 GB/s"),
         "8:", "'system.memories.two.bandwidth' is '2 GB/s' and");
    says(replaced(second, "[kv, model]", "[model]"),
         "8:", "'system.memories.two' has the roles [model] and 'system.memories.one' [model, kv]");
    // A memory of another type also has other keys. The error names its type.
    says("    two: {type: dram, standard: " LEVEE_SOURCE
         "/scenarios/tech/dram/lpddr4.yaml, roles: [model, kv]}\n",
         "8:", "'system.memories.two.type' is 'dram' and 'system.memories.one.type' 'sram'");
    // A key with a default must be given for both memories or for neither.
    const std::string dram =
        ": {type: dram, roles: [model], standard: " LEVEE_SOURCE "/scenarios/tech/dram/lpddr4.yaml";
    const std::string stated = "    a" + dram + ", allow_overcommit: true}\n";
    CHECK(contains(fault(head + stated + "    b" + dram + "}\n"),
                   "s.yaml:8:8: 'system.memories.b' lacks the key 'allow_overcommit', which "
                   "'system.memories.a' has"));
    CHECK(contains(fault(head + "    a" + dram + "}\n" + replaced(stated, "    a", "    b")),
                   "s.yaml:7:8: 'system.memories.a' lacks the key 'allow_overcommit', which "
                   "'system.memories.b' has"));
}

TEST_CASE("memories that refresh their rows or hold the program are not interleaved")
{
    const std::string edram = ": {type: edram, size: 4 MiB, banks: 32, access: 2 ns, refresh: 4 "
                              "ns, latency: 2 ns, intervals: 45 us, roles: [model]}\n";
    const std::string message = fault(head + "    a" + edram + "    b" + edram);
    CHECK(contains(message, "s.yaml:7:"));
    CHECK(contains(message, "'system.memories.a' is of type 'edram', which cannot be interleaved"));
    const std::string code =
        fault(replaced(head, "latency: 1 ns", "latency: 1 ns, roles: [model]") + first);
    CHECK(contains(code, "s.yaml:6:"));
    CHECK(contains(code, "'system.memories.tcm.roles' includes other data, but code and heap"));
}

TEST_CASE("granules that do not divide the memories are refused at their place")
{
    const auto with = [](const std::string& granule) {
        return fault(replaced(head, "8 KiB", granule) + first + second);
    };
    CHECK(contains(with("96 KiB"), "s.yaml:4:61: 'system.bus.interleave' is '96 KiB'; expected a "
                                   "power of two"));
    CHECK(contains(with("32 B"), "s.yaml:4:61: 'system.bus.interleave'"));
    CHECK(contains(with("128 KiB"),
                   "s.yaml:4:61: 'system.bus.interleave' is 128 KiB and the interleaved "
                   "'system.memories.one' has 64 KiB; expected a size that divides it"));
}
