// SPDX-License-Identifier: Apache-2.0
// Tests the flash's cells: bit errors by wear, time and reads; programs and erases; and the
// computations of the cores.
#include "ip/flash/cells/cells.hpp"
#include "ip/flash/product.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

using namespace levee::flash;
using test::Random;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr Time hour = 3'600'000'000'000'000;

/// 2 channels, 2 dies each, 2 planes, 4 blocks of 4 pages of 256 bytes.
const Geometry shape{2, 1, 2, 2, 4, 4, 256, 128};

CellsConfig config_at(double rate)
{
    CellsConfig config;
    config.geometry = shape;
    config.code = CodeFormat{256, 8, 8, 10, 9, 2};
    config.errors = ErrorCurve{{{0, rate}}, {}, 0};
    return config;
}

Bytes random_bytes(std::size_t count, std::uint64_t seed)
{
    Random random(seed);
    Bytes bytes(count);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random.below(256));
    return bytes;
}

} // namespace

TEST_CASE("flips occur at the rate, repeat exactly, and remain at a higher rate")
{
    for (const double rate : {1e-4, 1e-3, 0.03, 0.5}) {
        Bytes low(1 << 20, 0), again(1 << 20, 0), high(1 << 20, 0);
        const double flipped = static_cast<double>(flip_bits(low, {1, 2, 3}, 0, rate));
        const double expected = rate * 8 * (1 << 20);
        INFO("rate " << rate << ": " << flipped << " of " << expected);
        CHECK(std::abs(flipped - expected) < 5 * std::sqrt(expected));
        flip_bits(again, {1, 2, 3}, 0, rate);
        CHECK(again == low);
        flip_bits(high, {1, 2, 3}, 0, std::min(1.0, 1.7 * rate));
        bool kept = true;
        for (std::size_t i = 0; i < low.size(); ++i)
            kept = kept && (low[i] & ~high[i]) == 0;
        CHECK(kept);
    }
    Bytes a(1 << 16, 0), b(1 << 16, 0), c(1 << 16, 0);
    flip_bits(a, {1, 2, 3}, 0, 0.01);
    flip_bits(b, {1, 3, 3}, 0, 0.01);
    flip_bits(c, {1, 2, 4}, 0, 0.01);
    CHECK(a != b);
    CHECK(a != c);
}

TEST_CASE("the rate changes linearly with cycles, time and reads")
{
    const ErrorCurve curve{{{0, 1e-4}, {3000, 1e-2}}, {{0, 0.0}, {10 * hour, 1.0}}, 1e-6};
    CHECK(curve.fault().empty());
    CHECK(curve.rate(0, 10 * hour, 0) == Approx(1e-4));
    CHECK(curve.rate(0, 5 * hour, 0) == Approx(5e-5));
    CHECK(curve.rate(1500, 20 * hour, 0) == Approx(5.05e-3));
    CHECK(curve.rate(9000, 20 * hour, 0) == Approx(1e-2));
    CHECK(curve.rate(0, 0, 30) == Approx(3e-5));
    CHECK(curve.rate(0, 0, 1'000'000'000) == 0.5);
    CHECK(ErrorCurve{}.fault() == "wear has no points");
    CHECK(ErrorCurve{{{5, 0.1}, {5, 0.2}}, {}, 0}.fault().find("wear does not increase") == 0);
    CHECK(ErrorCurve{{{5, 1.1}}, {}, 0}.fault().find("wear has 1.1") == 0);
}

TEST_CASE("page numbers and places are each other's inverse")
{
    for (std::uint64_t page = 0; page < shape.pages_in_all(); ++page)
        REQUIRE(number_of(shape, place_of(shape, page)) == page);
    CHECK(number_of(shape, {1, 0, 0, 0}) == 1);
    CHECK(number_of(shape, {0, 1, 0, 0}) == 2);
    CHECK(number_of(shape, {0, 0, 1, 0}) == 4);
    CHECK(number_of(shape, {0, 0, 0, 1}) == 8);
}

TEST_CASE("without errors, reads return the programmed or loaded data")
{
    CellsConfig config = config_at(0);
    config.errors.reset();
    Cells cells(config);
    const Bytes bytes = random_bytes(256, 1);
    Bytes read(256);
    cells.program(3, bytes, 0);
    cells.read(3, read, true, 1);
    CHECK(read == bytes);
    const Bytes model = random_bytes(700, 2); // The data extend from the middle of page 8 to the
                                              // middle of page 10.
    cells.load(8 * 256 + 100, model);
    cells.read(9, read, true, 1);
    CHECK(read == Bytes(model.begin() + 156, model.begin() + 412));
    CHECK(cells.counts().loaded == 4);
    CHECK(cells.counts().programs == 1);
    CHECK(cells.counts().decoding.clamped == 0);
    CHECK_THROWS_AS(cells.load(cells.bytes() - 10, model), std::out_of_range);
}

TEST_CASE("a block is erased as a whole, and its wear is counted")
{
    CellsConfig config = config_at(0);
    config.initial_cycles = 10;
    config.endurance = 11;
    Cells cells(config);
    const Bytes bytes = random_bytes(256, 1);
    // Pages 0 to 3 of a plane form a block. Page numbers alternate between eight planes, so these
    // have the numbers 1, 9, 17 and 25.
    const auto read = [&](std::uint64_t page) {
        Bytes to(256, 0xee);
        cells.read(page, to, true, 0);
        return to;
    };
    for (const std::uint64_t page : {1, 9, 33})
        cells.program(page, bytes, 0);
    CHECK_FALSE(cells.is_erased(9));
    cells.erase(9);
    CHECK(read(1) == Bytes(256, 0));
    CHECK(read(9) == Bytes(256, 0));
    CHECK(read(33) == bytes);
    CHECK(cells.is_erased(1));
    CHECK(cells.is_erased(9));
    CHECK_FALSE(cells.is_erased(33)); // Page 33 is in the next block.
    CHECK(cells.most_cycles() == 11);
    CHECK(cells.counts().worn_blocks == 0);
    cells.erase(1);
    cells.erase(1);
    CHECK(cells.counts().worn_blocks == 1);
    CHECK(cells.counts().erases == 3);
}

TEST_CASE("errors stay as long as the page's data, and change after an erase")
{
    Cells cells(config_at(0.01));
    const Bytes bytes(256, 0);
    Bytes first(256), again(256), next(256);
    cells.program(5, bytes, 0);
    cells.read(5, first, false, 0);
    cells.read(5, again, false, 0);
    CHECK(first != bytes);
    CHECK(again == first);
    cells.erase(5);
    cells.program(5, bytes, 0);
    cells.read(5, next, false, 0);
    CHECK(next != first);
    Bytes erased(256);
    cells.erase(5);
    const std::uint64_t before = cells.counts().raw_bit_errors;
    cells.read(5, erased, true, 0); // Nothing is stored in an erased page.
    CHECK(cells.counts().raw_bit_errors == before);
}

TEST_CASE("reads disturb the block, and time reduces the charge")
{
    CellsConfig config = config_at(0);
    config.errors = ErrorCurve{{{0, 0.2}}, {{0, 0.0}, {hour, 1.0}}, 1e-3};
    config.initial_age = hour / 2;
    Cells cells(config);
    const Bytes bytes(256, 0);
    const auto errors_of = [&](std::uint64_t page, Time now) {
        const std::uint64_t before = cells.counts().raw_bit_errors;
        Bytes read(256);
        cells.read(page, read, false, now);
        return static_cast<double>(cells.counts().raw_bit_errors - before);
    };
    cells.program(0, bytes, 0);
    CHECK(errors_of(0, 0) == 0);
    CHECK(errors_of(0, hour) == Approx(410).margin(100));
    // Page 1 of the same plane. Its data are already 1.5 hours old at hour 1.
    cells.load(8 * 256, bytes);
    CHECK(errors_of(8, 0) == Approx(205).margin(75));
    for (int i = 0; i < 100; ++i)
        cells.note_read(0);
    cells.program(16, bytes, hour); // page 2 of the same block
    CHECK(errors_of(16, hour) == Approx(0.103 * 2048).margin(75));
}

TEST_CASE("the unit keeps large values and clamps false ones, if the flash has one")
{
    Cells with(config_at(1e-3)), without(config_at(1e-3));
    Bytes bytes(256, 1), plain(256), decoded(256);
    for (std::size_t i = 0; i < 10; ++i)
        bytes[25 * i] = 100;
    std::uint64_t wrong_plain = 0, wrong_decoded = 0;
    for (std::uint64_t page = 0; page < shape.pages_in_all(); ++page) {
        with.program(page, bytes, 0);
        without.program(page, bytes, 0);
        with.read(page, decoded, true, 0);
        without.read(page, plain, false, 0);
        for (std::size_t i = 0; i < 250; i += 25) {
            wrong_decoded += decoded[i] != 100;
            wrong_plain += plain[i] != 100;
        }
        for (std::size_t i = 0; i < 256; ++i)
            REQUIRE((i % 25 == 0 || std::abs(static_cast<std::int8_t>(decoded[i])) <= 100));
    }
    CHECK(wrong_plain > 5); // The expectation is about 10 of 1280.
    CHECK(wrong_decoded <= 1);
    CHECK(with.counts().decoding.corrected_values > 0);
}

TEST_CASE("a code that does not fit in the spare area is refused")
{
    CellsConfig config = config_at(0);
    config.geometry.spare_bytes = config.code->code_bytes() - 1;
    CHECK_THROWS_AS(Cells(config), std::invalid_argument);
    config = config_at(0);
    config.errors->wear.clear();
    CHECK_THROWS_AS(Cells(config), std::invalid_argument);
}

TEST_CASE("a core's product by hand, at 8 and 4 bits, with results of one byte rounded and scaled")
{
    // The rows are (1, -2) and (3, 127), the inputs -128 and 5.
    const Bytes page{1, 0xFE, 3, 0x7F}, vector{9, 0x80, 5};
    std::vector<std::int64_t> sums{1000, 0};
    multiply_page({8, 1}, page, 2, vector, 1, 2, sums);
    CHECK(sums == std::vector<std::int64_t>{1000 - 128 - 10, -384 + 635});
    // The rows are (1, -8) and (7, -1), the inputs 300 and -2.
    sums = {0, 0};
    multiply_page({4, 2}, Bytes{0x81, 0xF7}, 2, Bytes{0x2C, 0x01, 0xFE, 0xFF}, 0, 2, sums);
    CHECK(sums == std::vector<std::int64_t>{300 + 16, 2100 + 2});
    CHECK(requantise(316, 2, 1).value == 316);
    CHECK(requantise(318, 2, 1).value == 320);
    CHECK(requantise(-318, 2, 1).value == -316); // Halves are rounded up.
    CHECK(requantise(-319, 2, 1).value == -320);
    CHECK(requantise(1000, 2, 1).value == 508);
    CHECK(requantise(1000, 2, 1).saturated);
    CHECK_FALSE(requantise(508, 2, 1).saturated);
    CHECK(requantise(1000, 2, 2).value == 1000);
    CHECK(requantise(-200000, 2, 2).value == -131068);
    CHECK(requantise(-200000, 2, 2).saturated);
    CHECK(ProductFormat{8, 2}.largest(512) == std::uint64_t{1} << 31);
}
