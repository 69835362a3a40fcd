// SPDX-License-Identifier: Apache-2.0
// Tests that a timing-only run of products differs from a functional run only in the numbers that
// it does not compute.
#include "test/unit/rsa/more_memory.hpp"
#include "test/unit/veda/random_gemv.hpp"
#include "test/unit/veda/veda_system.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned functional = 0, timing_only = 1; // numbers of the blocks

struct Twins : VedaSystem {
    Fabric shapes{flows, sync, streams, DataMode::TimingOnly, {}};
    veda::Veda shape{"shape", {Clock{1'000'000'000}, paper_arrays, 0, queue_config}, shapes};
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[2];

    Twins()
    {
        connect(shape.queue);
        levee::test::connect(*this, more, 2);
        veda.queue.observe(asked[functional]);
        shape.queue.observe(asked[timing_only]);
    }
    Outcome execute_on(unsigned block, levee_descriptor descriptor)
    {
        descriptor.signal_every[0] = 2;
        return levee::test::execute_on(*this, more, block, descriptor);
    }
};

} // namespace

TEST_CASE("a timing-only VEDA product has the functional product's accesses and times")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t refused = 0, counted = 0;
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            system.release(mark);
            Gemv product(system, paper_arrays, seed);
            levee_veda_operation op = product.op;
            std::uint64_t* const tensors[] = {&op.a, &op.b, &op.out};
            const std::uint32_t draw = random_word(seed, 7, 0);
            for (std::size_t i = 0; i < std::size(tensors); ++i)
                if ((draw >> i & 1) != 0)
                    *tensors[i] += more_base - memory_base;
            if (seed % 4 == 0) // Makes some addresses and strides invalid.
                reinterpret_cast<std::uint8_t*>(
                    &op)[(draw >> 8) % offsetof(levee_veda_operation, outer)] ^= 0x81;
            const levee_descriptor descriptor = describe(LEVEE_VEDA_GEMV, op);
            INFO("seed " << seed);
            const auto before = bytes_in(system, system.more);
            const auto other = system.execute_on(timing_only, descriptor);
            CHECK(bytes_in(system, system.more) == before);
            const auto one = system.execute_on(functional, descriptor);
            check_same(one, system.asked[functional], other, system.asked[timing_only]);
            refused += one.error != LEVEE_ERROR_NONE ? 1 : 0;
            counted += one.account.empty() ? 0 : 1;
            if (one.error == LEVEE_ERROR_NONE)
                CHECK(system.asked[timing_only].work.at(0).first == "fp16_mac");
        }
        CHECK(refused > 60);
        CHECK(counted > 300);
    });
}
