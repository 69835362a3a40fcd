// SPDX-License-Identifier: Apache-2.0
// Operations of timing-only runs: the same checks, streams, accesses and time, but nothing is
// computed; elections and selections are replayed from a recording or drawn.
#include "core/numerics/numerics.hpp"
#include "ip/voting_engine/operation_run.hpp"
#include "ip/voting_engine/timing.hpp"

#include <algorithm>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

constexpr std::uint32_t stream_of_draws = 0x564F5445; // of random words

} // namespace

OperationRun::Size OperationRun::prepare_timing_only(Operation& operation)
{
    for (std::size_t o0 = 0; o0 < lengths_.size(); ++o0)
        touch(o0);
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t o0 = first; o0 < last; ++o0)
            commit_votes(o0);
        if (opcode_ != LEVEE_VE_VOTE)
            decide_timing_only(first, last);
    };
    return timing_only_size();
}

/// Makes the accesses of load and of vectors_of.
void OperationRun::touch(std::size_t o0)
{
    const Table table = opcode_ == LEVEE_VE_SELECT ? prefill_votes() : votes();
    queue_.read(table.run(o0, lengths_[o0]), nullptr, table.field);
    if (opcode_ != LEVEE_VE_SELECT && op_.positions != 0 && queue_.tracks(op_.positions))
        queue_.read(positions().run(o0, lengths_[o0]), nullptr, positions().field);
    for (std::size_t o1 = 0; opcode_ == LEVEE_VE_VOTE && !from_stream_ && o1 < op_.outer[1]; ++o1)
        queue_.read(probabilities(o0, o1), nullptr, operation_field(offsetof(Op, probabilities)));
}

OperationRun::Size OperationRun::timing_only_size() const
{
    Size size;
    for (std::size_t o0 = 0; o0 < lengths_.size(); ++o0) {
        const std::uint32_t length = lengths_[o0];
        if (opcode_ == LEVEE_VE_VOTE) {
            EntryTime time(capacity_);
            std::uint64_t vectors = 0;
            for (std::uint32_t i = 0; i < std::uint32_t{op_.outer[1]} * op_.rows; ++i) {
                const std::uint32_t row = i % op_.rows, elements = length_of(o0, row);
                if (!is_voter(o0, row)) {
                    size.cycles += elements;
                    continue;
                }
                time.add(elements);
                size.elements += elements;
                ++vectors;
            }
            size.vectors += vectors;
            if (vectors > 0)
                size.cycles +=
                    o0 + 1 == lengths_.size() ? time.taken() : time.passed() + entry_stages;
            continue;
        }
        const bool is_full = length > op_.capacity;
        const std::uint64_t cycles =
            opcode_ == LEVEE_VE_ELECT ? length : select_cycles(length, op_.capacity);
        size.cycles += cycles;
        size.compared += cycles;
        size.elected += opcode_ == LEVEE_VE_ELECT && is_full ? 1 : 0;
    }
    if (opcode_ == LEVEE_VE_ELECT)
        size.cycles += lag(lengths_.back());
    size.cycles += opcode_ == LEVEE_VE_VOTE ? 0 : 1;
    return size;
}

void OperationRun::decide_timing_only(std::uint32_t first, std::uint32_t last)
{
    if (queue_.decisions().statistics == nullptr) {
        queue_.replay(first, last);
        return;
    }
    for (std::uint32_t o0 = first; o0 < last; ++o0)
        draw(o0);
}

/// Decisions from statistics: all tokens that are not protected leave with the same probability,
/// and evenly spread ones of a prompt stay. The first `protect` tokens are always in the first
/// slots.
void OperationRun::draw(std::size_t o0)
{
    const std::uint32_t length = lengths_[o0], kept = kept_of(o0);
    std::uint32_t slot = opcode_ == LEVEE_VE_SELECT ? kept : length;
    if (opcode_ == LEVEE_VE_ELECT && length > op_.capacity) {
        const std::uint32_t first = std::min(op_.protect, length - 1);
        slot = first + random_word(0, stream_of_draws, elections_++) % (length - first);
    }
    const std::vector<std::uint32_t> words(op_.outer[1], slot);
    queue_.write_control(next(o0), words.data());
    if (opcode_ != LEVEE_VE_SELECT)
        return;
    std::vector<std::uint32_t> stay(kept);
    const std::uint32_t first = std::min(op_.protect, kept);
    for (std::uint32_t i = 0; i < kept; ++i)
        stay[i] = i < first ? i
                            : first + static_cast<std::uint32_t>(std::uint64_t{i - first} *
                                                                 (length - first) / (kept - first));
    queue_.write_control(positions().run(o0, kept), stay.data());
    std::vector<std::uint32_t> of_heads;
    for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1)
        of_heads.insert(of_heads.end(), stay.begin(), stay.end());
    queue_.write_control(gather(o0, kept), of_heads.data());
}

} // namespace levee::voting_engine
