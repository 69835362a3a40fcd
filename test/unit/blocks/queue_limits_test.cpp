// SPDX-License-Identifier: Apache-2.0
// Tests extreme cases of the command queue: the most iterations, a fetch after a reset, and an
// activity before its start.
#include "core/rtl/rtl_clock.hpp"
#include "test/unit/blocks/two_engines.hpp"

namespace {

using namespace levee;
using namespace levee::test;

/// A block whose operations the test fills in.
struct Block : Executor {
    static constexpr Declaration declaration{.type = "block", .opcodes = {}, .fields = {}};
    CommandQueue queue;
    std::function<void(Operation&)> fill_in;

    Block(const char* name, const Fabric& fabric)
        : queue(name, queue_config, declaration, *this, fabric)
    {
    }
    void prepare(const levee_descriptor&, Operation& operation) override { fill_in(operation); }
};

struct System : Bench {
    Block block{"block", fabric};

    System() : Bench("bench") { connect(block.queue); }
};

constexpr Picoseconds cycle = 1'000;

/// An RTL design that needs a given number of cycles for each operation. It counts how often data
/// may move earlier than a given time after the operation's start.
class Design : public RtlStatus {
public:
    std::uint64_t needs = 0, opened = 0;
    Picoseconds early = 0;

    void attach(RtlRun) override {}
    void begin_operation(const RtlOperation&) override {}
    [[nodiscard]] Clock clock() const override { return Clock{1'000'000'000}; }
    std::uint64_t run_deferred(const RtlClocking& clocking) override
    {
        const Picoseconds begun = now_ps();
        std::uint64_t cycles = 0;
        for (std::uint64_t moved = 0; moved < needs; ++cycles) {
            const bool is_open = clocking.is_open();
            moved += is_open ? 1 : 0;
            opened += is_open && now_ps() < begun + early ? 1 : 0;
            clocking.after_cycle();
        }
        return cycles;
    }
    bool finish_waves() override { return false; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return 0; }
    [[nodiscard]] bool in_lockstep() const override { return false; }
    [[nodiscard]] std::uint64_t comparisons() const override { return 0; }
    [[nodiscard]] const std::optional<LockstepDifference>& failure() const override
    {
        return failure_;
    }
    [[nodiscard]] std::optional<Difference> outstanding() override { return std::nullopt; }

private:
    std::optional<LockstepDifference> failure_;
};

/// A resource whose bytes take 1 ps each.
struct Stream : FlowResource {
    Stream() : FlowResource({FlowAccount::Kind::Units, "block"}) {}
    void price(std::span<const FlowUse* const>, std::span<const StreamDemand>,
               std::span<double> ps_per_byte) override
    {
        for (double& price : ps_per_byte)
            price = 1.0;
    }
};

} // namespace

TEST_CASE("a descriptor with the most iterations costs no more than its signals")
{
    System system;
    system.block.fill_in = [](Operation& operation) {
        operation.iterations = UINT32_MAX;
        operation.job.activity.minimum = 1'000'000;
    };
    system.run([&] {
        levee_descriptor half = describe(1, levee_dma_operation{});
        signal(half, 0, 0, 1, 0x8000'0000);
        levee_descriptor both = half;
        // Counter 1 gets a signal after each third of the iterations, the last one at the end.
        signal(both, 1, 1, 1, 0x5555'5555);
        levee_descriptor end = describe(1, levee_dma_operation{});
        signal(end, 0, 0, 1, UINT32_MAX);
        CHECK(system.execute(0, half) == LEVEE_ERROR_NONE);
        CHECK(system.counter(0) == 2);
        CHECK(system.execute(0, both) == LEVEE_ERROR_NONE);
        CHECK(system.counter(0) == 4);
        CHECK(system.counter(1) == 3);
        CHECK(system.execute(0, end) == LEVEE_ERROR_NONE);
        CHECK(system.counter(0) == 5);
    });
}

TEST_CASE("after a reset the fetcher does not wait for dropped descriptors")
{
    TwoEngines system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        std::vector<levee_descriptor> dropped(queue_depth, fill(to, 1));
        wait_on(dropped[0], 0, 0, 1);
        levee_descriptor fence = fill(to, 2);
        fence.opcode = LEVEE_OPCODE_FENCE;
        signal(fence, 0, 4, 1);
        const std::uint64_t at = system.put<levee_descriptor>({fence});
        system.submit(0, dropped);
        sc_core::wait(2 * fetch, sc_core::SC_PS); // The first descriptor waits for its counter.
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        system.submit_at(0, at, 1);
        const Picoseconds doorbell = now_ps() - hop;
        system.wait_for(4, 1);
        CHECK(now_ps() - doorbell == fetch);
        CHECK(system.settle(0));
        CHECK(*system.at(to) == 0);
    });
}

TEST_CASE("data of an operation that begins as the one before ends do not move early")
{
    // The second descriptor is fetched while the first one runs. It begins in the picosecond in
    // which the first one ends.
    constexpr Picoseconds lead = 40 * cycle, moves = 20 * cycle;
    System system;
    Stream stream;
    Design design;
    RtlClock clock("clock", system.block.queue, design);
    design.needs = moves / cycle;
    design.early = lead;
    system.block.fill_in = [&](Operation& operation) {
        operation.lead = lead;
        operation.job.activity.minimum = moves;
        operation.job.activity.uses.push_back(FlowUse{&stream, Direction::Read, {}, moves});
    };
    system.run([&] {
        const levee_descriptor move = describe(1, levee_dma_operation{});
        system.submit(0, {move, move});
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    });
    CHECK(clock.figures().operations == 2);
    CHECK(design.opened == 2 * 2); // Data of up to two cycles may be in flight for each operation.
}
