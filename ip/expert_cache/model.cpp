// SPDX-License-Identifier: Apache-2.0
#include "ip/expert_cache/model.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace levee::expert_cache {

namespace {

constexpr std::uint64_t line = 64;

struct Layer {
    std::uint64_t first_expert = 0;
    std::uint64_t bytes = 0; // Bytes of the expert's matrices so far.
    std::uint32_t matrices = 0;
};

} // namespace

Layout::Layout(std::span<const ExpertMatrices> all)
{
    std::map<std::uint32_t, Layer> layers;
    std::uint64_t experts = 0;
    for (const ExpertMatrices& matrices : all) {
        const auto [layer, is_new] = layers.try_emplace(matrices.layer, Layer{experts});
        experts += is_new ? matrices.experts : 0;
        Layer& expert = layer->second;
        items_.push_back({matrices, expert.first_expert, expert.bytes, expert.matrices++});
        expert.bytes = (expert.bytes + matrices.bytes + line - 1) / line * line;
        slot_bytes_ = std::max(slot_bytes_, expert.bytes);
    }
    std::ranges::sort(items_, {}, [](const Item& item) { return item.matrices.offset; });
}

const ExpertMatrices* Layout::find(std::uint64_t first, std::uint64_t last) const
{
    const auto after = std::ranges::upper_bound(
        items_, first, {}, [](const Item& item) { return item.matrices.offset; });
    if (after == items_.begin())
        return nullptr;
    const ExpertMatrices& matrices = std::prev(after)->matrices;
    return last - matrices.offset < matrices.all_bytes() ? &matrices : nullptr;
}

Matrix Layout::matrix(const ExpertMatrices& item, std::uint64_t offset) const
{
    const Item& found = *std::ranges::lower_bound(
        items_, item.offset, {}, [](const Item& one) { return one.matrices.offset; });
    const std::uint64_t index = (offset - item.offset) / item.bytes;
    return {found.first_expert + index, item.offset + index * item.bytes, item.bytes, found.in_slot,
            found.number};
}

Directory::Place Directory::use(const Matrix& matrix)
{
    const std::uint32_t bit = 1U << matrix.number;
    if (!by_expert_.contains(matrix.expert))
        make_room(matrix.expert);
    const auto resident = by_expert_.at(matrix.expert);
    residents_.splice(residents_.begin(), residents_, resident);
    return {resident->slot,
            (std::exchange(resident->matrices, resident->matrices | bit) & bit) != 0};
}

std::optional<std::uint64_t> Directory::slot_of(const Matrix& matrix) const
{
    const auto found = by_expert_.find(matrix.expert);
    if (found == by_expert_.end() || (found->second->matrices & 1U << matrix.number) == 0)
        return std::nullopt;
    return found->second->slot;
}

/// Gives the expert an empty slot: a free slot or, if there is none, the slot of the least recently
/// used expert.
void Directory::make_room(std::uint64_t expert)
{
    std::uint64_t slot = residents_.size();
    if (slot == slots_) {
        ++evictions_;
        slot = residents_.back().slot;
        by_expert_.erase(residents_.back().expert);
        residents_.pop_back();
    }
    residents_.push_front({expert, slot, 0});
    by_expert_[expert] = residents_.begin();
}

} // namespace levee::expert_cache
