// SPDX-License-Identifier: Apache-2.0
// Tests that a timing-only run of the element-serial unit differs from a functional run only in the
// numbers that it does not compute.
#include "test/unit/element_serial/random_vectors.hpp"
#include "test/unit/rsa/more_memory.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned functional = 0, timing_only = 1; // numbers of the blocks

struct SerialTwins : SerialSystem {
    Fabric shapes{flows, sync, streams, DataMode::TimingOnly, {}};
    element_serial::ElementSerial shape{
        "shape", {Clock{1'000'000'000}, paper_tile, queue_config}, shapes};
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[2];

    SerialTwins()
    {
        connect(shape.queue);
        levee::test::connect(*this, more, 2);
        unit.queue.observe(asked[functional]);
        shape.queue.observe(asked[timing_only]);
    }
    Outcome execute_on(unsigned block, levee_descriptor descriptor)
    {
        descriptor.signal_every[0] = 2;
        return levee::test::execute_on(*this, more, block, descriptor);
    }
};

} // namespace

TEST_CASE("a timing-only element-serial operation has the functional one's accesses and times")
{
    SerialTwins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t refused = 0, counted = 0;
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            system.release(mark);
            SerialWork work(system, seed);
            levee_es_operation op = work.op;
            std::uint64_t* const tensors[] = {&op.x,    &op.y,    &op.out,
                                              &op.gain, &op.bias, &op.statistics};
            const std::uint32_t draw = random_word(seed, 7, 0);
            for (std::size_t i = 0; i < std::size(tensors); ++i)
                if ((draw >> i & 1) != 0 && *tensors[i] != 0)
                    *tensors[i] += more_base - memory_base;
            if (seed % 4 == 0) // Makes some addresses and strides invalid.
                reinterpret_cast<std::uint8_t*>(
                    &op)[(draw >> 8) % offsetof(levee_es_operation, outer)] ^= 0x81;
            const levee_descriptor descriptor = describe(work.opcode, op);
            INFO("seed " << seed);
            const auto before = bytes_in(system, system.more);
            const auto other = system.execute_on(timing_only, descriptor);
            CHECK(bytes_in(system, system.more) == before);
            const auto one = system.execute_on(functional, descriptor);
            check_same(one, system.asked[functional], other, system.asked[timing_only]);
            refused += one.error != LEVEE_ERROR_NONE ? 1 : 0;
            counted += one.account.empty() ? 0 : 1;
        }
        CHECK(refused > 60);
        CHECK(counted > 300);
    });
}
