// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/address_map.hpp"

#include "ip/dram/mix_bits.hpp"

#include <array>
#include <bit>

namespace levee::dram {

namespace {

/// Combines `value` with a hash of `other`: one to one in `value` for each `other`, and evenly over
/// `values` even for regular addresses. The hash is not linear: with an XOR of address bits, two
/// streams a power of two apart would collide in every bank or in none.
std::uint32_t joined(std::uint32_t value, std::uint64_t other, std::uint32_t values)
{
    const std::uint64_t hash = mix_bits(other);
    if ((values & (values - 1)) == 0) // a power of two
        return value ^ static_cast<std::uint32_t>(hash & (values - 1));
    return static_cast<std::uint32_t>((value + hash % values) % values);
}

} // namespace

AddressMap::AddressMap(const Parameters& parameters)
    : channels_(parameters.organisation.channels), banks_in_group_(parameters.organisation.banks),
      banks_(parameters.banks_per_rank()), channel_hash_(parameters.mapping.channel_hash),
      bank_hash_(parameters.mapping.bank_hash)
{
    std::array<std::uint64_t, 6> filled{1, 1, 1, 1, 1, 1};
    bool only_columns = true;
    for (const AddressField& part : parameters.mapping.low_to_high) {
        const unsigned bits = std::has_single_bit(part.values)
                                  ? static_cast<unsigned>(std::countr_zero(part.values))
                                  : 0;
        std::uint64_t& weight = filled[static_cast<std::size_t>(part.field)];
        digits_.push_back(Digit{part.field, part.values, bits, weight});
        weight *= part.values;
        bursts_ *= part.values;
        only_columns = only_columns && part.field == Field::Column;
        low_column_bits_ += only_columns ? bits : 0;
    }
}

Location AddressMap::locate(std::uint64_t burst) const
{
    std::uint64_t rest = burst < bursts_ ? burst : burst % bursts_;
    std::uint64_t above_channel = rest;
    std::array<std::uint64_t, 6> value{};
    for (const Digit& digit : digits_) {
        std::uint64_t part = 0;
        if (digit.bits > 0) {
            part = rest & (digit.values - 1);
            rest >>= digit.bits;
        } else {
            part = rest % digit.values;
            rest /= digit.values;
        }
        value[static_cast<std::size_t>(digit.field)] += part * digit.weight;
        if (digit.field == Field::Channel)
            above_channel = rest;
    }
    const auto of = [&value](Field field) {
        return static_cast<std::uint32_t>(value[static_cast<std::size_t>(field)]);
    };
    Location place{of(Field::Channel), of(Field::Rank),
                   of(Field::BankGroup) * banks_in_group_ + of(Field::Bank), of(Field::Row),
                   of(Field::Column)};
    if (channel_hash_)
        place.channel = joined(place.channel, above_channel, channels_);
    if (bank_hash_)
        place.bank = joined(place.bank, place.row, banks_);
    return place;
}

} // namespace levee::dram
