// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_tables.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/command/view.hpp"

#include <algorithm>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

} // namespace

void VectorTables::read()
{
    for (auto* const table : {&lengths_, &positions_, &scatters_, &indices_, &tap_places_,
                              &row_positions_, &row_targets_})
        table->clear();
    read_lengths();
    check_causal();
    const bool by_row = op_.has(LEVEE_SFU_ROW_WORDS);
    if (op_.positions != 0 && ((op_.opcode == LEVEE_SFU_ROPE && !by_row) ||
                               op_.opcode == LEVEE_SFU_EMBED || op_.has_temperatures()))
        read_positions(1, positions_);
    if (op_.has(LEVEE_SFU_SCATTER) && !by_row) {
        read_indices(1, scatters_);
        least_scatter_ = *std::min_element(scatters_.begin(), scatters_.end());
    }
    read_vector_indices();
    read_row_words();
    read_tap_places();
}

/// Checks that, in a causal operation, the first row has at least one element.
void VectorTables::check_causal() const
{
    if (!op_.has(LEVEE_SFU_CAUSAL) || op_.window() != 0)
        return;
    const auto least = std::min_element(lengths_.begin(), lengths_.end());
    const std::uint64_t length =
        least == lengths_.end() ? op_.n : std::uint64_t{*least} + op_.length_add;
    need_field(length >= op_.rows, LEVEE_ERROR_FIELD, offsetof(Op, rows));
}

Group VectorTables::group(std::size_t index) const
{
    // A 32-bit division is much faster on the host.
    const bool is_short = index <= UINT32_MAX;
    const auto number = static_cast<std::uint32_t>(index);
    const auto o0 =
        is_short ? number / op_.outer[1] : static_cast<std::uint32_t>(index / op_.outer[1]);
    const auto o1 =
        is_short ? number % op_.outer[1] : static_cast<std::uint32_t>(index % op_.outer[1]);
    Group group{o0, o1, op_.window() != 0 ? op_.n + op_.length_add : op_.n, 0, 0};
    if (!lengths_.empty())
        group.length = lengths_[std::size_t{o0} * length_words_ +
                                (length_words_ > 1 ? op_.shared_head(o1) : 0)] +
                       op_.length_add;
    if (!positions_.empty())
        group.position = positions_[index];
    if (!scatters_.empty())
        group.scatter = scatters_[index];
    return group;
}

Seen VectorTables::seen(const Group& group, std::uint32_t row) const
{
    const std::int64_t n = op_.n;
    const std::int64_t end = op_.has(LEVEE_SFU_CAUSAL)
                                 ? std::int64_t{group.length} - op_.rows + 1 + row
                                 : std::int64_t{group.length};
    const std::int64_t first =
        op_.window() != 0 ? std::clamp(end - op_.window(), std::int64_t{0}, n) : 0;
    return {static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(std::max(std::min(end, n) - first, std::int64_t{0}))};
}

void VectorTables::read_words(const AccessPattern& pattern, std::size_t member,
                              std::vector<std::uint32_t>& into)
{
    into.resize(pattern.bytes() / sizeof(std::uint32_t));
    queue_.read_control(pattern, into.data(), operation_field(member));
}

/// Returns the access to a table's words for all groups (o0, o1), with `words` contiguous words for
/// each group.
AccessPattern VectorTables::words_of(std::uint64_t table, std::uint32_t stride0,
                                     std::uint32_t stride1, std::uint32_t words) const
{
    AccessPattern pattern = contiguous(table, std::uint64_t{words} * sizeof(std::uint32_t));
    pattern.count = {1, op_.outer[0], op_.outer[1]};
    pattern.stride = {0, stride0, stride1};
    return pattern;
}

/// Reads positions. Timing-only runs neither rotate nor draw, so they need positions only for
/// EMBED.
void VectorTables::read_positions(std::uint32_t words, std::vector<std::uint32_t>& into)
{
    const AccessPattern pattern =
        words_of(op_.positions, op_.positions_stride[0], op_.positions_stride[1], words);
    if (queue_.timing_only() && op_.opcode != LEVEE_SFU_EMBED)
        queue_.read(pattern, nullptr, operation_field(offsetof(Op, positions)));
    else
        read_words(pattern, offsetof(Op, positions), into);
}

void VectorTables::read_indices(std::uint32_t words, std::vector<std::uint32_t>& into)
{
    read_words(words_of(op_.indices, op_.indices_stride[0], op_.indices_stride[1], words),
               offsetof(Op, indices), into);
}

/// Reads one length for each head of y, which a group of o1 shares.
void VectorTables::read_lengths()
{
    if (!op_.is_softmax() || op_.lengths == 0)
        return;
    // Timing-only runs read a shared length once, unless its memory tracks reads.
    const bool once =
        op_.lengths_stride[1] == 0 && queue_.timing_only() && !queue_.tracks(op_.lengths);
    length_words_ = once ? 1 : op_.shared_heads();
    AccessPattern pattern = contiguous(op_.lengths, sizeof(std::uint32_t));
    pattern.count = {1, op_.outer[0], length_words_};
    pattern.stride = {0, op_.lengths_stride[0], op_.lengths_stride[1]};
    read_words(pattern, offsetof(Op, lengths), lengths_);
    for (const std::uint32_t word : lengths_) {
        const std::uint64_t length = std::uint64_t{word} + op_.length_add;
        const std::uint32_t most = op_.window() != 0 ? UINT32_MAX : op_.n;
        need_field(length > 0 && length <= most, LEVEE_ERROR_FIELD, offsetof(Op, lengths));
    }
}

void VectorTables::read_vector_indices()
{
    if (op_.opcode != LEVEE_SFU_EMBED && op_.opcode != LEVEE_SFU_LOG_PROB && !op_.has_seeds())
        return;
    AccessPattern pattern = contiguous(op_.indices, sizeof(std::uint32_t));
    pattern.count = {op_.outer[0], op_.outer[1], op_.rows};
    std::copy(std::begin(op_.indices_stride), std::end(op_.indices_stride), pattern.stride.begin());
    read_words(pattern, offsetof(Op, indices), indices_);
    for (const std::uint32_t index : indices_)
        need_field(op_.opcode != LEVEE_SFU_LOG_PROB || index < op_.n, LEVEE_ERROR_FIELD,
                   offsetof(Op, indices));
}

/// Reads the places on the tap. In timing-only runs, a tap takes time but receives no data.
void VectorTables::read_tap_places()
{
    if (!op_.has(LEVEE_SFU_TAP_LISTED))
        return;
    AccessPattern words =
        words_of(op_.indices, op_.indices_stride[0], op_.indices_stride[1], op_.n);
    words.count[2] = op_.shared_heads();
    if (queue_.timing_only()) {
        queue_.read(words, nullptr, operation_field(offsetof(Op, indices)));
        return;
    }
    read_words(words, offsetof(Op, indices), tap_places_);
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1) {
            const Group of = group(std::size_t{o0} * op_.outer[1] + o1);
            const auto places = tap_places(of).first(of.length);
            need_field(std::ranges::all_of(
                           places, [this](std::uint32_t place) { return place < op_.seed; }),
                       LEVEE_ERROR_FIELD, offsetof(Op, indices));
        }
}

/// ROW_WORDS: reads positions and output rows of each vector.
void VectorTables::read_row_words()
{
    if (!op_.has(LEVEE_SFU_ROW_WORDS) || draws(queue_))
        return;
    if (op_.opcode == LEVEE_SFU_ROPE && op_.positions != 0)
        read_positions(op_.rows, row_positions_);
    if (op_.has(LEVEE_SFU_SCATTER))
        read_indices(op_.rows, row_targets_);
}

} // namespace levee::sfu
