// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/checkpoint_list.hpp"

#include "platform/observe/debug/machine_view.hpp"

#include <algorithm>
#include <cinttypes>

namespace levee::debug {

const Checkpoint* CheckpointList::find(std::uint64_t id) const
{
    const auto found = std::ranges::find(all_, id, &Checkpoint::id);
    return found == all_.end() ? nullptr : &*found;
}

const Checkpoint* CheckpointList::before(std::uint64_t cycle) const
{
    return cycle == 0 ? nullptr : at_or_before(cycle - 1);
}

const Checkpoint* CheckpointList::at_or_before(std::uint64_t cycle) const
{
    const Checkpoint* last = nullptr;
    for (const Checkpoint& checkpoint : all_)
        if (checkpoint.at.cycle <= cycle)
            last = &checkpoint;
    return last;
}

bool CheckpointList::is_worth(std::uint64_t cycle) const
{
    const Checkpoint* const last = at_or_before(cycle);
    return last == nullptr || cycle - last->at.cycle >= cycle / closest;
}

void CheckpointList::add(const Position& at, bool kept, OwnedFd wake)
{
    const auto place = std::ranges::upper_bound(all_, at.cycle, {},
                                                [](const Checkpoint& c) { return c.at.cycle; });
    all_.insert(place, Checkpoint{next_id_++, at, kept, std::move(wake)});
    if (all_.size() > most)
        thin();
}

/// Drops the checkpoint whose removal leaves the smallest gap relative to its age. Never drops the
/// last. Drops the first only if all between must be kept: the run can then still go back to
/// those.
void CheckpointList::thin()
{
    const std::uint64_t now = all_.back().at.cycle;
    std::size_t dropped = 0;
    double smallest = 0;
    for (std::size_t i = 1; i + 1 < all_.size(); ++i) {
        if (all_[i].kept)
            continue;
        const double gap = static_cast<double>(all_[i + 1].at.cycle - all_[i - 1].at.cycle) /
                           static_cast<double>(now - all_[i].at.cycle + 1);
        if (dropped != 0 && gap >= smallest)
            continue;
        dropped = i;
        smallest = gap;
    }
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(dropped));
}

void CheckpointList::remove(unsigned id)
{
    std::erase_if(all_, [id](const Checkpoint& checkpoint) { return checkpoint.id == id; });
}

void CheckpointList::drop_behind(std::uint64_t cycle)
{
    std::erase_if(all_, [cycle](const Checkpoint& c) { return c.at.cycle > cycle; });
}

std::string CheckpointList::text() const
{
    std::string text;
    for (const Checkpoint& checkpoint : all_)
        text += format("%4u  at ", checkpoint.id) + microseconds(checkpoint.at.ps) +
                format(", cycle %" PRIu64 ", %" PRIu64 " instructions%s\n", checkpoint.at.cycle,
                       checkpoint.at.instructions, checkpoint.kept ? ", kept" : "");
    return text.empty() ? "there are no checkpoints\n" : text;
}

nlohmann::json CheckpointList::json() const
{
    nlohmann::json all = nlohmann::json::array();
    for (const Checkpoint& checkpoint : all_)
        all.push_back({checkpoint.id, checkpoint.at.cycle, checkpoint.at.ps,
                       checkpoint.at.instructions, checkpoint.kept});
    return {{"next", next_id_}, {"all", std::move(all)}};
}

std::vector<int> CheckpointList::fds() const
{
    std::vector<int> fds;
    for (const Checkpoint& checkpoint : all_)
        fds.push_back(checkpoint.wake.get());
    return fds;
}

void CheckpointList::adopt(const nlohmann::json& json, std::vector<OwnedFd> fds)
{
    next_id_ = json.at("next");
    for (std::size_t i = 0; i < fds.size(); ++i) {
        const nlohmann::json& one = json.at("all").at(i);
        all_.push_back(
            {one.at(0), {one.at(1), one.at(2), one.at(3)}, one.at(4), std::move(fds[i])});
    }
}

void CheckpointList::forget()
{
    for (Checkpoint& checkpoint : all_)
        (void)checkpoint.wake.release();
    all_.clear();
}

} // namespace levee::debug
