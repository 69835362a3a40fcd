#include "ip/common/numerics.hpp"
#include "ip/dma/module.hpp"
#include "test/unit/fabric/bench.hpp"

namespace {

using namespace levee;
using namespace levee::test;

struct System : Bench {
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 16, queue_config}, fabric};
    System() : Bench("bench") { connect(dma.queue); }
};

std::uint64_t run_at(std::uint64_t base, const std::int64_t (&stride)[3], std::uint32_t i,
                     std::uint32_t j, std::uint32_t k)
{
    return base + static_cast<std::uint64_t>(stride[0] * i + stride[1] * j + stride[2] * k);
}

} // namespace

TEST_CASE("copies and fills equal a naive copy, byte for byte, and touch nothing else")
{
    System system;
    system.run([&] {
        const std::uint64_t from = system.take(1 << 18), to = system.take(1 << 18);
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            std::uint64_t drawn = 0;
            const auto draw = [&](std::uint32_t below) {
                return random_word(seed, 1, drawn++) % below;
            };
            for (std::size_t i = 0; i < (1 << 18); ++i) {
                system.at(from)[i] = static_cast<std::uint8_t>(random_word(seed, 2, i));
                system.at(to)[i] = 0xA5;
            }
            levee_dma_operation copy{};
            copy.run_bytes = 1 + draw(40);
            std::int64_t destination_stride = copy.run_bytes + draw(3);
            std::int64_t source_stride = draw(2 * copy.run_bytes); // reads may overlap
            for (int level = 2; level >= 0; --level) {
                copy.count[level] = 1 + draw(7);
                copy.destination_stride[level] = destination_stride;
                copy.source_stride[level] = draw(2) == 0 ? source_stride : -source_stride;
                destination_stride = destination_stride * copy.count[level] + draw(5);
                source_stride += draw(300);
            }
            copy.source = from + (1 << 17);
            copy.destination = to + (1 << 12);
            if (draw(2) == 0) { // the outermost loop downwards
                copy.destination += copy.destination_stride[0] * (copy.count[0] - 1);
                copy.destination_stride[0] = -copy.destination_stride[0];
            }
            copy.fill = static_cast<std::uint8_t>(seed);
            const bool is_fill = draw(4) == 0;

            std::vector<std::uint8_t> expected = system.get<std::uint8_t>(to, 1 << 18);
            for (std::uint32_t i = 0; i < copy.count[0]; ++i)
                for (std::uint32_t j = 0; j < copy.count[1]; ++j)
                    for (std::uint32_t k = 0; k < copy.count[2]; ++k)
                        for (std::uint32_t b = 0; b < copy.run_bytes; ++b)
                            expected[run_at(copy.destination, copy.destination_stride, i, j, k) +
                                     b - to] =
                                is_fill ? copy.fill
                                        : *system.at(
                                              run_at(copy.source, copy.source_stride, i, j, k) + b);
            const std::uint64_t mark = system.mark();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(is_fill ? LEVEE_DMA_FILL : LEVEE_DMA_COPY, copy)) ==
                  LEVEE_ERROR_NONE);
            CHECK(system.get<std::uint8_t>(to, 1 << 18) == expected);
            system.release(mark);
        }
    });
}

TEST_CASE("a copy takes its latency and its bytes at the slowest of engine, link and memory")
{
    System system;
    system.run([&] {
        levee_dma_operation copy{};
        copy.source = system.take(1 << 16);
        copy.destination = system.take(1 << 16);
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = 1 << 16;
        levee_descriptor descriptor = describe(LEVEE_DMA_COPY, copy);
        descriptor.signal_counter[0] = 3;
        descriptor.signal_add[0] = 1;
        const auto duration = [&](std::uint8_t opcode) {
            descriptor.opcode = opcode;
            const std::uint32_t before = system.sync.value(3);
            system.submit(0, {descriptor});
            const Picoseconds begun = now_ps() - hop; // the bell rang before its write returned
            while (system.sync.value(3) == before)
                sc_core::wait(system.sync.changed(3));
            return now_ps() - begun;
        };
        // The memory carries each byte twice at 31.25 ps; engine and link would need 62.5 and
        // 31.25 ps.
        CHECK(duration(LEVEE_DMA_COPY) ==
              fetch + hop + memory_latency + 2 * 31'250u * 65'536 / 1000);
        // A fill writes only: the engine at 62.5 ps a byte is the slowest.
        CHECK(duration(LEVEE_DMA_FILL) ==
              fetch + hop + memory_latency + 62'500u * 65'536ull / 1000);
    });
}
