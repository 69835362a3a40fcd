// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/address_walk.hpp"

#include <algorithm>

namespace levee::dram_cycle {

namespace {

/// Computes the hash that ip/dram/README.md describes.
std::uint64_t hash_of(std::uint64_t value)
{
    value = value ^ (value >> 32);
    value = value * 0xd6e8feb86659fd93U;
    value = value ^ (value >> 29);
    value = value * 0xa0761d6478bd642fU;
    value = value ^ (value >> 32);
    return value;
}

bool halves_to_one(std::uint64_t number)
{
    while (number % 2 == 0)
        number /= 2;
    return number == 1;
}

/// Combines `place` with the hash of `other`. Uses exclusive or if the number of places is a power
/// of two, otherwise a sum modulo that number.
std::uint64_t with_hash(std::uint64_t place, std::uint64_t other, std::uint64_t places)
{
    const std::uint64_t hash = hash_of(other) % places;
    return halves_to_one(places) ? place ^ hash : (place + hash) % places;
}

} // namespace

Site site_of(std::uint64_t address, const dram::Parameters& parameters)
{
    const dram::Organisation& o = parameters.organisation;
    std::uint64_t rest = address % o.capacity_bytes / parameters.burst_bytes();
    std::array<std::uint64_t, 6> value{}, weight{1, 1, 1, 1, 1, 1};
    std::uint64_t above_channel = 0;
    for (const dram::AddressField& part : parameters.mapping.low_to_high) {
        const auto field = static_cast<std::size_t>(part.field);
        const std::uint64_t values = part.values;
        value[field] += rest % values * weight[field];
        weight[field] *= values;
        rest /= values;
        if (part.field == dram::Field::Channel)
            above_channel = rest;
    }
    const auto of = [&value](dram::Field field) { return value[static_cast<std::size_t>(field)]; };
    std::uint64_t channel = of(dram::Field::Channel);
    std::uint64_t bank = of(dram::Field::BankGroup) * o.banks + of(dram::Field::Bank);
    if (parameters.mapping.channel_hash)
        channel = with_hash(channel, above_channel, o.channels);
    if (parameters.mapping.bank_hash)
        bank = with_hash(bank, of(dram::Field::Row), parameters.banks_per_rank());
    return Site{static_cast<unsigned>(channel), static_cast<unsigned>(of(dram::Field::Rank)),
                static_cast<unsigned>(bank), static_cast<std::uint32_t>(of(dram::Field::Row))};
}

AddressWalk::AddressWalk(const AccessPattern& pattern, std::uint64_t bytes, unsigned burst_bytes,
                         std::uint64_t seed, Draw draw)
    : pattern_(pattern), left_(bytes), burst_bytes_(burst_bytes), by_(draw), seed_(seed),
      generator_(seed)
{
    at_ = run_address();
}

/// Draws a number for run number `run_`.
std::uint64_t AddressWalk::draw()
{
    return by_ == Draw::Own ? generator_() : hash_of(hash_of(seed_) + run_ + 1);
}

/// Returns the address of run number `run_`, modulo the number of runs. The last index changes
/// fastest.
std::uint64_t AddressWalk::run_address()
{
    if (pattern_.scattered) {
        const auto extent = pattern_.extent();
        const std::uint64_t places = (extent->last - extent->first + 1) / pattern_.run_bytes;
        return extent->first + draw() % std::max<std::uint64_t>(places, 1) * pattern_.run_bytes;
    }
    std::uint64_t number = run_ % pattern_.runs();
    std::int64_t address = static_cast<std::int64_t>(pattern_.address);
    for (std::size_t level = 3; level-- > 0;) {
        address +=
            static_cast<std::int64_t>(number % pattern_.count[level]) * pattern_.stride[level];
        number /= pattern_.count[level];
    }
    return static_cast<std::uint64_t>(address);
}

AddressWalk::Ask AddressWalk::piece()
{
    const std::uint64_t from = at_ + offset_;
    const std::uint64_t to_end = burst_bytes_ - from % burst_bytes_;
    const std::uint64_t bytes = std::min({to_end, pattern_.run_bytes - offset_, left_});
    left_ -= bytes;
    offset_ += bytes;
    if (offset_ == pattern_.run_bytes) {
        offset_ = 0;
        ++run_;
        at_ = run_address();
    }
    return Ask{from - from % burst_bytes_, static_cast<unsigned>(bytes)};
}

/// Joins consecutive pieces of one burst into a transfer of at most a burst.
std::optional<AddressWalk::Ask> AddressWalk::next()
{
    std::optional<Ask> ask = pending_;
    pending_.reset();
    if (!ask && left_ > 0)
        ask = piece();
    while (ask && left_ > 0) {
        const Ask more = piece();
        if (more.address != ask->address || ask->useful_bytes + more.useful_bytes > burst_bytes_) {
            pending_ = more;
            break;
        }
        ask->useful_bytes += more.useful_bytes;
    }
    return ask;
}

} // namespace levee::dram_cycle
