// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <cstdint>

namespace levee::dram {

/// Location of a burst.
struct Location {
    std::uint32_t channel = 0;
    std::uint32_t rank = 0;
    std::uint32_t bank = 0; ///< within the rank: bank_group * banks + bank
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< in bursts
};

/// Maps addresses to locations by Parameters::mapping. One to one.
class AddressMap {
public:
    explicit AddressMap(const Parameters& parameters);

    /// `burst` = address / burst_bytes; taken modulo the capacity.
    [[nodiscard]] Location locate(std::uint64_t burst) const;

    /// Number of the lowest bits of a burst number that select only its column.
    [[nodiscard]] unsigned low_column_bits() const { return low_column_bits_; }

private:
    struct Slice {
        Field field;
        unsigned shift; ///< of the field in the burst number
        unsigned bits;
        unsigned at; ///< position in the field's value
    };
    std::vector<Slice> slices_;
    unsigned total_bits_ = 0;
    unsigned low_column_bits_ = 0;
    unsigned channel_top_ = 0; ///< first bit above the channel
    unsigned channel_bits_ = 0;
    unsigned bank_bits_ = 0; ///< of bank and bank group together
    unsigned bank_in_group_bits_ = 0;
    bool channel_hash_;
    bool bank_hash_;
};

} // namespace levee::dram
