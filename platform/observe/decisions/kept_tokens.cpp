// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/kept_tokens.hpp"

#include "ip/kv_tables/decided.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

using kv_tables::Decided;

std::uint32_t word_at(const Decision::Write& write, std::size_t index)
{
    std::uint32_t word = 0;
    std::memcpy(&word, write.bytes.data() + index * sizeof word, sizeof word);
    return word;
}

std::size_t words(const Decision::Write& write)
{
    return write.bytes.size() / sizeof(std::uint32_t);
}

bool is(const Decision::Write& write, Decided what)
{
    return write.what == static_cast<std::uint8_t>(what);
}

} // namespace

KeptTokens::KeptTokens(std::size_t layers, std::size_t heads, std::size_t budget)
    : layers_(layers), heads_(heads), budget_(budget)
{
}

void KeptTokens::decided(const std::string& block, std::uint64_t operation,
                         const Decision& decision)
{
    std::map<std::uint32_t, PairWrites> pairs;
    bool selects = false;
    for (const Decision::Write& write : decision.writes) {
        selects = selects || is(write, Decided::Gather);
        if (is(write, Decided::Next) && words(write) > 0)
            pairs[write.iteration].next = &write;
        else if (is(write, Decided::Positions) && words(write) > 0)
            pairs[write.iteration].positions = &write;
    }
    std::erase_if(pairs, [](const auto& pair) {
        return pair.second.next == nullptr || pair.second.positions == nullptr;
    });
    if (pairs.empty())
        return; // another block's operation, or one that moves no token
    if (!block_.empty() && block != block_)
        fault_ = "The kept tokens are not shown, because the run used several evictors.";
    block_ = block;
    if (selects && selecting_ != operation) {
        selecting_ = operation;
        ++selections_;
    }
    for (const auto& [iteration, writes] : pairs)
        if (selects)
            select(writes, iteration);
        else
            evict(writes);
}

void KeptTokens::select(const PairWrites& writes, std::size_t iteration)
{
    Track track{selections_ - 1, iteration, writes.positions->pattern.address, {}, 0, {}};
    const std::size_t retained = words(*writes.positions);
    for (std::size_t slot = 0; slot < retained; ++slot)
        track.positions.push_back(word_at(*writes.positions, slot));
    track.length = retained;
    const auto seen = *std::ranges::max_element(track.positions) + 1;
    track.gone.assign(static_cast<std::size_t>(seen), seen);
    for (const std::int64_t position : track.positions)
        track.gone[static_cast<std::size_t>(position)] = stays;
    entries_ = std::max(entries_, iteration / heads_ + 1);
    current_[writes.next->pattern.address] = tracks_.size();
    tracks_.push_back(std::move(track));
}

/// Puts the new token into its slot. If the cache then exceeds the budget, the token in slot `next`
/// is evicted.
void KeptTokens::evict(const PairWrites& writes)
{
    const auto found = current_.find(writes.next->pattern.address);
    if (found == current_.end())
        return;
    Track& track = tracks_[found->second];
    const std::size_t slot =
        (writes.positions->pattern.address - track.first) / sizeof(std::uint32_t);
    const std::uint32_t now = word_at(*writes.positions, 0), next = word_at(*writes.next, 0);
    track.length = std::min(track.length + 1, budget_ + 1);
    track.positions.resize(std::max({track.positions.size(), slot + 1, std::size_t{next} + 1}), -1);
    track.positions[slot] = now;
    track.gone.resize(std::max(track.gone.size(), std::size_t{now} + 1), stays);
    if (track.length <= budget_)
        return;
    if (const std::int64_t victim = track.positions[next]; victim >= 0)
        track.gone[static_cast<std::size_t>(victim)] = now;
}

/// Returns the index of a track's sequence. SELECT operations come layer by layer, and each covers
/// one entry of the batch or all entries.
std::size_t KeptTokens::sequence_of(const Track& track) const
{
    return track.selection / layers_ * entries_ + track.iteration / heads_;
}

/// Returns the largest number of first tracks that together have at most `most` tokens.
std::size_t KeptTokens::fitting(std::size_t most) const
{
    std::size_t entries = 0, tracks = 0;
    while (tracks < tracks_.size() && entries + tracks_[tracks].gone.size() <= most)
        entries += tracks_[tracks++].gone.size();
    return tracks;
}

std::vector<KeptTokens::Sequence> KeptTokens::sequences(std::size_t most) const
{
    std::map<std::size_t, Sequence> all;
    if (!fault_.empty())
        return {};
    const std::size_t tracks = fitting(most);
    for (std::size_t i = 0; i < tracks; ++i) {
        const Track& track = tracks_[i];
        Sequence& sequence = all[sequence_of(track)];
        sequence.layers.resize(layers_, std::vector<Head>(heads_));
        sequence.layers[track.selection % layers_][track.iteration % heads_] = track.gone;
    }
    std::vector<Sequence> complete;
    for (auto& [index, sequence] : all) {
        const std::size_t tokens = sequence.layers[0][0].size();
        const bool filled = tokens > 0 && std::ranges::all_of(sequence.layers, [&](const auto& l) {
                                return std::ranges::all_of(
                                    l, [&](const Head& head) { return head.size() == tokens; });
                            });
        sequence.index = index;
        if (filled)
            complete.push_back(std::move(sequence));
    }
    return complete;
}

std::string KeptTokens::reason(std::size_t most) const
{
    if (!fault_.empty())
        return fault_;
    if (tracks_.empty())
        return "The kept tokens are not shown, because no cache was filled.";
    const std::size_t shown = sequences(most).size();
    const std::size_t whole = sequence_of(tracks_.back()) + 1;
    return shown >= whole
               ? ""
               : std::to_string(shown) + " of " + std::to_string(whole) + " sequences are shown.";
}

} // namespace levee
