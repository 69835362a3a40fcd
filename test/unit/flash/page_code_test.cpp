// SPDX-License-Identifier: Apache-2.0
// Tests the page code bit by bit, on pages worked out by hand.
#include "ip/flash/ecc/page_code.hpp"
#include "test/unit/flash/papers_format.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace levee::flash;
using Bytes = std::vector<std::uint8_t>;

namespace {

/// The page has eight values, three of them protected, and three copies of the threshold. Three
/// address bits are at positions 3, 5 and 6 of the code word, so there are three check bits.
const CodeFormat small{8, 8, 3, 3, 3, 2};
const Bytes small_page{1, 0x80, 5, 5, 0xFE, 0, 7, 0};
// By hand, the threshold is 5, and the records are {1, 3, 80, 80}, {2, 5, 5, 5} and {6, 5 ^ 6 = 3,
// 7, 7}.
const Bytes small_code{5, 5, 5, 0x19, 0x20, 0xA0, 0x5A, 0x50, 0xE0, 0x1D, 0x1C, 0x00};

void flip(Bytes& bytes, std::uint64_t bit)
{
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
}

/// Returns a page with |v| = 100 at multiples of 100, negative for odd multiples, and 1 elsewhere.
/// There are 164 large values, one more than are protected.
Bytes page_of_hundreds()
{
    Bytes page(16384, 1);
    for (std::size_t i = 0; i < page.size(); i += 100)
        page[i] = i / 100 % 2 == 0 ? 100 : 156;
    return page;
}

} // namespace

TEST_CASE("the paper's format: 5 check bits, 35 bits a record, 5777 bits, 723 bytes")
{
    const CodeFormat format = test::papers_format;
    CHECK(format.check_bits() == 5);
    CHECK(format.record_bits() == 35);
    CHECK(format.code_bits() == 5777);
    CHECK(format.code_bytes() == 723);
}

TEST_CASE("a small page is encoded as by hand, and decoded to itself")
{
    CHECK(encode_page(small, small_page) == small_code);
    Bytes page = small_page;
    const DecodeCounts counts = decode_page(small, page, small_code);
    CHECK(page == small_page);
    CHECK(counts.corrected_values + counts.clamped + counts.dropped + counts.corrected_addresses ==
          0);
}

TEST_CASE("check bits are parities at positions 1, 2, 4, 8, 16")
{
    // Address bits 0, 1, 2, 3 and 13 are at positions 3, 5, 6, 7 and 19.
    CHECK(check_bits_of(1, 14) == 3);
    CHECK(check_bits_of(2, 14) == 5);
    CHECK(check_bits_of(4, 14) == 6);
    CHECK(check_bits_of(8, 14) == 7);
    CHECK(check_bits_of(1u << 13, 14) == 19);
    CHECK(check_bits_of(1u << 13 | 1, 14) == (19 ^ 3));
}

TEST_CASE("a 16 KB page: ties go to the lowest addresses, -128 counts 128, records are sorted")
{
    Bytes page = page_of_hundreds();
    const CodeFormat format = test::papers_format;
    CHECK(read_threshold(format, encode_page(format, page)) == 100);
    std::vector<Record> records = read_records(format, encode_page(format, page));
    REQUIRE(records.size() == 163);
    for (std::uint32_t i = 0; i < 163; ++i) {
        CHECK(records[i].address == 100 * i);
        CHECK(records[i].copies == Bytes(2, page[100 * std::size_t{i}]));
    }
    page[16383] = 0x80;
    records = read_records(format, encode_page(format, page));
    CHECK(records[161].address == 16100);
    CHECK(records[162].address == 16383);
    CHECK(records[162].copies == Bytes{0x80, 0x80});
}

TEST_CASE("decoding votes on protected values and clamps others above the threshold")
{
    Bytes page = small_page, code = small_code;
    page[6] = 0x47; // This is the protected value 7, with a flipped bit.
    page[0] = 0x41; // The unprotected value 1 has a flipped bit.
    page[3] = 5;    // A value equal to the threshold is kept.
    page[4] = 0xFB; // The value -5 is kept.
    page[7] = 6;
    const DecodeCounts counts = decode_page(small, page, code);
    CHECK(page == Bytes{0, 0x80, 5, 5, 0xFB, 0, 7, 0});
    CHECK(counts.corrected_values == 1);
    CHECK(counts.clamped == 2);
    SECTION("two of three copies win over the page")
    {
        page = small_page;
        flip(code, 24 + 2 * 22 + 6 + 3); // Flips bit 3 in both copies of the third value.
        flip(code, 24 + 2 * 22 + 6 + 8 + 3);
        CHECK(decode_page(small, page, code).corrected_values == 1);
        CHECK(page[6] == 15);
    }
    SECTION("the threshold is voted bit by bit")
    {
        page = small_page;
        flip(code, 1); // Each of the three copies has one wrong bit, at a different place.
        flip(code, 11);
        flip(code, 20);
        CHECK(read_threshold(small, code) == 5);
        flip(code, 4); // Bit 4 is wrong in two copies.
        CHECK(read_threshold(small, code) == 21);
    }
}

TEST_CASE("one wrong bit of address or check bits is corrected, wherever it is")
{
    for (std::uint32_t address : {0u, 1u, 5461u, 10922u, 16383u})
        for (std::uint32_t bit = 0; bit < 19; ++bit) {
            std::uint32_t read = bit < 14 ? address ^ 1u << bit : address;
            std::uint32_t check = check_bits_of(address, 14);
            check ^= bit < 14 ? 0u : 1u << (bit - 14);
            CHECK(correct_address(read, check, 14) == Record::Address::Corrected);
            CHECK(read == address);
        }
}

TEST_CASE("a dropped record leaves its value unprotected, a duplicate does nothing")
{
    Bytes page = small_page, code = small_code;
    SECTION("dropped")
    {
        // Errors at positions 3 and 4 (address bit 0, check bit 2) give syndrome 7, but there are
        // only 6 positions.
        flip(code, 24);
        flip(code, 24 + 3 + 2);
        const DecodeCounts counts = decode_page(small, page, code);
        CHECK(counts.dropped == 1);
        CHECK(counts.clamped == 1);
        CHECK(page[1] == 0);
        CHECK(compare_records(small, small_code, code).dropped == 1);
    }
    SECTION("misplaced on a protected value: the first record wins")
    {
        // Errors at positions 5 and 2 of the third record (address bit 1, check bit 1) give
        // syndrome 7, which drops the record. Errors at 3 and 5 (address bits 0 and 1) give
        // syndrome 6, which wrongly corrects bit 2: address 6 becomes 1.
        flip(code, 24 + 2 * 22);
        flip(code, 24 + 2 * 22 + 1);
        const DecodeCounts counts = decode_page(small, page, code);
        CHECK(counts.corrected_addresses == 1);
        CHECK(counts.duplicates == 1);
        // The value 7 exceeds the threshold 5 and is clamped.
        CHECK(page == Bytes{1, 0x80, 5, 5, 0xFE, 0, 0, 0});
        CHECK(compare_records(small, small_code, code).misplaced == 1);
    }
}

TEST_CASE("values of 4 bits: two per byte, with magnitudes up to 8")
{
    const CodeFormat format{4, 4, 3, 2, 3, 2};
    CHECK(format.values() == 8);
    CHECK(format.code_bits() == 3 * 4 + 2 * (3 + 3 + 8));
    const Bytes page{0x81, 0x27, 0x00, 0xF0}; // The values are 1, -8, 7, 2, 0, 0, 0 and -1.
    const Bytes code = encode_page(format, page);
    CHECK(read_threshold(format, code) == 7);
    const std::vector<Record> records = read_records(format, code);
    CHECK(records[0].address == 1);
    CHECK(records[0].copies == Bytes{8, 8});
    CHECK(records[1].address == 2);
    // With the errors, -8 became -4, 0 became -1, and -1 became -8.
    Bytes read{0xC1, 0x27, 0x00, 0x8F};
    const DecodeCounts counts = decode_page(format, read, code);
    CHECK(read == Bytes{0x81, 0x27, 0x00, 0x0F});
    CHECK(counts.corrected_values == 1);
    CHECK(counts.clamped == 1);
}

TEST_CASE("an impossible format, and a page or a code of another size, are refused")
{
    const auto fault = [](CodeFormat format) { return format.fault(); };
    CHECK(fault(test::papers_format).empty());
    CHECK(fault({}).find("values of 0 bits") == 0);
    CHECK(fault({16384, 8, 13, 163, 9, 2}).find("addresses of 13 bits for 16384") == 0);
    CHECK(fault({16384, 5, 14, 163, 9, 2}).find("values of 5 bits") == 0);
    CHECK(fault({64, 8, 6, 65, 9, 2}).find("65 protected values") == 0);
    CHECK(fault({64, 8, 6, 1, 8, 2}).find("8 copies of the threshold") == 0);
    CHECK(fault({64, 8, 6, 1, 9, 3}).find("3 copies of a value") == 0);
    Bytes page(9), code(12);
    CHECK_THROWS_AS(decode_page(small, page, code), std::invalid_argument);
    page.resize(8);
    code.resize(11);
    CHECK_THROWS_AS(decode_page(small, page, code), std::invalid_argument);
}
