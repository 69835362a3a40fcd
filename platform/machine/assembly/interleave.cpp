// SPDX-License-Identifier: Apache-2.0
// The interleaved memories of a system.
#include "platform/machine/assembly/system.hpp"

namespace levee {

namespace {

/// No memory has this name, since it is longer than names may be.
constexpr const char* module_name = "interleaved_memories";

} // namespace

TargetPort& System::make_interleave()
{
    const InterleavePlan& interleave = *plan_.interleave;
    const PlannedComponent& first = plan_.components[interleave.memories.front()];
    interleave::Config config{
        interleave.division, interleave.division.ways() * first.plan.placement.size_bytes, {}};
    for (const std::size_t memory : interleave.memories)
        config.links.push_back(&bus_.make_link(plan_.components[memory].name));
    interleave_ = std::make_unique<interleave::Interleaver>(module_name, config);
    for (unsigned way = 0; way < interleave.division.ways(); ++way)
        interleave_->memories[way].bind(*components_[interleave.memories[way]].storage);
    return interleave_->port;
}

void System::load_interleaved(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    std::size_t done = 0;
    plan_.interleave->division.for_each_piece(
        offset, bytes.size(), [&](const interleave::Place& place, std::uint64_t length) {
            components_[plan_.interleave->memories[place.way]].load(place.offset,
                                                                    bytes.subspan(done, length));
            done += length;
        });
}

} // namespace levee
