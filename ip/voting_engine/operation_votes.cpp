// SPDX-License-Identifier: Apache-2.0
// What operations compute, and how it gets to memory.
#include "ip/voting_engine/operation_run.hpp"
#include "ip/voting_engine/timing.hpp"

#include <algorithm>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

/// Decision::Write::what: the table of regs.h that is written. Apart from those of ip/kv_tables.
enum class Decided : std::uint8_t { Next = 65, Positions, Gather };

void add(Decision& decision, std::uint32_t entry, Decided what, const AccessPattern& pattern,
         const std::vector<std::uint32_t>& words)
{
    Decision::Write& write = decision.writes.emplace_back();
    write.pattern = pattern;
    write.iteration = entry;
    write.what = static_cast<std::uint8_t>(what);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    write.bytes.assign(bytes, bytes + pattern.bytes());
}

/// `words`, `times` times.
std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& words, std::size_t times)
{
    std::vector<std::uint32_t> result;
    result.reserve(words.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        result.insert(result.end(), words.begin(), words.end());
    return result;
}

} // namespace

/// Reads an entry's tables.
void OperationRun::load(std::size_t o0)
{
    Entry& entry = entries_[o0];
    const Table table = opcode_ == LEVEE_VE_SELECT ? prefill_votes() : votes();
    entry.votes.resize(lengths_[o0]);
    queue_.read(table.run(o0, lengths_[o0]), entry.votes.data(), table.field);
    if (opcode_ == LEVEE_VE_SELECT || op_.positions == 0)
        return;
    entry.positions.resize(lengths_[o0]);
    queue_.read_control(positions().run(o0, lengths_[o0]), entry.positions.data(),
                        positions().field);
    if (arrivals_.empty())
        return;
    entry.votes[arrivals_[o0]] = 0;
    entry.positions[arrivals_[o0]] = now_[o0];
}

OperationRun::Size OperationRun::vote_all()
{
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        vote_entry(o0, size);
    return size;
}

/// An entry's vectors, head by head. The next entry's enter when all votes of this one are cast.
void OperationRun::vote_entry(std::size_t o0, Size& size)
{
    Ballot ballot{
        {op_.mean_factor, op_.deviation_factor}, entries_[o0].votes, entries_[o0].positions, {}};
    std::vector<std::vector<std::uint16_t>> heads;
    EntryTime time(capacity_);
    for (std::size_t o1 = 0; o1 < op_.outer[1]; ++o1) {
        heads.push_back(vectors_of(o0, o1));
        for (std::uint32_t row = 0; row < op_.rows; ++row) {
            const std::uint32_t length = length_of(o0, row);
            if (!is_voter(o0, row)) {
                size.cycles += length;
                continue;
            }
            const std::size_t first = std::size_t{row} * lengths_[o0];
            ballot.vectors.push_back(std::span(heads.back()).subspan(first, length));
            time.add(length);
            size.elements += length;
        }
    }
    size.vectors += ballot.vectors.size();
    if (ballot.vectors.empty())
        return;
    Engine::Cycles cycles{time.taken(), time.passed()};
    if (engine_ != nullptr)
        cycles = engine_->vote(ballot);
    else
        for (const std::span<const std::uint16_t> vector : ballot.vectors)
            vote(ballot.votes.first(vector.size()), vector,
                 ballot.positions.first(std::min(ballot.positions.size(), vector.size())),
                 ballot.factors);
    size.cycles += o0 + 1 == entries_.size() ? cycles.taken : cycles.passed + entry_stages;
}

/// Elements of one head, row by row, each of the entry's length.
std::vector<std::uint16_t> OperationRun::vectors_of(std::size_t o0, std::size_t o1)
{
    const std::size_t length = lengths_[o0];
    std::vector<float> packed;
    std::span<const float> source;
    std::size_t width = length;
    if (from_stream_) {
        width = op_.n;
        source = stream_.subspan((o0 * op_.outer[1] + o1) * op_.rows * width, op_.rows * width);
    } else {
        packed.resize(length * op_.rows);
        queue_.read(probabilities(o0, o1), packed.data(),
                    operation_field(offsetof(Op, probabilities)));
        source = packed;
    }
    std::vector<std::uint16_t> elements(length * op_.rows);
    for (std::size_t row = 0; row < op_.rows; ++row)
        std::transform(source.data() + row * width, source.data() + row * width + length,
                       elements.data() + row * length, to_element);
    return elements;
}

OperationRun::Size OperationRun::elect_all()
{
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        const std::uint32_t length = lengths_[o0];
        entry.next = length;
        std::uint64_t cycles = length;
        if (length > op_.capacity) {
            if (engine_ != nullptr) {
                const Engine::Election election =
                    engine_->elect(entry.votes, entry.positions, op_.protect);
                entry.next = election.slot;
                cycles = election.cycles - 1; // the result's cycle is counted once
            } else {
                entry.next = elect(entry.votes, entry.positions, op_.protect);
            }
            need_field(entry.next != none, LEVEE_ERROR_FIELD, offsetof(Op, protect));
            ++size.elected;
        }
        size.compared += length;
        size.cycles += cycles;
    }
    size.cycles += lag(lengths_.back()) + 1;
    return size;
}

OperationRun::Size OperationRun::select_all()
{
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        entry.kept = select(entry.votes, op_.capacity, op_.protect);
        entry.next = static_cast<std::uint32_t>(entry.kept.size());
        std::vector<std::uint16_t> kept_votes;
        for (const std::uint32_t position : entry.kept)
            kept_votes.push_back(entry.votes[position]);
        entry.votes = std::move(kept_votes);
        const std::uint64_t cycles = select_cycles(lengths_[o0], op_.capacity);
        size.compared += cycles;
        size.cycles += cycles;
    }
    size.cycles += 1;
    return size;
}

/// Writes the votes of the entries [first, last) and records their decisions.
void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    Decision decision;
    for (std::uint32_t o0 = first; o0 < last; ++o0) {
        commit_votes(o0);
        if (opcode_ != LEVEE_VE_VOTE)
            decide_entry(o0, decision);
    }
    if (opcode_ != LEVEE_VE_VOTE)
        queue_.decide(std::move(decision));
}

void OperationRun::commit_votes(std::size_t o0)
{
    if (opcode_ == LEVEE_VE_ELECT)
        return;
    const Entry* const entry = queue_.timing_only() ? nullptr : &entries_[o0];
    queue_.write(votes().run(o0, opcode_ == LEVEE_VE_SELECT ? kept_of(o0) : lengths_[o0]),
                 entry == nullptr ? nullptr : entry->votes.data());
    if (!arrivals_.empty()) // follows from words, not from payload
        queue_.write_control(positions().element(o0, arrivals_[o0]), &now_[o0]);
}

void OperationRun::decide_entry(std::uint32_t o0, Decision& decision) const
{
    const Entry& entry = entries_[o0];
    const std::size_t heads = op_.outer[1];
    add(decision, o0, Decided::Next, next(o0), repeated({entry.next}, heads));
    if (opcode_ != LEVEE_VE_SELECT)
        return;
    add(decision, o0, Decided::Positions, positions().run(o0, entry.kept.size()), entry.kept);
    add(decision, o0, Decided::Gather, gather(o0, entry.kept.size()), repeated(entry.kept, heads));
}

} // namespace levee::voting_engine
