// SPDX-License-Identifier: Apache-2.0
// Striped memories of the built system.
#include "platform/machine/assembly/system.hpp"

namespace levee {

namespace {

/// Unique among memories' names, being longer than any of them may be.
constexpr const char* module_name = "striped_memories";

} // namespace

TargetPort& System::make_stripe()
{
    const StripePlan& stripe = *plan_.stripe;
    const PlannedComponent& first = plan_.components[stripe.memories.front()];
    stripe::Config config{
        stripe.division, stripe.division.ways() * first.plan.placement.size_bytes, {}};
    for (const std::size_t memory : stripe.memories)
        config.links.push_back(&bus_.make_link(plan_.components[memory].name));
    stripe_ = std::make_unique<stripe::Stripe>(module_name, config);
    for (unsigned way = 0; way < stripe.division.ways(); ++way)
        stripe_->memories[way].bind(*components_[stripe.memories[way]].storage);
    return stripe_->port;
}

void System::load_striped(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    std::size_t done = 0;
    plan_.stripe->division.for_each_piece(offset, bytes.size(),
                                          [&](const stripe::Place& place, std::uint64_t length) {
                                              components_[plan_.stripe->memories[place.way]].load(
                                                  place.offset, bytes.subspan(done, length));
                                              done += length;
                                          });
}

} // namespace levee
