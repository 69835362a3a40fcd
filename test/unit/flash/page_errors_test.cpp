// SPDX-License-Identifier: Apache-2.0
// Compares decoded pages with errors that are predicted from the page code's structure, by
// enumeration.
#include "ip/flash/ecc/page_code.hpp"
#include "test/unit/flash/papers_format.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace levee::flash;
using test::Random;
using Bytes = std::vector<std::uint8_t>;

namespace {

/// Returns random values with a few large ones, like weights.
Bytes weights(Random& random, std::uint32_t count)
{
    Bytes page(count);
    for (std::uint8_t& value : page) {
        const std::uint64_t draw = random.below(100);
        const auto size = static_cast<std::uint8_t>(draw < 2 ? 40 + random.below(88) : draw % 30);
        value = static_cast<std::uint8_t>(random.below(2) == 0 ? size : 256 - size);
    }
    return page;
}

/// Counts the outcomes for an address word over all 2^19 error patterns, by the number of wrong
/// bits.
struct Enumerated {
    double kept[20] = {}, dropped[20] = {}, misplaced[20] = {};

    Enumerated()
    {
        for (std::uint32_t error = 0; error < 1u << 19; ++error) {
            const int wrong = std::popcount(error);
            // The code is linear, so address 0 represents all addresses.
            std::uint32_t address = error & 0x3FFFu;
            if (correct_address(address, error >> 14, 14) == Record::Address::Dropped)
                ++dropped[wrong];
            else
                ++(address == 0 ? kept : misplaced)[wrong];
        }
    }
    [[nodiscard]] static double probability(const double (&patterns)[20], double rate)
    {
        double sum = 0;
        for (int wrong = 0; wrong < 20; ++wrong)
            sum += patterns[wrong] * std::pow(rate, wrong) * std::pow(1 - rate, 19 - wrong);
        return sum;
    }
};

/// Checks that a count differs from its expectation by at most five standard deviations of a
/// Poisson distribution, plus 2.
void check_poisson(double counted, double expected)
{
    INFO("counted " << counted << ", expected " << expected);
    CHECK(std::abs(counted - expected) <= 5 * std::sqrt(expected) + 2);
}

struct Measured {
    double bits = 0, flipped = 0, records = 0, dropped = 0, misplaced = 0;
};

/// Counts the wrong bits after decoding. Only protected values count whose own record is decoded
/// correctly and is the first with its address.
void measure(const CodeFormat& format, const Bytes& page, const Bytes& code, Random& random,
             double rate, Measured& measured)
{
    Bytes read = page, spare = code;
    random.flip(read, rate);
    random.flip(spare, rate);
    Bytes decoded = read;
    decode_page(format, decoded, spare);
    const std::vector<Record> written = read_records(format, code);
    const std::vector<Record> records = read_records(format, spare);
    std::vector<bool> seen(format.values(), false);
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (!records[i].valid() || seen[records[i].address])
            continue;
        const std::uint32_t at = records[i].address;
        seen[at] = true;
        if (at != written[i].address)
            continue;
        measured.bits += 8;
        measured.flipped += std::popcount(static_cast<unsigned>(decoded[at] ^ page[at]));
    }
    const RecordFates fates = compare_records(format, code, spare);
    measured.records += format.protected_values;
    measured.dropped += static_cast<double>(fates.dropped);
    measured.misplaced += static_cast<double>(fates.misplaced);
}

} // namespace

TEST_CASE("48 of 171 double errors in an address are detected, which is some 28 %")
{
    const Enumerated fates;
    CHECK(fates.kept[0] == 1);
    CHECK(fates.kept[1] == 19);
    CHECK(fates.dropped[2] == 48);
    CHECK(fates.misplaced[2] == 123);
    CHECK(fates.kept[2] == 0);
}

TEST_CASE(
    "residual flips of protected values are 3x^2 - 2x^3 per bit, and records end as the code says")
{
    const double rate = GENERATE(1e-4, 3e-4, 1e-3, 3e-3, 1e-2);
    const int pages = rate < 1e-3 ? 6000 : 1500;
    INFO("rate " << rate);
    Random random(static_cast<std::uint64_t>(1 / rate));
    const CodeFormat format = test::papers_format;
    const Bytes page = weights(random, format.page_bytes), code = encode_page(format, page);
    Measured measured;
    for (int i = 0; i < pages; ++i)
        measure(format, page, code, random, rate, measured);
    check_poisson(measured.flipped, measured.bits * (3 - 2 * rate) * rate * rate);
    const Enumerated fates;
    check_poisson(measured.dropped,
                  measured.records * Enumerated::probability(fates.dropped, rate));
    check_poisson(measured.misplaced,
                  measured.records * Enumerated::probability(fates.misplaced, rate));
}

TEST_CASE("decoding stays within the page, whatever page and spare area hold")
{
    Random random(7);
    for (int round = 0; round < 3000; ++round) {
        CodeFormat format = test::papers_format;
        format.value_bits = random.below(2) == 0 ? 8 : 4;
        format.page_bytes = static_cast<std::uint32_t>(1 + random.below(700));
        format.address_bits =
            static_cast<std::uint32_t>(std::bit_width(format.values() - 1) + random.below(4));
        format.address_bits = std::max(format.address_bits, 1u);
        format.protected_values = static_cast<std::uint32_t>(1 + random.below(format.values()));
        format.threshold_copies = static_cast<std::uint32_t>(1 + 2 * random.below(6));
        format.value_copies = static_cast<std::uint32_t>(2 + 2 * random.below(3));
        REQUIRE(format.fault().empty());
        constexpr std::size_t guard = 64;
        Bytes around(format.page_bytes + 2 * guard, 0xA5), spare(format.code_bytes());
        const std::span<std::uint8_t> page = std::span(around).subspan(guard, format.page_bytes);
        for (std::uint8_t& byte : page)
            byte = static_cast<std::uint8_t>(random.below(256));
        for (std::uint8_t& byte : spare)
            byte = static_cast<std::uint8_t>(random.below(256));
        const DecodeCounts counts = decode_page(format, page, spare);
        const auto is_guard = [](std::uint8_t byte) { return byte == 0xA5; };
        REQUIRE(std::all_of(around.begin(), around.begin() + guard, is_guard));
        REQUIRE(std::all_of(around.end() - guard, around.end(), is_guard));
        REQUIRE(counts.dropped + counts.outside + counts.duplicates <= format.protected_values);
    }
}

TEST_CASE("an encoded page decodes to itself, with any values and format")
{
    Random random(11);
    for (int round = 0; round < 300; ++round) {
        CodeFormat format = test::papers_format;
        format.value_bits = random.below(2) == 0 ? 8 : 4;
        format.page_bytes = static_cast<std::uint32_t>(1 + random.below(2000));
        format.address_bits = 12;
        format.protected_values = static_cast<std::uint32_t>(1 + random.below(format.values()));
        Bytes page = weights(random, format.page_bytes);
        const Bytes before = page, code = encode_page(format, page);
        const DecodeCounts counts = decode_page(format, page, code);
        REQUIRE(page == before);
        REQUIRE(counts.clamped + counts.dropped + counts.corrected_values + counts.outside == 0);
    }
}
