// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/bench.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <utility>

namespace levee::cosim {

namespace {

using AddTargets = std::function<void(std::vector<Target>&)>;

/// Registrations run before main(), in an order that the linker determines.
std::vector<AddTargets>& registered()
{
    static std::vector<AddTargets> all;
    return all;
}

std::vector<Target> all_targets()
{
    std::vector<Target> all;
    for (const AddTargets& add : registered())
        add(all);
    std::ranges::stable_sort(all, {}, &Target::folder);
    return all;
}

} // namespace

std::span<const Target> targets()
{
    static const std::vector<Target> all = all_targets();
    return all;
}

std::string BenchRegistration::block_of(const std::string& folder)
{
    std::string block = folder.substr(folder.find('/') + 1);
    std::ranges::replace(block, '/', '_');
    return block;
}

void BenchRegistration::list(std::function<void(std::vector<Target>&)> add)
{
    registered().push_back(std::move(add));
}

Draw::Draw(std::uint32_t seed, std::uint64_t operation)
    : seed_(random_word(seed, static_cast<std::uint32_t>(operation >> 32), operation)),
      stream_(static_cast<std::uint32_t>(operation))
{
}

std::uint32_t Draw::word()
{
    return random_word(seed_, stream_, index_++);
}

std::uint32_t draw_stay(Draw& draw)
{
    return 256u << draw.below(3);
}

RandomGates::RandomGates(std::uint32_t seed, unsigned channels)
    : state_(seed | 1), channels_(channels)
{
    constexpr std::uint32_t shares[] = {256, 256, 224, 128, 32};
    for (unsigned channel = 0; channel < channels; ++channel)
        threshold_[channel] = shares[random_word(seed, channel, 0) % std::size(shares)];
}

unsigned RandomGates::next()
{
    // Marsaglia's xorshift32. Its quality is sufficient for random back-pressure.
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    if (hold_cycles_ == 0 && state_ % 64 == 0) {
        constexpr unsigned longest = 100;
        hold_cycles_ = state_ / 64 % longest;
        held_ = state_ / 8192 % channels_;
    }
    unsigned gates = 0;
    std::uint32_t bits = state_;
    for (unsigned channel = 0; channel < channels_; ++channel) {
        if ((bits & 0xFF) < threshold_[channel])
            gates |= 1u << channel;
        bits = bits >> 3 | bits << 29;
    }
    if (hold_cycles_ != 0) {
        --hold_cycles_;
        gates &= ~(1u << held_);
    }
    return gates;
}

} // namespace levee::cosim
