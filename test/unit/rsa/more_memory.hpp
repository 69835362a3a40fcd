// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/unit/blocks/bench.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace levee::test {

inline constexpr std::uint64_t more_base = 0x50'0000'0000;

/// Numbers of reads, writes and discards of each unit of a memory with rows.
using Account = std::map<std::uint64_t, std::array<std::uint32_t, 3>>;

/// A second memory that tracks accesses, like an eDRAM. Blocks report accesses that move no bytes
/// to it directly.
class MoreMemory : public sc_core::sc_module, public FlowResource, private AccessTracker {
public:
    TargetSocket port;
    Account account;
    std::uint64_t streamed[2] = {}; ///< Bytes of opened streams, by direction.

    MoreMemory(const sc_core::sc_module_name& name, std::uint64_t rate, Picoseconds latency)
        : sc_module(name), FlowResource({FlowAccount::Kind::Storage, this->name()}), port("port"),
          rate_(rate), latency_(latency), storage_(memory_bytes)
    {
        port.register_b_transport(this, &MoreMemory::transport);
    }
    Storage& storage() { return storage_; }

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
               std::span<double> ps_per_byte) override
    {
        std::fill_n(ps_per_byte.begin(), mix.size(), 1e12 / static_cast<double>(rate_));
    }

private:
    static constexpr std::uint64_t unit = 32;

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
    {
        auto* const access = payload.get_extension<BulkExtension>();
        if (access == nullptr || !storage_.holds(access->pattern)) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        const bool is_write = access->direction == Direction::Write;
        if (access->phase == BulkExtension::Phase::Open) {
            access->pass_through(*this, latency_);
            access->region = {0, storage_.size() - 1, true};
            access->region.tracker = this;
            streamed[is_write] += access->bytes;
            return;
        }
        const bool is_data = access->phase == BulkExtension::Phase::Data;
        count(access->pattern, is_data ? (is_write ? 1 : 0) : 2);
        if (payload.is_read())
            storage_.read(access->pattern, payload.get_data_ptr());
        else if (payload.is_write())
            storage_.write(access->pattern, payload.get_data_ptr());
    }

    void accessed(Direction direction, const AccessPattern& pattern) override
    {
        count(pattern, direction == Direction::Write ? 1 : 0);
    }
    void count(const AccessPattern& pattern, std::size_t what)
    {
        const AccessPattern runs = pattern.merged();
        runs.for_each_run([&](std::uint64_t address) {
            for (std::uint64_t u = address / unit; u <= (address + runs.run_bytes - 1) / unit; ++u)
                ++account[u][what];
        });
    }

    std::uint64_t rate_;
    Picoseconds latency_;
    Storage storage_;
};

/// Binds the memory to the bus as the next target after `blocks` blocks.
inline void connect(Bench& bench, MoreMemory& memory, unsigned blocks)
{
    bench.bus.targets.bind(memory.port);
    bench.bus.map({"more", more_base, memory_bytes, 2 + blocks, 0});
}

/// Records the requests of a queue's last operation.
class Asked : public CommandObserver {
public:
    std::vector<std::tuple<std::string, Direction, std::uint64_t, std::uint64_t>> uses;
    std::vector<FlowUse> streams;
    std::vector<std::pair<std::string, std::uint64_t>> work;
    Picoseconds minimum = 0, begun = 0, took = 0;

    void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override
    {
        uses.clear();
        streams.clear();
        work.clear();
        minimum = took = 0;
    }
    void costs(const CommandQueue&, const levee_descriptor&, std::span<const FlowUse> all,
               std::span<const CountedEvent> events) override
    {
        streams.assign(all.begin(), all.end());
        for (const FlowUse& use : all)
            uses.emplace_back(use.resource->flow_name(), use.direction, use.pattern.address,
                              use.bytes);
        for (const CountedEvent& event : events)
            work.emplace_back(event.event->name, event.count);
    }
    void started(const CommandQueue&, const levee_descriptor&, const Activity& activity,
                 bool) override
    {
        minimum = activity.minimum;
        begun = now_ps();
    }
    void finished(const CommandQueue&, std::uint32_t, bool) override { took = now_ps() - begun; }

    [[nodiscard]] bool same_as(const Asked& other) const
    {
        const auto same = [](const FlowUse& a, const FlowUse& b) {
            return a.pattern.run_bytes == b.pattern.run_bytes &&
                   a.pattern.count == b.pattern.count && a.pattern.stride == b.pattern.stride &&
                   a.pattern.scattered == b.pattern.scattered;
        };
        return uses == other.uses && work == other.work && minimum == other.minimum &&
               took == other.took &&
               std::equal(streams.begin(), streams.end(), other.streams.begin(),
                          other.streams.end(), same);
    }
};

/// The result of a descriptor on one of two blocks that must behave alike.
struct Outcome {
    std::uint32_t error, field, signals;
    Account account; ///< Accesses to the memory that tracks them.
    bool operator==(const Outcome&) const = default;
};

/// Executes the descriptor on `block` of a Bench. Both blocks read it from the same address.
Outcome execute_on(auto& system, MoreMemory& more, unsigned block, levee_descriptor descriptor)
{
    more.account.clear();
    descriptor.signal_counter[0] = 0;
    descriptor.signal_add[0] = 1;
    const std::uint32_t before = system.sync.value(0);
    const std::uint64_t here = system.mark();
    const std::uint32_t error = system.execute(block, descriptor);
    system.release(here);
    const std::uint32_t field = system.reg(block, LEVEE_CMD_ERROR_FIELD);
    system.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    return {error, field, system.sync.value(0) - before, more.account};
}

/// Returns all bytes allocated so far in both memories.
std::vector<std::uint8_t> bytes_in(auto& system, MoreMemory& more)
{
    const std::uint8_t* const first = system.at(memory_base);
    std::vector<std::uint8_t> all(first, first + system.mark());
    all.insert(all.end(), more.storage().data(), more.storage().data() + system.mark());
    return all;
}

/// Checks that both outcomes are equal. Requests are compared if nothing was refused.
inline void check_same(const Outcome& one, const Asked& asked_one, const Outcome& other,
                       const Asked& asked_other)
{
    CHECK(one.error == other.error);
    CHECK(one.field == other.field);
    CHECK(one.signals == other.signals);
    CHECK(one.account == other.account);
    if (one.error == LEVEE_ERROR_NONE)
        CHECK(asked_one.same_as(asked_other));
}

} // namespace levee::test
