// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <vector>

namespace levee::dram {

/// Location of a burst.
struct Location {
    std::uint32_t channel = 0;
    std::uint32_t rank = 0;
    std::uint32_t bank = 0; ///< bank of the rank: bank_group * banks + bank
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< in bursts
};

/// Maps addresses to locations, one to one. Parameters::mapping lists the fields of a location as
/// the digits of a burst's number; a digit may have any number of values.
class AddressMap {
public:
    explicit AddressMap(const Parameters& parameters);

    /// `burst` = address / burst_bytes; taken modulo the capacity.
    [[nodiscard]] Location locate(std::uint64_t burst) const;

    /// Number of the lowest bits of a burst number that select only its column.
    [[nodiscard]] unsigned low_column_bits() const { return low_column_bits_; }

private:
    /// A field of a burst number in mixed radix.
    struct Digit {
        Field field;
        std::uint64_t values;
        unsigned bits; ///< bits of the digit if its number of values is a power of two; otherwise 0
        std::uint64_t weight; ///< weight of the digit in the value of its field
    };
    std::vector<Digit> digits_; ///< digits from the lowest to the highest
    std::uint64_t bursts_ = 1;  ///< number of bursts of the whole memory
    unsigned low_column_bits_ = 0;
    std::uint32_t channels_;
    std::uint32_t banks_in_group_;
    std::uint32_t banks_; ///< banks of a rank
    bool channel_hash_;
    bool bank_hash_;
};

} // namespace levee::dram
