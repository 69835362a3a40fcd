// SPDX-License-Identifier: Apache-2.0
#include "ip/bus/module.hpp"
#include "ip/sram/module.hpp"

#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using namespace levee;
using Range = std::pair<std::uint64_t, std::uint64_t>;

/// An initiator that records when direct access is invalidated.
struct Master : sc_core::sc_module {
    InitiatorSocket socket{"socket"};
    std::vector<Range> invalidated;

    explicit Master(const sc_core::sc_module_name& name) : sc_module(name)
    {
        socket.register_invalidate_direct_mem_ptr(this, &Master::invalidate);
    }
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last)
    {
        invalidated.emplace_back(first, last);
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                    std::uint32_t& word, sc_core::sc_time& delay)
    {
        tlm::tlm_generic_payload payload;
        prepare(payload, command, address, word);
        socket->b_transport(payload, delay);
        CHECK(payload.get_address() == address); // The bus must return the address unchanged.
        return payload.get_response_status();
    }
    tlm::tlm_response_status read(std::uint64_t address, std::uint32_t& word)
    {
        sc_core::sc_time delay;
        return access(tlm::TLM_READ_COMMAND, address, word, delay);
    }
    tlm::tlm_response_status write(std::uint64_t address, std::uint32_t word)
    {
        sc_core::sc_time delay;
        return access(tlm::TLM_WRITE_COMMAND, address, word, delay);
    }
    unsigned debug_read(std::uint64_t address, void* data, unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        const unsigned moved = socket->transport_dbg(payload);
        CHECK(payload.get_address() == address);
        CHECK(payload.get_data_length() == bytes);
        return moved;
    }
    bool direct(std::uint64_t address, tlm::tlm_dmi& dmi)
    {
        std::uint32_t word = 0;
        tlm::tlm_generic_payload payload;
        prepare(payload, tlm::TLM_READ_COMMAND, address, word);
        dmi.init();
        const bool granted = socket->get_direct_mem_ptr(payload, dmi);
        CHECK(payload.get_address() == address);
        return granted;
    }

private:
    static void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                        std::uint64_t address, std::uint32_t& word)
    {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
        payload.set_data_length(sizeof word);
        payload.set_streaming_width(sizeof word);
    }
};

/// A target that records accesses and can invalidate direct access.
struct Probe : sc_core::sc_module {
    TargetSocket socket{"socket"};
    std::vector<std::uint64_t> addresses;

    explicit Probe(const sc_core::sc_module_name& name) : sc_module(name)
    {
        socket.register_b_transport(this, &Probe::transport);
    }
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
    {
        addresses.push_back(payload.get_address());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

constexpr std::uint64_t ram_bytes = 0x1000;
constexpr std::uint64_t high = 0xFFFF'FFFF'FFFF'F000ull;

/// The whole ram is mapped at 0x8000'0000, and its upper three quarters also at 0x1'0000'0000. Its
/// last page is also at the top of the address space. The probe is mapped from 0x2000 to 0x20FF,
/// starting with its own address 0x40.
struct System {
    Master core{"core"}, other{"other"};
    bus::Bus bus{"bus", {500, 64'000'000'000}};
    sram::Sram ram{"ram", {ram_bytes, 32'000'000'000, 700, true, false}};
    Probe probe{"probe"};

    System()
    {
        core.socket.bind(bus.initiators);
        other.socket.bind(bus.initiators);
        bus.targets.bind(ram.port);
        bus.targets.bind(probe.socket);
        bus.map({"ram", 0x8000'0000, ram_bytes, 0, 0});
        bus.map({"ram again", 0x1'0000'0000, 0xC00, 0, 0x400});
        bus.map({"ram on top", high, ram_bytes, 0, 0});
        bus.map({"probe", 0x2000, 0x100, 1, 0x40});
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void bulk(Direction direction, const AccessPattern& pattern, bool good)
    {
        BulkPort port(core.socket);
        std::vector<FlowUse> uses;
        Picoseconds latency = 0;
        CHECK(port.open(direction, pattern, pattern.bytes(), uses, latency) == good);
        CHECK(uses.size() == (good ? 2 : 0)); // The access uses the link and the memory.
        CHECK(latency == (good ? 1200 : 0));
        CHECK(port.allows(direction, pattern) == good);
    }
};

} // namespace

TEST_CASE("accesses reach the target's own address through every window that maps it")
{
    System system;
    std::uint32_t word = 0;
    CHECK(system.core.write(0x8000'0404, 77) == tlm::TLM_OK_RESPONSE);
    CHECK(system.other.read(0x1'0000'0004, word) == tlm::TLM_OK_RESPONSE);
    CHECK(word == 77);
    CHECK(system.other.write(high + 0xFFC, 99) == tlm::TLM_OK_RESPONSE);
    CHECK(system.core.read(0x1'0000'0BFC, word) == tlm::TLM_OK_RESPONSE);
    CHECK(word == 99);
    CHECK(system.core.write(0x2010, 1) == tlm::TLM_OK_RESPONSE);
    CHECK(system.probe.addresses == std::vector<std::uint64_t>{0x50});
    CHECK(system.core.debug_read(0x8000'0404, &word, 4) == 4);
    CHECK(word == 77);
    // Only two bytes are left before the end of the memory.
    CHECK(system.core.debug_read(0x8000'0FFE, &word, 4) == 2);
    CHECK(system.core.debug_read(0x7000'0000, &word, 4) == 0);

    sc_core::sc_time delay = sc_core::sc_time(10, sc_core::SC_PS);
    CHECK(system.core.access(tlm::TLM_READ_COMMAND, 0x8000'0000, word, delay) ==
          tlm::TLM_OK_RESPONSE);
    // The expected delay is the hop plus the latency of the memory.
    CHECK(delay == sc_core::sc_time(1'210, sc_core::SC_PS));
}

TEST_CASE("holes and accesses across the end of a window are address errors")
{
    System system;
    std::uint32_t word = 0;
    for (const std::uint64_t address :
         {0x0ull, 0x1FFFull, 0x2100ull, 0x7FFF'FFFFull, 0x8000'1000ull, 0x1'0000'0C00ull,
          0xFFFF'FFFF'FFFF'EFFFull, 0x20FEull, 0x8000'0FFDull, 0xFFFF'FFFF'FFFF'FFFEull})
        CHECK(system.core.read(address, word) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(system.probe.addresses.empty());
}

TEST_CASE("windows that overlap, are empty or wrap are refused")
{
    System system;
    const auto refused = [&](std::uint64_t base, std::uint64_t size,
                             std::uint64_t target_base = 0) {
        CHECK_THROWS_AS(system.bus.map({"new", base, size, 0, target_base}), std::invalid_argument);
    };
    refused(0x3000, 0);
    refused(0x1FFF, 2);
    refused(0x20FF, 1);
    refused(0x2080, 1);
    refused(0x1000, 0x2000);
    refused(0xFFFF'FFFF'FFFF'0000ull, 0xF001);
    refused(0x3000, 0x100, UINT64_MAX - 0xFE);
    CHECK(system.bus.mappings().size() == 4);
    CHECK_NOTHROW(system.bus.map({"before", 0x1F00, 0x100, 0, 0}));
    CHECK_NOTHROW(system.bus.map({"behind", 0x2100, 0x100, 0, 0}));
    CHECK_THROWS_WITH(system.bus.map({"new", 0x2000, 1, 0, 0}),
                      Catch::Contains("'new'") && Catch::Contains("'probe'"));
}

TEST_CASE("direct access is translated to the window and clipped to it")
{
    System system;
    tlm::tlm_dmi dmi;
    CHECK(system.core.direct(0x8000'0800, dmi));
    CHECK(dmi.get_start_address() == 0x8000'0000);
    CHECK(dmi.get_end_address() == 0x8000'0FFF);
    CHECK(dmi.get_dmi_ptr() == system.ram.storage().data());
    CHECK(dmi.get_read_latency() == sc_core::sc_time(1'200, sc_core::SC_PS));

    CHECK(system.core.direct(0x1'0000'0000, dmi));
    CHECK(dmi.get_start_address() == 0x1'0000'0000);
    CHECK(dmi.get_end_address() == 0x1'0000'0BFF);
    CHECK(dmi.get_dmi_ptr() == system.ram.storage().data() + 0x400);

    CHECK(system.core.direct(UINT64_MAX, dmi));
    CHECK(dmi.get_start_address() == high);
    CHECK(dmi.get_end_address() == UINT64_MAX);

    CHECK_FALSE(system.core.direct(0x2000, dmi)); // The probe grants no direct access.
    // The address is in a gap. The answer reveals nothing about neighbouring windows.
    CHECK_FALSE(system.core.direct(0x3000, dmi));
    CHECK(dmi.get_start_address() == 0x3000);
    CHECK(dmi.get_end_address() == 0x3000);
}

TEST_CASE("invalidation reaches every initiator, for exactly the part of each window")
{
    System system;
    system.ram.port->invalidate_direct_mem_ptr(0x3FF, 0x400);
    const std::vector<Range> expected{
        {0x8000'03FF, 0x8000'0400}, {0x1'0000'0000, 0x1'0000'0000}, {high + 0x3FF, high + 0x400}};
    const auto sorted = [](std::vector<Range> ranges) {
        std::sort(ranges.begin(), ranges.end());
        return ranges;
    };
    CHECK(sorted(system.core.invalidated) == sorted(expected));
    CHECK(sorted(system.other.invalidated) == sorted(expected));

    system.core.invalidated.clear();
    // This range ends a byte before the second window.
    system.ram.port->invalidate_direct_mem_ptr(0, 0x3FF);
    CHECK(sorted(system.core.invalidated) ==
          sorted({{0x8000'0000, 0x8000'03FF}, {high, high + 0x3FF}}));

    system.core.invalidated.clear();
    system.ram.port->invalidate_direct_mem_ptr(0, UINT64_MAX);
    CHECK(sorted(system.core.invalidated) ==
          sorted({{0x8000'0000, 0x8000'0FFF}, {0x1'0000'0000, 0x1'0000'0BFF}, {high, UINT64_MAX}}));

    system.core.invalidated.clear();
    system.probe.socket->invalidate_direct_mem_ptr(0, 0x3F); // This range ends before the window.
    CHECK(system.core.invalidated.empty());
    system.probe.socket->invalidate_direct_mem_ptr(0x13F, 0x200);
    CHECK(system.core.invalidated == std::vector<Range>{{0x20FF, 0x20FF}});
}

TEST_CASE("a bulk access must lie within one window")
{
    System system;
    AccessPattern pattern;
    pattern.address = 0x8000'0000;
    pattern.run_bytes = 0x100;
    pattern.count = {1, 4, 4};
    pattern.stride = {0, 0x400, 0x100};
    system.bulk(Direction::Read, pattern, true);
    pattern.address += 1;
    system.bulk(Direction::Read, pattern, false); // The last byte is beyond the window.
    pattern.address = 0x8000'0F00;
    pattern.stride = {0, -0x400, -0x100};
    system.bulk(Direction::Write, pattern, true);
    pattern.address -= 1;
    system.bulk(Direction::Write, pattern, false); // The first byte is before the window.
    pattern.address = 0x2000;
    pattern.count = {1, 1, 2};
    pattern.stride = {0, 0, 0x7FFF'E000}; // The access crosses into another window.
    system.bulk(Direction::Read, pattern, false);
    pattern.address = UINT64_MAX - 0x80;
    pattern.count = {1, 1, 1};
    // The access wraps around the end of the address space.
    system.bulk(Direction::Read, pattern, false);
}

TEST_CASE("a bulk access moves the data of its runs, packed in their order")
{
    System system;
    BulkPort port(system.core.socket);
    AccessPattern pattern;
    pattern.address = 0x1'0000'0100;
    pattern.run_bytes = 3;
    pattern.count = {2, 1, 2};
    pattern.stride = {-16, 0, 5};
    const std::uint8_t packed[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    CHECK(port.write(pattern, packed));
    const std::uint8_t* const at = system.ram.storage().data() + 0x500;
    CHECK(std::vector<int>(at, at + 8) == std::vector<int>{1, 2, 3, 0, 0, 4, 5, 6});
    CHECK(std::vector<int>(at - 16, at - 8) == std::vector<int>{7, 8, 9, 0, 0, 10, 11, 12});
    std::uint8_t back[12] = {};
    CHECK(port.read(pattern, back));
    CHECK(std::memcmp(back, packed, sizeof packed) == 0);
}

TEST_CASE("a region is the memory behind a window, with its bytes unless the bus is observed")
{
    struct Watcher : bus::BusObserver {
        explicit Watcher(Sight sight) : needed(sight) {}
        void passed(const bus::Transaction&) override {}
        [[nodiscard]] Sight needs(const bus::Mapping&) const override { return needed; }
        Sight needed;
    };
    using Sight = bus::BusObserver::Sight;
    Watcher accounts{Sight::Nothing}, stores{Sight::Stores}, all{Sight::Everything};
    System system;
    BulkPort port(system.core.socket);
    const auto region = port.region(0x1'0000'0123);
    CHECK(region.first == 0x1'0000'0000);
    CHECK(region.last == 0x1'0000'0BFF);
    CHECK_FALSE(region.tracked);
    CHECK(region.data == system.ram.storage().data() + 0x400);
    const auto top = port.region(high + 8);
    CHECK(top.first == high);
    CHECK(top.last == UINT64_MAX);
    CHECK(top.data == system.ram.storage().data());
    const auto hole = port.region(0x9000'0000);
    CHECK(hole.first == 0x9000'0000);
    CHECK(hole.last == 0x9000'0000);
    CHECK(hole.data == nullptr);
    system.bus.observe(accounts);
    CHECK(port.region(0x8000'0000).data != nullptr);
    CHECK_FALSE(port.region(0x8000'0000).read_only);
    system.bus.observe(stores);
    CHECK(port.region(0x8000'0000).data != nullptr);
    CHECK(port.region(0x8000'0000).read_only);
    system.bus.observe(all);
    CHECK(port.region(0x8000'0000).data == nullptr);
}

TEST_CASE("a bulk access without bytes is checked but moves no data")
{
    System system;
    BulkPort port(system.core.socket);
    AccessPattern pattern;
    pattern.address = 0x8000'0000;
    pattern.run_bytes = 16;
    std::fill_n(system.ram.storage().data(), 16, std::uint8_t{0x5A});
    CHECK(port.write(pattern, nullptr));
    CHECK(port.read(pattern, nullptr));
    CHECK(std::all_of(system.ram.storage().data(), system.ram.storage().data() + 16,
                      [](std::uint8_t byte) { return byte == 0x5A; }));
    pattern.address += ram_bytes - 8;
    CHECK_FALSE(port.write(pattern, nullptr));
    CHECK_FALSE(port.read(pattern, nullptr));
}
