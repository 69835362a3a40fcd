// SPDX-License-Identifier: Apache-2.0
// Tests that a log of decay changes exactly the codes that the log and the placement identify.
#include "test/reference/retention_replay.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;
using namespace levee::test;

const edram::RetentionCurve curve({{1000, 0.1}, {100'000, 0.5}});
constexpr std::uint32_t seed = 7;

// Returns a cache of two heads with four slots of `width` codes, and two inputs of 32.
LayerCache some_cache(std::size_t width)
{
    LayerCache cache;
    cache.keys.resize(2);
    cache.values.resize(2);
    std::int16_t code = 100;
    for (auto* slices : {&cache.keys, &cache.values})
        for (CacheSlice& slice : *slices)
            for (int slot = 0; slot < 4; ++slot) {
                QuantisedVector row{std::vector<std::int16_t>(width), 1.0f};
                for (std::int16_t& element : row.codes)
                    element = code = static_cast<std::int16_t>(code * 31 + 7);
                slice.append(row);
            }
    cache.inputs.assign(2, {std::vector<std::int16_t>(32, 0x1234), 1.0f});
    return cache;
}

std::vector<StoredRows> places(std::uint32_t width)
{
    // Places keys of layer 3, sequence 1 at 0x100, values at 0x1100, inputs at 0x800.
    return {{Stored::Keys, 3, 1, 1, 0, 2, 4, width, 0x100},
            {Stored::Values, 3, 1, 1, 0, 2, 4, width, 0x1100},
            {Stored::Inputs, 3, 1, 1, 0, 1, 2, 32, 0x800}};
}

std::string log_line(std::uint64_t offset, const std::string& half, int before, int after)
{
    const auto share = [](int age) { return std::to_string(age == 0 ? 0 : curve.share(age)); };
    return "2,kv," + std::to_string(offset) + "," + half + "," + std::to_string(before) + "," +
           std::to_string(after) + ",0," + share(before) + "," + share(after) + ",16\n";
}

RetentionReplay replay_of(const std::string& lines, std::uint32_t width = 32)
{
    const auto log = parse_retention_log(
        "pass,memory,offset,half,before_ps,after_ps,written_ps,before,after,element_bits\n" +
        lines);
    return {log, "kv", seed, places(width)};
}

// Returns a 16-bit word whose set bits are the flipped bits of an element. The element is in the
// unit at `offset`.
std::uint16_t flips(std::uint64_t offset, edram::Half half, unsigned element, double before,
                    double after)
{
    std::uint16_t word = 0;
    const edram::CellSeed cells{seed, edram::stream_of("kv")};
    for (unsigned bit = 0; bit < 8; ++bit) {
        const auto strength =
            edram::cell_strength(cells, offset / edram::unit_bytes, half, 8 * element + bit, 0);
        const double share = static_cast<double>(strength) / 18446744073709551616.0;
        if (share >= before && share < after)
            word |= static_cast<std::uint16_t>(1u << (bit + (half == edram::Half::Msb ? 8 : 0)));
    }
    return word;
}

std::int16_t flipped(std::int16_t code, std::uint16_t word)
{
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(code) ^ word);
}

} // namespace

TEST_CASE("replay: cells older than their endurance flip, in the row that holds them")
{
    // Elements 16 to 31 of head 1, slot 2 are ((1 * 4 + 2) * 32 + 16) * 2 bytes after the start of
    // the keys.
    const std::uint64_t offset = 0x100 + ((1 * 4 + 2) * 32 + 16) * 2;
    const LayerCache before = some_cache(32);
    for (const bool msb : {true, false}) {
        const edram::Half half = msb ? edram::Half::Msb : edram::Half::Lsb;
        RetentionReplay replay = replay_of(log_line(offset, msb ? "msb" : "lsb", 0, 100'000));
        LayerCache after = before;
        replay.apply(2, 3, 1, after);
        LayerCache expected = before;
        for (unsigned i = 0; i < 16; ++i) {
            std::int16_t& code = expected.keys[1].codes[2 * 32 + 16 + i];
            code = flipped(code, flips(offset, half, i, 0.0, 0.5));
        }
        CHECK(after.keys[1].codes == expected.keys[1].codes);
        CHECK(after.keys[1].codes != before.keys[1].codes);
        CHECK(after.keys[0].codes == before.keys[0].codes);
        CHECK(after.values[1].codes == before.values[1].codes);
        CHECK(replay.applied() == 1);
        CHECK(replay.flipped() > 32); // Each of 128 codes has failed with probability one half.
        CHECK(replay.flipped() < 96);
    }
}

TEST_CASE("replay: ageing in two steps flips the same bits as in one")
{
    const std::uint64_t offset = 0x1100 + 64;
    LayerCache once = some_cache(32), twice = once;
    replay_of(log_line(offset, "msb", 0, 100'000)).apply(2, 3, 1, once);
    replay_of(log_line(offset, "msb", 0, 1000) + log_line(offset, "msb", 1000, 100'000))
        .apply(2, 3, 1, twice);
    CHECK(once.values[0].codes == twice.values[0].codes);
    CHECK(once.values[0].codes != some_cache(32).values[0].codes);
}

TEST_CASE("replay: failures apply only to their pass, layer and entry, and only from their memory")
{
    const LayerCache before = some_cache(32);
    RetentionReplay replay = replay_of(log_line(0x800, "lsb", 0, 100'000) +
                                       "2,activations,2048,msb,0,100000,0,0,1,16\n" +
                                       log_line(0x4000, "lsb", 0, 100'000));
    CHECK(replay.size() == 2); // All of them are in this memory.
    LayerCache cache = before;
    replay.apply(1, 3, 1, cache);
    replay.apply(2, 2, 1, cache);
    replay.apply(2, 3, 0, cache);
    CHECK(cache.inputs[0].codes == before.inputs[0].codes);
    CHECK(replay.applied() == 0);
    replay.apply(2, 3, 1, cache);
    CHECK(cache.inputs[0].codes != before.inputs[0].codes);
    CHECK(cache.inputs[1].codes == before.inputs[1].codes);
    CHECK(replay.applied() == 1); // There are no model data at 0x4000.
}

TEST_CASE("replay: heads smaller than a row share the row")
{
    const std::uint64_t offset = 0x100 + 2 * 8 * 2; // Slots 2 and 3 of head 0.
    const LayerCache before = some_cache(8);
    LayerCache after = before;
    replay_of(log_line(offset, "msb", 0, 100'000), 8).apply(2, 3, 1, after);
    for (unsigned i = 0; i < 16; ++i)
        CHECK(after.keys[0].codes[16 + i] ==
              flipped(before.keys[0].codes[16 + i], flips(offset, edram::Half::Msb, i, 0.0, 0.5)));
    CHECK(after.keys[1].codes == before.keys[1].codes);
}

TEST_CASE("replay: a line with missing fields is refused")
{
    CHECK_THROWS_WITH(replay_of("2,kv,64,msb\n"), "retention log: no before_ps in: 2,kv,64,msb");
}
