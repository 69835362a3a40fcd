// SPDX-License-Identifier: Apache-2.0
// Tests the Verilated arrays in their block: operations of all kinds in lockstep, and their cycles.
#include "ip/veda/pins.hpp"
#include "ip/veda/rtl.hpp"
#include "test/unit/veda/random_gemv.hpp"
#include "test/unit/veda/veda_system.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace levee;
using namespace levee::test;

namespace {

/// A block whose RTL has arrays of 4 x 4, run in lockstep with its reference.
struct Place {
    const veda::Design* design;
    std::unique_ptr<veda::Veda> block;
    unsigned number;
};

struct Verilated : Bench {
    std::map<std::string, Place> places; ///< By the name of the design.

    Verilated() : Bench("bench", {{"port", 64'000'000'000, 0}}, 1'024'000'000'000)
    {
        for (const veda::Design& design : veda::designs())
            if (design.size.rows == 4)
                add(design);
    }
    void add(const veda::Design& design)
    {
        auto lockstep = std::make_unique<veda::RtlCore>(design.name, design.make,
                                                        veda::RtlCore::Mode::Lockstep);
        const std::string name = design.name;
        const veda::Config config{Clock{1'000'000'000}, design.size, 0, queue_config};
        Place place{&design,
                    std::make_unique<veda::Veda>(name.c_str(), config, fabric, std::move(lockstep)),
                    static_cast<unsigned>(places.size())};
        connect(place.block->queue);
        places.emplace(name, std::move(place));
    }
};

} // namespace

TEST_CASE(
    "operations of all kinds on the Verilated arrays, in lockstep, give the reference's results")
{
    Verilated system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (const auto& [name, place] : system.places)
            for (std::uint32_t seed = 0; seed < 40; ++seed) {
                system.release(mark);
                Gemv gemv(system, place.design->size, seed);
                gemv.fill_output();
                INFO(name << ", seed " << seed);
                CHECK(system.execute(place.number, describe(LEVEE_VEDA_GEMV, gemv.op)) ==
                      LEVEE_ERROR_NONE);
                CHECK(gemv.output() == gemv.expected());
            }
    });
}

TEST_CASE("random sizes take n times pieces of k, or k times pieces of n, plus the design's fill")
{
    // The fills with 32 lanes are M + 6 T + R (inner) and M + 1 + R (outer). M, T and R are the
    // stages of multiplier, tree and rounding.
    const std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> fills{
        {"veda_4x4", {1 + 6, 1 + 1}}, {"veda_4x4_deep", {3 + 6 * 2 + 2, 3 + 1 + 2}}};
    Verilated system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (const auto& [name, fill] : fills)
            for (std::uint32_t draw = 0; draw < 20; ++draw) {
                system.release(mark);
                levee_veda_operation op{};
                op.outer[0] = op.outer[1] = 1;
                op.m = 1;
                op.k = 1 + random_word(3, 1, draw) % 150;
                op.n = 1 + random_word(3, 2, draw) % 150;
                op.mode = static_cast<std::uint8_t>(draw % 2);
                op.out_type = LEVEE_TYPE_FP16;
                op.a = system.take(2 * op.k);
                op.b = system.take(2ull * op.k * op.n);
                op.b_stride[2] = static_cast<std::int32_t>(2 * op.n);
                op.out = system.take(2 * op.n);
                INFO(name << ", " << op.k << " x " << op.n << ", mode " << +op.mode);
                const Place& place = system.places.at(name);
                const veda::Veda& block = *place.block;
                const std::uint64_t before = figure(block, "cycles");
                CHECK(system.execute(place.number, describe(LEVEE_VEDA_GEMV, op)) ==
                      LEVEE_ERROR_NONE);
                const std::uint64_t expected = op.mode == LEVEE_VEDA_INNER
                                                   ? op.n * ((op.k + 31) / 32) + fill.first
                                                   : op.k * ((op.n + 31) / 32) + fill.second;
                CHECK(figure(block, "cycles") - before == expected);
            }
    });
}
