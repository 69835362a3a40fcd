// SPDX-License-Identifier: Apache-2.0
// Tests that the last reader of an operand tells the memories to discard it.
#include "ip/dma/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <map>
#include <set>

namespace {

using namespace levee;
using namespace levee::test;

/// Records discarded bytes and their times. Bytes that are written again are removed from the
/// record.
class Discards : public bus::BusObserver {
public:
    void passed(const bus::Transaction& transaction) override
    {
        if (transaction.bulk == nullptr || !transaction.payload->is_response_ok())
            return;
        const BulkExtension& bulk = *transaction.bulk;
        bulk.pattern.for_each_run([&](std::uint64_t at) {
            for (std::uint64_t byte = at; byte < at + bulk.pattern.run_bytes; ++byte)
                if (bulk.phase == BulkExtension::Phase::Discard)
                    bytes[byte] = now_ps();
                else if (bulk.phase == BulkExtension::Phase::Data &&
                         bulk.direction == Direction::Write)
                    bytes.erase(byte);
        });
    }
    /// Returns the contiguous ranges as [first, last).
    std::set<std::pair<std::uint64_t, std::uint64_t>> parts() const
    {
        std::set<std::pair<std::uint64_t, std::uint64_t>> found;
        for (auto at = bytes.begin(); at != bytes.end();) {
            const std::uint64_t first = at->first;
            std::uint64_t last = first;
            for (; at != bytes.end() && at->first == last; ++at)
                ++last;
            found.insert({first, last});
        }
        return found;
    }

    std::map<std::uint64_t, Picoseconds> bytes;
};

struct System : Bench {
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 64, queue_config}, fabric};
    rsa::Rsa rsa{
        "rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, 32, 10, queue_config}, fabric};
    Discards discards;

    System() : Bench("bench")
    {
        connect(dma.queue);
        connect(rsa.queue);
        connect(sfu.queue);
        bus.observe(discards);
    }
    using Parts = std::set<std::pair<std::uint64_t, std::uint64_t>>;
    /// Returns the ranges that an operation discards if it succeeds.
    Parts discarded(unsigned block, levee_descriptor descriptor, std::uint8_t flags)
    {
        discards.bytes.clear();
        descriptor.flags = flags;
        CHECK(execute(block, descriptor) == LEVEE_ERROR_NONE);
        return discards.parts();
    }
};

} // namespace

TEST_CASE("the last product to read an operand discards it and its scales")
{
    System system;
    system.run([&] {
        levee_rsa_operation gemm{};
        gemm.outer[0] = gemm.outer[1] = gemm.m1 = 1;
        gemm.m0 = 2;
        gemm.k = 32;
        gemm.n = 64;
        gemm.a_type = LEVEE_TYPE_INT16;
        gemm.b_type = LEVEE_TYPE_INT8;
        gemm.alpha = 1.0f;
        gemm.a = system.take(256);
        gemm.a_stride[3] = 128; // Leaves a gap between the rows.
        gemm.a_scale = system.take(64);
        gemm.a_scale_stride[3] = 4;
        gemm.b = system.take(32 * 64);
        gemm.b_stride[2] = 64;
        gemm.b_scale = system.take(256);
        gemm.b_scale_stride[2] = 4;
        gemm.out = system.take(512);
        gemm.out_stride[3] = 256;
        const System::Parts a{
            {gemm.a, gemm.a + 64}, {gemm.a + 128, gemm.a + 192}, {gemm.a_scale, gemm.a_scale + 8}};
        const System::Parts b{{gemm.b, gemm.b_scale + 256}}; // B and its scales are adjacent.
        const auto product = describe(LEVEE_RSA_GEMM, gemm);
        CHECK(system.discarded(1, product, 0).empty());
        CHECK(system.discarded(1, product, LEVEE_DESC_LAST_READ_0) == a);
        CHECK(system.discarded(1, product, LEVEE_DESC_LAST_READ_1) == b);
    });
}

TEST_CASE("the last sum to read an operand discards it")
{
    System system;
    system.run([&] {
        levee_sfu_operation add{};
        add.outer[0] = add.outer[1] = add.rows = 1;
        add.n = 16;
        add.x_type = add.out_type = LEVEE_TYPE_FP32;
        add.x = system.take(64);
        add.y = system.take(64);
        add.out = system.take(64);
        const auto sum = describe(LEVEE_SFU_ADD, add);
        CHECK(system.discarded(2, sum, LEVEE_DESC_LAST_READ_0) ==
              System::Parts{{add.x, add.x + 64}});
        CHECK(system.discarded(2, sum, LEVEE_DESC_LAST_READ_1) ==
              System::Parts{{add.y, add.y + 64}});
    });
}

TEST_CASE("the last copy of a source discards it at its end, and a fill discards nothing")
{
    System system;
    system.run([&] {
        levee_dma_operation copy{};
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = 1 << 16;
        copy.source = system.take(1 << 16);
        copy.destination = system.take(1 << 16);
        const Picoseconds begun = now_ps();
        CHECK(system.discarded(0, describe(LEVEE_DMA_COPY, copy), LEVEE_DESC_LAST_READ_0) ==
              System::Parts{{copy.source, copy.source + (1 << 16)}});
        // Reads and writes share one memory at 32 GB/s.
        CHECK(system.discards.bytes.begin()->second >= begun + 2 * 65'536 * 1000 / 32);
        CHECK(system.discarded(0, describe(LEVEE_DMA_FILL, copy), LEVEE_DESC_LAST_READ_0).empty());
    });
}

TEST_CASE("results that replace their operand are not discarded")
{
    System system;
    system.run([&] {
        levee_sfu_operation op{};
        op.outer[0] = op.outer[1] = op.rows = 1;
        op.n = 16;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = op.out = system.take(64);
        CHECK(system.discarded(2, describe(LEVEE_SFU_RELU, op), LEVEE_DESC_LAST_READ_0).empty());
    });
}

TEST_CASE("an operation that is refused discards nothing")
{
    System system;
    system.run([&] {
        levee_dma_operation copy{};
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = 64;
        copy.source = system.take(64);
        copy.destination = 64; // No memory is mapped there.
        levee_descriptor descriptor = describe(LEVEE_DMA_COPY, copy);
        descriptor.flags = LEVEE_DESC_LAST_READ_0;
        CHECK(system.execute(0, descriptor) == LEVEE_ERROR_ADDRESS);
        CHECK(system.discards.bytes.empty());
    });
}
