// SPDX-License-Identifier: Apache-2.0
// A small system for tests that drive blocks as software does. It has a core socket, a bus, an
// SRAM, the sync unit and the blocks under test.
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "core/command/command_queue.hpp"
#include "ip/bus/module.hpp"
#include "ip/sram/module.hpp"
#include "ip/sync/module.hpp"
#include "ip/sync/regs.h"

#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee::test {

inline constexpr std::uint64_t memory_base = 0x40'0000'0000; // An address beyond the core's 32
                                                             // bits.
inline constexpr std::uint64_t memory_bytes = 8u << 20;
inline constexpr std::uint64_t sync_base = 0x1000;
inline constexpr std::uint64_t block_base = 0x2000; // Registers of the first block.
inline constexpr std::uint64_t block_page = 0x1000;

inline constexpr Picoseconds hop = 1'000; // latency of the bus
inline constexpr Picoseconds memory_latency = 2'000;
inline constexpr Picoseconds fetch = 10'000;
inline constexpr std::uint64_t memory_rate = 32'000'000'000; // bytes per second
inline constexpr std::uint32_t queue_depth = 16;
inline constexpr CommandQueueConfig queue_config{queue_depth, fetch, 0};

/// Returns a descriptor that waits for nothing and signals nothing.
template <typename Operation>
levee_descriptor describe(std::uint8_t opcode, const Operation& operation, std::uint32_t tag = 0)
{
    levee_descriptor descriptor{};
    descriptor.magic = LEVEE_DESCRIPTOR_MAGIC;
    descriptor.opcode = opcode;
    descriptor.tag = tag;
    std::memset(descriptor.wait_counter, LEVEE_NO_COUNTER, sizeof descriptor.wait_counter);
    std::memset(descriptor.signal_counter, LEVEE_NO_COUNTER, sizeof descriptor.signal_counter);
    std::memcpy(descriptor.operation, &operation, sizeof operation);
    return descriptor;
}

/// Returns a count that a block or memory reports. The test fails if there is none.
inline std::uint64_t figure(const auto& component, const std::string& name)
{
    Stats stats;
    component.report(stats);
    for (const auto& [known, value] : stats.figures())
        if (known == name)
            return std::get<std::uint64_t>(value);
    FAIL("the component reports no figure '" << name << "'");
    return 0;
}

class Bench : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Bench);

    /// `rate` is the memory's bandwidth in bytes per second; the memory's link has twice that.
    explicit Bench(const sc_core::sc_module_name& name,
                   const std::vector<StreamPortConfig>& ports = {},
                   std::uint64_t rate = memory_rate)
        : sc_module(name), core("core"), bus("bus", {hop, 2 * rate}),
          memory("memory", {memory_bytes, rate, memory_latency, false, false}), sync("sync", {16}),
          flows("flows"), streams(ports)
    {
        core.bind(bus.initiators);
        bus.targets.bind(memory.port);
        bus.targets.bind(sync.registers);
        bus.map({"memory", memory_base, memory_bytes, 0, 0});
        bus.map({"sync", sync_base, block_page, 1, 0});
        SC_THREAD(software);
    }

    /// Connects a block. Blocks are numbered in the order of their connection, and registers are at
    /// base(number).
    void connect(CommandQueue& queue)
    {
        queue.memory.bind(bus.initiators);
        bus.targets.bind(queue.registers);
        bus.map({queue.name(), base(blocks_), block_page, 2 + blocks_, 0});
        queue.on_interrupt = [this, number = blocks_](bool level) { interrupts[number] = level; };
        interrupts.push_back(false);
        ++blocks_;
    }
    static std::uint64_t base(unsigned block) { return block_base + block * block_page; }

    /// Runs `program` as the core's software until no more events occur.
    void run(std::function<void()> program)
    {
        program_ = std::move(program);
        sc_core::sc_start();
        CHECK(finished);
    }

    // Accesses an address as software does.
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay;
        core->b_transport(payload, delay);
        sc_core::wait(delay);
        return payload.get_response_status();
    }
    std::uint32_t read(std::uint64_t address)
    {
        std::uint32_t word = 0;
        CHECK(access(tlm::TLM_READ_COMMAND, address, &word, 4) == tlm::TLM_OK_RESPONSE);
        return word;
    }
    void write(std::uint64_t address, std::uint32_t word)
    {
        CHECK(access(tlm::TLM_WRITE_COMMAND, address, &word, 4) == tlm::TLM_OK_RESPONSE);
    }
    std::uint32_t reg(unsigned block, std::uint32_t offset) { return read(base(block) + offset); }
    void set_reg(unsigned block, std::uint32_t offset, std::uint32_t word)
    {
        write(base(block) + offset, word);
    }
    std::uint32_t counter(unsigned number) { return read(sync_base + LEVEE_SYNC_VALUE(number)); }

    /// Writes descriptors to memory through the bus, then rings the block's doorbell.
    void submit(unsigned block, std::vector<levee_descriptor> descriptors)
    {
        const auto bytes = static_cast<unsigned>(descriptors.size() * sizeof(levee_descriptor));
        const std::uint64_t at = take(bytes);
        CHECK(access(tlm::TLM_WRITE_COMMAND, at, descriptors.data(), bytes) ==
              tlm::TLM_OK_RESPONSE);
        submit_at(block, at, static_cast<std::uint32_t>(descriptors.size()));
    }
    void submit_at(unsigned block, std::uint64_t address, std::uint32_t count)
    {
        set_reg(block, LEVEE_CMD_ADDRESS_LO, static_cast<std::uint32_t>(address));
        set_reg(block, LEVEE_CMD_ADDRESS_HI, static_cast<std::uint32_t>(address >> 32));
        set_reg(block, LEVEE_CMD_SUBMIT, count);
    }
    /// Polls until the block is idle or has stopped. Returns false if neither happens within a
    /// millisecond of simulated time.
    bool settle(unsigned block)
    {
        for (int i = 0; i < 1000; ++i) {
            if (reg(block, LEVEE_CMD_STATUS) & (LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED))
                return true;
            sc_core::wait(1, sc_core::SC_US);
        }
        return false;
    }
    /// Submits one descriptor, waits for its end, and returns its error code.
    std::uint32_t execute(unsigned block, const levee_descriptor& descriptor)
    {
        submit(block, {descriptor});
        CHECK(settle(block));
        return reg(block, LEVEE_CMD_ERROR_CODE);
    }

    // Allocates memory. Functions below access memory from outside, without simulated time, by
    // accelerator addresses.
    std::uint64_t take(std::uint64_t bytes)
    {
        const std::uint64_t at = memory_base + free_;
        free_ += (bytes + 63) / 64 * 64;
        CHECK(free_ <= memory_bytes);
        return at;
    }
    /// Frees everything that was allocated since `mark`.
    std::uint64_t mark() const { return free_; }
    void release(std::uint64_t mark) { free_ = mark; }

    std::uint8_t* at(std::uint64_t address)
    {
        return memory.storage().data() + (address - memory_base);
    }
    template <typename T> std::uint64_t put(const std::vector<T>& values)
    {
        const std::uint64_t address = take(values.size() * sizeof(T));
        std::memcpy(at(address), values.data(), values.size() * sizeof(T));
        return address;
    }
    template <typename T> std::vector<T> get(std::uint64_t address, std::size_t count)
    {
        std::vector<T> values(count);
        if (count > 0)
            std::memcpy(values.data(), at(address), count * sizeof(T));
        return values;
    }

    InitiatorSocket core;
    bus::Bus bus;
    sram::Sram memory;
    sync::Sync sync;
    FlowEngine flows;
    StreamPorts streams;
    Fabric fabric{flows, sync, streams};
    std::vector<bool> interrupts;
    bool finished = false;

private:
    void software()
    {
        program_();
        finished = true;
    }

    std::function<void()> program_;
    unsigned blocks_ = 0;
    std::uint64_t free_ = 64;
};

} // namespace levee::test
