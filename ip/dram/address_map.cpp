// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/address_map.hpp"

#include "ip/dram/mix_bits.hpp"

#include <array>

namespace levee::dram {

namespace {

/// Hashes all of `value` to `bits` bits. Not linear: under an XOR of address bits, two streams a
/// power of two apart would collide in every bank or in none.
std::uint32_t scrambled(std::uint64_t value, unsigned bits)
{
    return static_cast<std::uint32_t>(mix_bits(value) & ((std::uint64_t{1} << bits) - 1));
}

} // namespace

AddressMap::AddressMap(const Parameters& parameters)
    : channel_hash_(parameters.mapping.channel_hash), bank_hash_(parameters.mapping.bank_hash)
{
    std::array<unsigned, 6> filled{};
    for (const AddressField& part : parameters.mapping.low_to_high) {
        unsigned& at = filled[static_cast<std::size_t>(part.field)];
        slices_.push_back(Slice{part.field, total_bits_, part.bits, at});
        at += part.bits;
        if (part.field == Field::Column && low_column_bits_ == total_bits_)
            low_column_bits_ += part.bits;
        total_bits_ += part.bits;
        if (part.field == Field::Channel) {
            channel_top_ = total_bits_;
            channel_bits_ = part.bits;
        }
    }
    bank_in_group_bits_ = filled[static_cast<std::size_t>(Field::Bank)];
    bank_bits_ = bank_in_group_bits_ + filled[static_cast<std::size_t>(Field::BankGroup)];
}

Location AddressMap::locate(std::uint64_t burst) const
{
    burst &= (std::uint64_t{1} << total_bits_) - 1;
    std::array<std::uint32_t, 6> value{};
    for (const Slice& slice : slices_) {
        const auto part = static_cast<std::uint32_t>((burst >> slice.shift) &
                                                     ((std::uint64_t{1} << slice.bits) - 1));
        value[static_cast<std::size_t>(slice.field)] |= part << slice.at;
    }
    Location place;
    place.channel = value[static_cast<std::size_t>(Field::Channel)];
    place.rank = value[static_cast<std::size_t>(Field::Rank)];
    place.row = value[static_cast<std::size_t>(Field::Row)];
    place.column = value[static_cast<std::size_t>(Field::Column)];
    place.bank = value[static_cast<std::size_t>(Field::BankGroup)] << bank_in_group_bits_ |
                 value[static_cast<std::size_t>(Field::Bank)];
    if (channel_hash_)
        place.channel ^= scrambled(burst >> channel_top_, channel_bits_);
    if (bank_hash_)
        place.bank ^= scrambled(place.row, bank_bits_);
    return place;
}

} // namespace levee::dram
