// SPDX-License-Identifier: Apache-2.0
// Tests two command queues that share one array.
#include "ip/rsa/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <array>

namespace {

using namespace levee;
using namespace levee::test;

constexpr Picoseconds cycle = 1'000;

struct System : Bench {
    static constexpr rsa::ArrayShape shape{32, 32, 128, 1024, true};
    rsa::Rsa first{"first", {Clock{1'000'000'000}, shape, false, queue_config}, fabric};
    rsa::Rsa second{"second", {Clock{1'000'000'000}, shape, false, queue_config}, fabric};

    explicit System(std::uint64_t rate = 512'000'000'000) : Bench("bench", {}, rate)
    {
        connect(first.queue);
        connect(second.queue);
        second.share_array(first);
    }

    /// Returns a product of m rows of A with a square INT8 matrix of zeros, in `folds` folds.
    levee_rsa_operation product(std::uint16_t m, std::uint32_t folds)
    {
        levee_rsa_operation op{};
        op.outer[0] = op.outer[1] = op.m0 = 1;
        op.m1 = m;
        op.k = 32;
        op.n = 32 * folds;
        op.a_type = op.b_type = LEVEE_TYPE_INT8;
        op.alpha = 1.0f;
        op.a = take(32 * m);
        op.a_stride[2] = 32;
        op.b = take(32 * op.n);
        op.b_stride[2] = static_cast<std::int32_t>(op.n);
        op.out = take(4ull * m * op.n);
        op.out_stride[2] = static_cast<std::int32_t>(4 * op.n);
        return op;
    }
    /// Returns the product's cycles when it runs alone.
    static Picoseconds alone(std::uint64_t m, std::uint64_t folds)
    {
        return (folds * std::max<std::uint64_t>(m, 8) + 62) * cycle;
    }
    /// Submits to both queues at once. Returns the time from the doorbells to the end of each
    /// product; 0 for a product that is null.
    std::array<Picoseconds, 2> run_both(const levee_rsa_operation* one,
                                        const levee_rsa_operation* two)
    {
        const levee_rsa_operation* operations[] = {one, two};
        std::array<std::uint64_t, 2> at{};
        std::array<std::uint32_t, 2> before{};
        for (unsigned block = 0; block < 2; ++block) {
            before[block] = sync.value(block);
            if (operations[block] == nullptr)
                continue;
            levee_descriptor descriptor = describe(LEVEE_RSA_GEMM, *operations[block]);
            descriptor.signal_counter[0] = static_cast<std::uint8_t>(block);
            descriptor.signal_add[0] = 1;
            descriptor.wait_counter[0] = 5;
            descriptor.wait_value[0] = sync.value(5) + 1;
            submit(block, {descriptor});
        }
        sc_core::wait(1, sc_core::SC_US);
        const Picoseconds begun = now_ps();
        write(sync_base + LEVEE_SYNC_ADD(5), 1);
        const Picoseconds rung = now_ps() - begun;
        std::array<Picoseconds, 2> done{};
        for (unsigned block = 0; block < 2; ++block)
            if (operations[block] != nullptr && sync.value(block) == before[block])
                at[block] = 1;
        while (at[0] + at[1] > 0) {
            sc_core::wait(sync.changed(0) | sync.changed(1));
            for (unsigned block = 0; block < 2; ++block)
                if (at[block] != 0 && sync.value(block) != before[block]) {
                    done[block] = now_ps() - begun - rung + hop - hop - memory_latency;
                    at[block] = 0;
                }
        }
        return done;
    }
};

} // namespace

TEST_CASE("on a shared array, an operation alone takes the same time as on its own array")
{
    System system;
    system.run([&] {
        for (const auto& [m, folds] : {std::pair<std::uint16_t, std::uint32_t>{100, 7}, {1, 3}}) {
            const auto op = system.product(m, folds);
            CHECK(system.run_both(&op, nullptr)[0] == System::alone(m, folds));
            CHECK(system.run_both(nullptr, &op)[1] == System::alone(m, folds));
        }
    });
}

TEST_CASE("two operations at once share the array's time, and the longer one ends alone")
{
    System system;
    system.run([&] {
        const auto shorter = system.product(100, 4), longer = system.product(100, 10);
        const Picoseconds s = System::alone(100, 4), l = System::alone(100, 10);
        const auto done = system.run_both(&shorter, &longer);
        CHECK(done[0] == 2 * s);
        CHECK(done[1] == s + l);
    });
}

TEST_CASE("an operation that waits for memory leaves its share of the array to the other")
{
    System system(1'000'000'000); // Weights arrive at only 1 byte per cycle.
    system.run([&] {
        // One row through 10 folds takes 80 cycles of the array, and 62 of fill and drain.
        const auto starved = system.product(1, 10);
        const Picoseconds bytes = 32 * 320 + 10 * 32 + 1280;
        CHECK(system.run_both(&starved, nullptr)[0] == bytes * cycle);
        // 1024 rows through one fold take 1024 + 62 cycles, and move enough bytes to keep the
        // memory busy.
        const auto other = system.product(1024, 1);
        const Picoseconds own = 1024 * 32 + 32 * 32 + 1024 * 128;
        const auto done = system.run_both(&starved, &other);
        // Each product gets half of the memory's bandwidth; the array is not the bottleneck.
        CHECK(done[0] == 2 * bytes * cycle);
        CHECK(done[1] == (bytes + own) * cycle);
    });
}
