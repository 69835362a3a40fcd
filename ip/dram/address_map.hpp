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
    std::uint32_t bank = 0; ///< within the rank: bank_group * banks + bank
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< in bursts
};

/// Maps addresses to locations by Parameters::mapping, whose fields are the digits of a burst's
/// number, of any number of values each. One to one.
class AddressMap {
public:
    explicit AddressMap(const Parameters& parameters);

    /// `burst` = address / burst_bytes; taken modulo the capacity.
    [[nodiscard]] Location locate(std::uint64_t burst) const;

    /// Number of the lowest bits of a burst number that select only its column.
    [[nodiscard]] unsigned low_column_bits() const { return low_column_bits_; }

private:
    /// A digit of a burst number.
    struct Digit {
        Field field;
        std::uint64_t values;
        unsigned bits;        ///< of a power of two of values; 0: any other number
        std::uint64_t weight; ///< in the field's value
    };
    std::vector<Digit> digits_; ///< from the lowest up
    std::uint64_t bursts_ = 1;  ///< of the whole memory
    unsigned low_column_bits_ = 0;
    std::uint32_t channels_;
    std::uint32_t banks_in_group_;
    std::uint32_t banks_; ///< of a rank
    bool channel_hash_;
    bool bank_hash_;
};

} // namespace levee::dram
