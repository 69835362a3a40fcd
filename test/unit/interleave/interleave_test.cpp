// SPDX-License-Identifier: Apache-2.0
// Tests interleaved memories behind a bus: which bytes each memory holds, and which accesses pass
// through it.
#include "ip/bus/module.hpp"
#include "ip/interleave/module.hpp"
#include "ip/sram/module.hpp"

#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace levee;

constexpr unsigned ways = 3;
constexpr std::uint64_t granule = 64, memory_bytes = 4096, base = 0x1'0000'0000;
constexpr Picoseconds hop = 500, access_time = 700;

sram::Config memory_config()
{
    return {memory_bytes, 32'000'000'000, access_time, true, false};
}

struct Master : sc_core::sc_module {
    InitiatorSocket socket{"socket"};
    explicit Master(const sc_core::sc_module_name& name) : sc_module(name) {}
};

void set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
         std::uint8_t* data, unsigned bytes)
{
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
}

struct System {
    Master master{"master"};
    bus::Bus bus{"bus", {hop, 64'000'000'000}};
    std::deque<sram::Sram> memories;
    interleave::Interleaver interleave{
        "interleave",
        {interleave::Division(ways, granule),
         ways* memory_bytes,
         {&bus.make_link("a"), &bus.make_link("b"), &bus.make_link("c")}}};

    System()
    {
        master.socket.bind(bus.initiators);
        bus.targets.bind(interleave.port);
        for (unsigned way = 0; way < ways; ++way)
            memories.emplace_back(std::string(1, static_cast<char>('a' + way)).c_str(),
                                  memory_config());
        for (unsigned way = 0; way < ways; ++way)
            interleave.memories[way].bind(memories[way].port);
        bus::Mapping window{"a", base, ways * memory_bytes, 0, 0};
        window.one_link = false;
        bus.map(window);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                    std::uint8_t* data, unsigned bytes, Picoseconds takes)
    {
        tlm::tlm_generic_payload plain;
        set(plain, command, address, data, bytes);
        sc_core::sc_time delay;
        master.socket->b_transport(plain, delay);
        CHECK(delay.value() == takes);
        return plain.get_response_status();
    }
    /// Returns the byte at an address of the range, from the memory that holds it.
    std::uint8_t& at(std::uint64_t address)
    {
        const interleave::Place place = interleave::Division(ways, granule).place(address);
        return memories[place.way].storage().data()[place.offset];
    }
    std::map<std::string, std::uint64_t> figures(unsigned way)
    {
        Stats stats;
        memories[way].report(stats);
        std::map<std::string, std::uint64_t> figures;
        for (const auto& [name, value] : stats.figures())
            figures[name] = std::get<std::uint64_t>(value);
        return figures;
    }
};

std::vector<std::uint8_t> counting(std::size_t bytes)
{
    std::vector<std::uint8_t> data(bytes);
    std::iota(data.begin(), data.end(), std::uint8_t{1});
    return data;
}

/// SystemC elaborates only once per process, so all tests share one system.
System& the_system()
{
    static System system;
    return system;
}

} // namespace

TEST_CASE("interleaved memories: a plain access across granules")
{
    System& system = the_system();
    std::vector<std::uint8_t> data = counting(8);
    // Four bytes go to each of two memories at the same time.
    CHECK(system.access(tlm::TLM_WRITE_COMMAND, base + 2 * granule - 4, data.data(), 8,
                        hop + access_time) == tlm::TLM_OK_RESPONSE);
    for (std::uint64_t i = 0; i < 8; ++i)
        CHECK(system.at(2 * granule - 4 + i) == data[i]);
    std::array<std::uint8_t, 8> back{};
    CHECK(system.access(tlm::TLM_READ_COMMAND, base + 2 * granule - 4, back.data(), 8,
                        hop + access_time) == tlm::TLM_OK_RESPONSE);
    CHECK(std::equal(back.begin(), back.end(), data.begin()));
    CHECK(system.figures(0).at("read_bytes") == 0);
    CHECK(system.figures(1).at("read_bytes") == 4);
    CHECK(system.figures(2).at("write_bytes") == 4);
    // Accesses the last byte, then the one after it.
    const std::uint64_t last = base + ways * memory_bytes - 1;
    CHECK(system.access(tlm::TLM_WRITE_COMMAND, last, data.data(), 1, hop + access_time) ==
          tlm::TLM_OK_RESPONSE);
    CHECK(system.memories[2].storage().data()[memory_bytes - 1] == 1);
    CHECK(system.access(tlm::TLM_WRITE_COMMAND, last, data.data(), 2, 0) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("interleaved memories: bulk data, packed in the pattern's order")
{
    System& system = the_system();
    BulkPort port(system.master.socket);
    AccessPattern pattern{base + 50, 100, {2, 3, 2}, {3000, 700, 130}, false};
    const std::vector<std::uint8_t> data = counting(pattern.bytes());
    CHECK(port.write(pattern, data.data()));
    std::size_t next = 0;
    pattern.for_each_run([&](std::uint64_t run) {
        for (std::uint64_t i = 0; i < pattern.run_bytes; ++i)
            CHECK(system.at(run - base + i) == data[next++]);
    });
    std::vector<std::uint8_t> back(data.size());
    CHECK(port.read(pattern, back.data()));
    CHECK(back == data);
    pattern.address = base + ways * memory_bytes - 50;
    CHECK_FALSE(port.read(pattern, back.data()));
    CHECK_FALSE(port.allows(Direction::Read, pattern));
}

TEST_CASE("interleaved memories: a stream uses every link and memory that has a part of it")
{
    System& system = the_system();
    BulkPort port(system.master.socket);
    const auto before = system.figures(1).at("read_bytes");
    std::vector<FlowUse> uses;
    Picoseconds latency = 0;
    // The stream reads a granule of the second memory and two bytes of the third, all twice.
    const AccessPattern pattern{base + granule, granule + 2, {1, 1, 1}, {}, false};
    REQUIRE(port.open(Direction::Read, pattern, 2 * pattern.bytes(), uses, latency));
    CHECK(latency == hop + access_time);
    REQUIRE(uses.size() == 4);
    const std::vector<std::string> names{"bus.link_b", "b", "bus.link_c", "c"};
    for (std::size_t i = 0; i < uses.size(); ++i) {
        CHECK(uses[i].resource->flow_name() == names[i]);
        CHECK(uses[i].bytes == (i < 2 ? 2 * granule : 4));
        CHECK(uses[i].pattern.address == 0);
        CHECK(uses[i].pattern.run_bytes == (i < 2 ? granule : 2));
    }
    CHECK(system.figures(1).at("read_bytes") - before == 2 * granule);

    // The whole range is one region, without tracked accesses and without a pointer.
    const BulkExtension::Region region = port.region(base + 5000);
    CHECK(region.first == base);
    CHECK(region.last == base + ways * memory_bytes - 1);
    CHECK_FALSE(region.tracked);
    CHECK(region.data == nullptr);
    CHECK(port.discard(pattern));
}

TEST_CASE("interleaved memories: a debugger sees the range, and nobody gets pointers into it")
{
    System& system = the_system();
    std::vector<std::uint8_t> data = counting(5 * granule);
    tlm::tlm_generic_payload write;
    set(write, tlm::TLM_WRITE_COMMAND, base + 1000, data.data(), 5 * granule);
    CHECK(system.master.socket->transport_dbg(write) == 5 * granule);
    for (std::uint64_t i = 0; i < data.size(); ++i)
        CHECK(system.at(1000 + i) == data[i]);
    std::vector<std::uint8_t> back(data.size());
    tlm::tlm_generic_payload read;
    set(read, tlm::TLM_READ_COMMAND, base + 1000, back.data(), 5 * granule);
    CHECK(system.master.socket->transport_dbg(read) == 5 * granule);
    CHECK(back == data);
    // At the end of the range, only the existing bytes are read.
    tlm::tlm_generic_payload end;
    set(end, tlm::TLM_READ_COMMAND, base + ways * memory_bytes - 100, back.data(), 5 * granule);
    CHECK(system.master.socket->transport_dbg(end) == 100);

    tlm::tlm_dmi dmi;
    CHECK_FALSE(system.master.socket->get_direct_mem_ptr(read, dmi));
    CHECK(dmi.get_start_address() == base);
    CHECK(dmi.get_end_address() == base + ways * memory_bytes - 1);
}
