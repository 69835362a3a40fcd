// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint64_t nowhere = 0x7000'0000;

} // namespace

TEST_CASE("a functional access moves bytes, and an access outside memory names its field")
{
    Parts parts;
    parts.run([&] {
        const std::uint64_t from = parts.put<std::uint32_t>({1, 2, 3, 4});
        std::uint32_t words[4] = {};
        AccessPattern backwards = bytes_at(from + 12, 4);
        backwards.count[2] = 4;
        backwards.stride[2] = -4;
        parts.access.read(backwards, words, 0x40);
        CHECK(std::vector(words, words + 4) == std::vector<std::uint32_t>{4, 3, 2, 1});
        parts.access.write(bytes_at(from, 16), words);
        CHECK(parts.get<std::uint32_t>(from, 1)[0] == 4);
        CHECK(parts.access.read_word(from + 4, 0x40) == 3);
        CHECK(parts.access.last_field() == 0x40);
        CHECK(fault_of([&] { parts.access.read(bytes_at(nowhere, 4), words, 0x44); }) ==
              fault(LEVEE_ERROR_ADDRESS, 0x44));
        CHECK(fault_of([&] { (void)parts.access.read_word(nowhere, 0x48); }) ==
              fault(LEVEE_ERROR_ADDRESS, 0x48));
        CHECK(fault_of([&] { parts.access.check_write(bytes_at(nowhere, 4), 0x4C); }) ==
              fault(LEVEE_ERROR_ADDRESS, 0x4C));
        CHECK(fault_of([&] { parts.access.check_write(bytes_at(from, 16), 0x4C); }).empty());
    });
}

TEST_CASE("payload that does not move in a functional run is a bug")
{
    Parts parts;
    parts.run([&] {
        const std::uint64_t at = parts.take(64);
        CHECK_FALSE(parts.access.timing_only());
        CHECK_THROWS_AS(parts.access.read(bytes_at(at, 4), nullptr, 0), std::logic_error);
        CHECK_THROWS_AS(parts.access.write(bytes_at(at, 4), nullptr), std::logic_error);
    });
}

TEST_CASE("a timing-only run moves position words, but no payload")
{
    Parts parts(DataMode::TimingOnly);
    parts.run([&] {
        const std::uint64_t at = parts.put<std::uint32_t>({1, 2, 3, 4});
        std::uint32_t word = 7;
        CHECK_THROWS_AS(parts.access.read(bytes_at(at, 4), &word, 0), std::logic_error);
        CHECK_THROWS_AS(parts.access.write(bytes_at(at, 4), &word), std::logic_error);
        parts.access.write(bytes_at(at, 4), nullptr);
        CHECK(parts.get<std::uint32_t>(at, 1)[0] == 1);
        const RowList rows{{at + 8, at}, 4};
        std::uint32_t words[2] = {8, 9};
        parts.access.write_control_rows(rows, 1, 2, reinterpret_cast<const std::uint8_t*>(words));
        CHECK(parts.get<std::uint32_t>(at, 3) == std::vector<std::uint32_t>{9, 2, 3});
        parts.access.read_control_rows(rows, reinterpret_cast<std::uint8_t*>(words), 0x40);
        CHECK(std::vector(words, words + 2) == std::vector<std::uint32_t>{3, 9});
        CHECK_FALSE(parts.access.tracks(at)); // An SRAM does not track accesses.
    });
}

TEST_CASE("observers see bytes that bypass the bus only after the block's first access")
{
    Parts parts;
    parts.run([&] {
        const std::uint64_t at = parts.put<std::uint32_t>({5, 6});
        // The block has not asked for direct access yet.
        CHECK(parts.access.peek(at, 4) == nullptr);
        CHECK_FALSE(parts.access.tracks(at));
        const std::uint8_t* const bytes = parts.access.peek(at, 8);
        REQUIRE(bytes != nullptr);
        CHECK(bytes[4] == 6);
        CHECK(parts.access.peek(memory_base + memory_bytes - 4, 8) == nullptr);
    });
}
