// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/block_profile.hpp"

#include <algorithm>

namespace levee::profile {

BlockProfile::BlockProfile(const std::vector<Watched>& blocks)
{
    for (const Watched& watched : blocks) {
        Block block{};
        block.queue = watched.queue;
        block.times.name = watched.name;
        blocks_.push_back(std::move(block));
    }
}

BlockProfile::Block& BlockProfile::block(const CommandQueue& queue)
{
    return *std::find_if(blocks_.begin(), blocks_.end(),
                         [&](const Block& b) { return b.queue == &queue; });
}

void BlockProfile::change(Block& block, State state, const FlowResource* bound_by, Picoseconds now)
{
    const Picoseconds spent = now - block.since;
    block.times.in[static_cast<std::size_t>(block.state)] += spent;
    if (block.state == State::Memory)
        block.times.bound_by[block.bound_by->flow_name()] += spent;
    if (block.state == State::Idle && spent > 0)
        block.idle.emplace_back(block.since, now);
    block.state = state;
    block.bound_by = bound_by;
    block.since = now;
}

void BlockProfile::taken(const CommandQueue& queue, std::uint64_t, std::uint32_t)
{
    change(block(queue), State::Fetch, nullptr, now_ps());
}

void BlockProfile::fetched(const CommandQueue& queue, const levee_descriptor&)
{
    change(block(queue), State::Dependency, nullptr, now_ps());
}

/// Called when an operation starts. A producer for a stream port then waits until its consumer
/// starts.
void BlockProfile::started(const CommandQueue& queue, const levee_descriptor&,
                           const Activity& activity, bool streams)
{
    Block& own = block(queue);
    own.activity = &activity;
    own.streams = streams;
    change(own, streams ? State::Dependency : State::Busy, nullptr, now_ps());
}

void BlockProfile::finished(const CommandQueue& queue, std::uint32_t, bool)
{
    Block& own = block(queue);
    if (own.activity != nullptr)
        ++own.times.operations;
    own.activity = nullptr;
    change(own, State::Idle, nullptr, now_ps());
}

/// Returns the running activity that is the block's own, or its consumer's; null if there is
/// none.
const Activity* BlockProfile::running_for(const Block& block, std::span<Activity* const> running)
{
    if (block.activity == nullptr)
        return nullptr;
    const auto is_part_of = [&](const Activity* activity) {
        if (!block.streams)
            return activity == block.activity;
        // The producer's last stream goes to the port, which is also among the uses of the
        // consumer's activity.
        const FlowResource* const port = block.activity->uses.back().resource;
        return std::any_of(activity->uses.begin(), activity->uses.end(),
                           [&](const FlowUse& use) { return use.resource == port; });
    };
    const auto found = std::find_if(running.begin(), running.end(), is_part_of);
    return found != running.end() ? *found : nullptr;
}

void BlockProfile::shared(Picoseconds now, std::span<Activity* const> running)
{
    for (Block& own : blocks_)
        if (const Activity* activity = running_for(own, running))
            change(own, activity->bound_by != nullptr ? State::Memory : State::Busy,
                   activity->bound_by, now);
}

/// Returns the index of a function's name. Looks up the string's address first, since callers
/// mostly pass the same string objects.
std::size_t BlockProfile::number_of(const std::string& function)
{
    std::size_t& known = known_.try_emplace(&function, functions_.size()).first->second;
    if (known < functions_.size() && functions_[known] == function)
        return known;
    const auto [at, is_new] = numbers_.try_emplace(function, functions_.size());
    if (is_new) {
        functions_.push_back(function);
        for (Block& own : blocks_)
            own.idle_in.push_back(0);
    }
    return known = at->second;
}

void BlockProfile::core_was_in(const std::string& function, Picoseconds from, Picoseconds to)
{
    const std::size_t number = number_of(function);
    for (Block& own : blocks_) {
        const auto attribute = [&](Picoseconds begin, Picoseconds end) {
            begin = std::max(begin, from);
            end = std::min(end, to);
            if (begin < end)
                own.idle_in[number] += end - begin;
        };
        for (const auto& [begin, end] : own.idle)
            attribute(begin, end);
        if (!own.idle.empty())
            std::erase_if(own.idle, [to](const auto& interval) { return interval.second <= to; });
        if (own.state == State::Idle)
            attribute(own.since, to);
    }
}

void BlockProfile::finish(Picoseconds now)
{
    for (Block& own : blocks_)
        change(own, State::Idle, nullptr, now);
}

std::vector<BlockTimes> BlockProfile::times() const
{
    std::vector<BlockTimes> times;
    for (const Block& block : blocks_) {
        times.push_back(block.times);
        for (std::size_t i = 0; i < functions_.size(); ++i)
            if (block.idle_in[i] != 0)
                times.back().idle_while_in[functions_[i]] = block.idle_in[i];
    }
    return times;
}

} // namespace levee::profile
