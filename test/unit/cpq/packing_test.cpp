// SPDX-License-Identifier: Apache-2.0
// Tests that a packed row moves (non-zero values * bits of a code) plus the stated metadata.
#include "ip/cpq/model.hpp"
#include "test/unit/cpq/random_rows.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee;
using namespace levee::cpq;

namespace {

std::size_t up(std::size_t bits)
{
    return (bits + 7) / 8;
}

} // namespace

TEST_CASE("a packed row by hand")
{
    const Row row{.label_bits = 1, .elements = {{0, 5, 0}, {9, 3, 1}}};
    // The bytes are the label width, an index of 10 channels, the codes 101 and 011, and the labels
    // 0 and 1.
    CHECK(pack(row, 10, 3) == std::vector<std::uint8_t>{1, 0x01, 0x02, 0b011101, 0b10});
}

TEST_CASE("bytes of the published operating points")
{
    // Titanus with OPT-125M has 1536 values per row, aq 0.51, bq 0.338 and codes of 2.585 bits. Its
    // rows have 244 bytes of codes, 192 of index and 128 of one-bit labels. Here every stored code
    // also has a stored label.
    CHECK(row_bytes(1536, 0, 3, 1) == 1 + 192);
    CHECK(row_bytes(1536, 1017, 3, 1) == 1 + 192 + 382 + 128);
    CHECK(row_bytes(1536, 753, 3, 0) == 1 + 192 + 283);
}

TEST_CASE("labels are as wide as the number of levels needs")
{
    CHECK(label_bits(0) == 0);
    CHECK(label_bits(1) == 0);
    CHECK(label_bits(2) == 1);
    CHECK(label_bits(5) == 3);
    CHECK(label_bits(8) == 3);
    CHECK(label_bits(9) == 4);
    CHECK(label_bits(64) == 6);
}

TEST_CASE("packed rows of any shape, width and sparsity can be expanded")
{
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        const auto draw = [&](unsigned index, unsigned limit) {
            return random_word(seed, 9, index) % limit;
        };
        const std::size_t channels = 1 + draw(0, 300);
        const unsigned bits = 1 + draw(1, 8);
        // The threshold prunes anything from no values to most of them.
        const float threshold = static_cast<float>(draw(2, 40)) / 10;
        Table table(channels, {.bits = bits,
                               .max_levels = 1 + draw(3, 64),
                               .threshold = threshold,
                               .tolerance = draw(4, 2) != 0 ? 0.125f : 0});
        const std::size_t rows = 12, prefilled = draw(5, 6);
        const std::vector<float> values = random_rows(seed, rows, channels);
        table.open(std::span(values).first(prefilled * channels));
        for (std::size_t i = 0; i < rows; ++i) {
            Counts counts;
            const Row row =
                table.quantise(std::span(values).subspan(i * channels, channels), counts);
            const std::vector<std::uint8_t> packed = pack(row, channels, bits);
            REQUIRE(counts.non_zeros == row.elements.size());
            REQUIRE(row.label_bits == label_bits(table.levels_in_use()));
            REQUIRE(packed.size() == 1 + up(channels) + up(counts.non_zeros * bits) +
                                         up(counts.non_zeros * row.label_bits));
            REQUIRE(packed.size() <= most_row_bytes(channels, table.settings()));
            const std::optional<Row> back = unpack(packed, channels, bits);
            REQUIRE(back);
            REQUIRE(back->elements == row.elements);
            REQUIRE(back->label_bits == row.label_bits);
            REQUIRE_FALSE(unpack(std::span(packed).first(packed.size() - 1), channels, bits));
        }
    }
}

TEST_CASE("bytes that are no packed row are refused")
{
    Table table(8, {.bits = 4, .max_levels = 8});
    table.open(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    std::vector<float> out(8, 7.0f);
    CHECK_FALSE(table.expand(std::vector<std::uint8_t>{}, out));
    // A label width of 7 bits is too large.
    CHECK_FALSE(table.expand(std::vector<std::uint8_t>{7, 0}, out));
    CHECK_FALSE(
        table.expand(std::vector<std::uint8_t>{1, 1, 3, 1}, out)); // The level does not exist.
    CHECK(out[0] == 7);
    CHECK(table.expand(std::vector<std::uint8_t>{1, 0}, out));
    CHECK(out == std::vector<float>(8, 0.0f));
}

TEST_CASE("packed rows of INT16 vectors")
{
    const std::vector<std::int16_t> codes{100, -200, 300, -32767};
    const std::vector<float> scales{0.5f, 2.0f};
    std::vector<float> wide(4);
    widen(codes, scales, wide);
    CHECK(wide == std::vector<float>{50, -100, 600, -65534});
    std::vector<std::int16_t> back(4);
    std::vector<float> new_scales(2);
    narrow(wide, back, new_scales);
    CHECK(back == std::vector<std::int16_t>{16384, -32767, 300, -32767});
    CHECK(new_scales[1] == 2.0f);
}
