// SPDX-License-Identifier: Apache-2.0
// Checks bytes and energy at Titanus's published operating points. docs/pim.md derives them by
// hand.
#include "test/unit/cim/titanus.hpp"

#include <catch2/catch.hpp>

using Catch::WithinAbs;
using namespace levee;
using namespace levee::test;

TEST_CASE("a token's keys and values have the published bytes")
{
    const Titanus small = titanus_125m(), large = titanus_6_7b();
    const cim::KvBytes s = cim::kv_bytes(small.shape, small.compression, sample_reading(), 5);
    CHECK(s.codes == 244);
    CHECK(s.index == 192);
    CHECK(s.labels == 128);
    CHECK(s.moved() == 564);
    CHECK(s.stored == 1'773);
    const cim::KvBytes l = cim::kv_bytes(large.shape, large.compression, sample_reading(), 11);
    CHECK(l.codes == 2'241);
    CHECK(l.index == 1'024);
    CHECK(l.labels == 658);
    CHECK(l.moved() == 3'923);
    CHECK(l.stored == 10'207);
}

TEST_CASE("labels for five levels have three bits")
{
    const Titanus t = titanus_125m();
    // With one level there are no labels.
    CHECK(cim::kv_bytes(t.shape, t.compression, {}, 1).labels == 0);
    CHECK(cim::kv_bytes(t.shape, t.compression, {}, 2).labels == 128);
    // This is 1016.8 x 3 / 8, rounded up.
    CHECK(cim::kv_bytes(t.shape, t.compression, {}, 5).labels == 382);
    CHECK(cim::kv_bytes(t.shape, t.compression, {}, 8).labels == 382);
    CHECK(cim::kv_bytes(t.shape, t.compression, {}, 9).labels == 509);
}

TEST_CASE("a run writes each row once, and reads all earlier rows for each token")
{
    const Titanus t = titanus_125m();
    const cim::Accounts accounts(t.units, t.shape, &t.compression, sample_reading(), 1);
    const RunActivity run = run_activity(t, accounts, 32, 32);
    CHECK(run.sum.kv_bytes == 893'376);
    CHECK(run.input_bytes == 24'576);
    CHECK(accounts.loaded_bytes() == 7'077'888);
    CHECK(run.sum.stored_bytes == 64 * 1'773);
    CHECK(run.sum.buffer_on + accounts.loading_cycles() == 168);
    CHECK(run.sum.scale_stored_bytes == 5 * 1'536);
    CHECK(run.sum.scale_buffer_on == 5);
}

TEST_CASE("packed rows of a prompt pass through both buffers, and its levels are written once")
{
    const Titanus t = titanus_125m();
    const cim::Accounts accounts(t.units, t.shape, &t.compression, {}, 1);
    const cim::Activity one = accounts.packing({{32, 0}, 2, 0, 0, false});
    const cim::KvBytes row = cim::kv_bytes(t.shape, t.compression, {}, 2);
    CHECK(one.stored_bytes == 2 * 32 * row.stored); // Each row is written and read.
    CHECK(one.scale_stored_bytes == 2 * 1'536);
    CHECK(one.scale_buffer_on > 0);
    // Pruning takes ceil(1536 / 32) operations of 2 cycles.
    CHECK(one.pruning == 32 * 48 * 2);
    CHECK(one.quantisation_on == 32 * 32 * 3); // Only unpruned values count.
    CHECK(accounts.packing({{32, 0}, 2, 2, 0, false}).scale_stored_bytes == 0);
}

TEST_CASE("OPT-125M, 32 + 32: 84.19 uJ per token, 635.04 with weights")
{
    const Energy e = run_energy(titanus_125m(), 32, 32);
    CHECK_THAT(e.compute, WithinAbs(815'760.83, 0.005));
    CHECK_THAT(e.buffers, WithinAbs(39'826'890.17, 0.005));
    CHECK_THAT(e.scales, WithinAbs(35.24, 0.005));
    CHECK_THAT(e.without_weights, WithinAbs(84'188.60, 0.005));
    CHECK_THAT(e.with_weights, WithinAbs(635'041.97, 0.005));
}

TEST_CASE("OPT-6.7B, 128 + 512: 16,764.86 uJ per token")
{
    const Energy e = run_energy(titanus_6_7b(), 128, 512);
    CHECK_THAT(e.without_weights, WithinAbs(16'764'860, 5));
}

TEST_CASE("area and power of a core add up to the published ones")
{
    struct Core {
        Titanus t;
        double area_mm2, power_mw;
    };
    for (const Core& core :
         {Core{titanus_125m(), 83.3200, 31'950.15}, Core{titanus_6_7b(), 2'090.02, 651'504.2}}) {
        const cim::Units& u = core.t.units;
        const auto macros = static_cast<double>(u.macros());
        const auto accumulators = static_cast<double>(u.accumulators());
        const double engines = u.keys.count + u.values.count, norms = 2.0 * u.norm.count;
        const double rows = u.pruning.count, mb = core.t.buffer_mb + core.t.scale_buffer_mb;
        const double area = 81'950.586 * macros + 1'413.731 * accumulators + 41'266.168 * engines +
                            (1'408.100 + 190'079.879 + 4'196.542) * rows +
                            10'233.257 * u.softmax.count + 2'448.271 * norms + 3'835.585 +
                            294'100.83 * mb;
        CHECK_THAT(area / 1e6, WithinAbs(core.area_mm2, 0.005));
        const double access = // Each buffer is accessed in every cycle.
            0.0856588 / 5e-3 * (std::sqrt(core.t.buffer_mb) + std::sqrt(core.t.scale_buffer_mb));
        const double power =
            23.65 * macros + 1.5114092 * accumulators + (2.8640 + 1.3381) * engines +
            (0.1605425 + 0.0541255 + 44.6438 + 7.1502 + 1.3315 + 0.1725232) * rows +
            (0.4459328 + 0.3583871) * u.softmax.count + (0.0388803 + 0.0824012) * norms +
            0.2007864 + 0.1483522 + 210.40467 * mb + access;
        CHECK_THAT(power, WithinAbs(core.power_mw, 0.05));
    }
}
