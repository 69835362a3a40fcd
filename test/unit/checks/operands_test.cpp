// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/operands.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using checks::Operands;
using checks::TensorAccess;

namespace {

constexpr std::uint32_t source = 80, other = 88;

TensorAccess access(std::uint32_t field, std::uint64_t address, std::uint64_t bytes, bool write,
                    std::uint64_t rows = 1, std::int64_t stride = 0)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    pattern.count[2] = rows;
    pattern.stride[2] = stride;
    return {field, pattern, pattern.extent(), true, write};
}

} // namespace

TEST_CASE("bytes that a result shares with its operand are found")
{
    const std::vector tensors{access(source, 1000, 100, false), access(other, 0, 5000, false),
                              access(source, 3000, 10, false)};
    Operands operands(tensors, source);
    const auto both = operands.overlap(access(other, 1090, 2000, true), false);
    REQUIRE(both.has_value());
    CHECK(both->begin == 3000);
    CHECK(both->end == 3010);
    CHECK_FALSE(operands.overlap(access(other, 1100, 1900, true), false).has_value());
}

TEST_CASE("a result may replace its operand if the block permits it")
{
    const std::vector tensors{access(source, 1000, 100, false)};
    Operands operands(tensors, source);
    CHECK_FALSE(operands.overlap(access(other, 1000, 100, true), true).has_value());
    CHECK(operands.overlap(access(other, 1000, 100, true), false).has_value());
    CHECK(operands.overlap(access(other, 1004, 100, true), true).has_value());
}

TEST_CASE("rows in the gaps between others share no bytes with them")
{
    const std::vector tensors{access(source, 1000, 4, false, 10, 8)};
    Operands operands(tensors, source);
    CHECK_FALSE(operands.overlap(access(other, 1004, 4, true, 10, 8), false).has_value());
    CHECK_FALSE(operands.overlap(access(other, 1012, 4, true), false).has_value());
    const auto both = operands.overlap(access(other, 1006, 4, true), false);
    REQUIRE(both.has_value());
    CHECK(both->begin == 1008);
    CHECK(both->end == 1010);
}

TEST_CASE("a million rows are compared with a million others in near-linear time")
{
    constexpr std::uint64_t rows = std::uint64_t{1} << 20, second = rows * 8;
    std::vector<TensorAccess> tensors;
    for (std::uint64_t i = 0; i < rows; ++i)
        tensors.push_back(access(source, 8 * (rows - 1 - i), 8, false));
    Operands operands(tensors, source);
    std::size_t overlaps = 0;
    for (std::uint64_t i = 0; i < rows; ++i)
        overlaps += operands.overlap(access(other, second + 8 * i, 8, true), false) ? 1 : 0;
    CHECK(overlaps == 0);
    CHECK(operands.complete());
    CHECK(operands.overlap(access(other, second - 1, 8, true), false).has_value());
}

TEST_CASE("more runs than the host can list are not compared")
{
    const std::vector tensors{access(source, 0, 1, false, 0xFFFFFFFF, 2)};
    Operands operands(tensors, source);
    CHECK_FALSE(operands.complete());
    CHECK_FALSE(operands.overlap(access(other, 1, 8, true), false).has_value());
    const std::vector few{access(source, 0, 8, false)};
    Operands own(few, source);
    CHECK(own.complete());
    CHECK_FALSE(own.overlap(access(other, 1, 1, true, 0xFFFFFFFF, 2), false).has_value());
    CHECK_FALSE(own.complete());
}

TEST_CASE("a search that ends early reports that it is not complete")
{
    // The range of each result overlaps the ranges of all operands, but they have no byte in
    // common.
    constexpr std::uint64_t many = 1 << 11;
    std::vector<TensorAccess> tensors;
    for (std::uint64_t i = 0; i < many; ++i)
        tensors.push_back(access(source, 4 * i, 1, false, 2, 4 * many));
    Operands operands(tensors, source);
    const TensorAccess result = access(other, 4 * many - 2, 1, true);
    for (std::uint64_t i = 0; i < many; ++i)
        CHECK_FALSE(operands.overlap(result, false).has_value());
    CHECK(operands.complete());
    CHECK_FALSE(operands.overlap(result, false).has_value());
    CHECK_FALSE(operands.complete());
}
