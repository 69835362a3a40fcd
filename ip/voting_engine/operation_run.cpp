// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/operation_run.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/voting_engine/timing.hpp"

#include <algorithm>

namespace levee::voting_engine {

namespace {

using Op = levee_ve_operation;

constexpr std::uint32_t stream_of_draws = 0x564F5445; // Selects the random sequence.

/// Values of Decision::Write::what. Each value stands for the table of regs.h that is written. The
/// values differ from those of ip/kv_tables.
enum class Decided : std::uint8_t { Next = 65, Positions, Gather };

/// Adds a write to the decision: each row of a table receives the words.
void add(Decision& decision, std::uint32_t entry, Decided what, const View& table,
         const std::vector<std::uint32_t>& words)
{
    Decision::Write& write = decision.writes.emplace_back();
    write.pattern = table.pattern;
    write.iteration = entry;
    write.what = static_cast<std::uint8_t>(what);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    for (std::uint64_t row = 0; row < table.pattern.count[2]; ++row)
        write.bytes.insert(write.bytes.end(), bytes, bytes + table.pattern.run_bytes);
}

} // namespace

OperationRun::Size OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    operands_.read(descriptor);
    operands_.open(operation);
    operation.iterations = static_cast<std::uint32_t>(operands_.entries());
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    entries_.assign(operands_.entries(), Entry{});
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        load(o0);
    if (operands_.votes())
        return vote_all();
    return operands_.selects() ? select_all() : elect_all();
}

void OperationRun::load(std::size_t o0)
{
    Entry& entry = entries_[o0];
    operands_.votes_in(o0).read(entry.votes);
    if (operands_.selects() || operands_.op().positions == 0)
        return;
    if (operands_.positions(o0).read(entry.positions) && operands_.has_arrival()) {
        entry.votes[operands_.arrival(o0)] = 0;
        entry.positions[operands_.arrival(o0)] = operands_.now(o0);
    }
}

OperationRun::Size OperationRun::vote_all()
{
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        vote_entry(o0, size);
    return size;
}

struct OperationRun::Turn {
    EntryTime time;
    std::uint32_t first = 0;   ///< First slot that the vectors vote on.
    std::uint32_t longest = 0; ///< Elements of the longest vector, which is the last one.
    std::vector<std::span<const std::uint16_t>> vectors{}; ///< Empty in timing-only runs.

    [[nodiscard]] bool is_empty() const { return longest == 0; }
};

/// Casts the votes of an entry's vectors, head by head. The next entry starts when all votes of
/// this entry are cast. Vectors that begin at another slot also wait until earlier votes are cast,
/// because the engine counts slots from the start of its vote buffer.
void OperationRun::vote_entry(std::size_t o0, Size& size)
{
    const Op& op = operands_.op();
    std::vector<std::vector<std::uint16_t>> heads(op.outer[1]);
    Turn turn{EntryTime(capacity_)};
    for (std::size_t o1 = 0; o1 < heads.size(); ++o1) {
        heads[o1] = vectors_of(o0, o1);
        for (std::uint32_t row = 0; row < op.rows; ++row) {
            const std::uint32_t skipped = operands_.skipped(o0, row);
            const std::uint32_t length = operands_.length(o0, row) - skipped;
            size.cycles += skipped;
            if (!operands_.is_voter(o0, row)) {
                size.cycles += length;
                continue;
            }
            if (!turn.is_empty() && turn.first != skipped) {
                size.cycles += cast(o0, turn).passed + entry_stages;
                turn = {EntryTime(capacity_)};
            }
            turn.first = skipped;
            turn.longest = std::max(turn.longest, length);
            turn.time.add(length);
            size.elements += length;
            ++size.vectors;
            const std::size_t first = std::size_t{row} * operands_.length(o0) + skipped;
            if (!heads[o1].empty())
                turn.vectors.push_back(std::span(heads[o1]).subspan(first, length));
        }
    }
    if (turn.is_empty())
        return;
    const Engine::Cycles cycles = cast(o0, turn);
    size.cycles += o0 + 1 == entries_.size() ? cycles.taken : cycles.passed + entry_stages;
}

/// Casts the votes of a Turn's vectors. A timing-only run only computes the time.
Engine::Cycles OperationRun::cast(std::size_t o0, const Turn& turn)
{
    const Op& op = operands_.op();
    Entry& entry = entries_[o0];
    if (turn.vectors.empty())
        return cast({}, turn.time);
    const std::span votes = std::span(entry.votes).subspan(turn.first, turn.longest);
    return cast({{op.mean_factor, op.deviation_factor}, votes, entry.positions, turn.vectors},
                turn.time);
}

/// Casts the votes of a ballot, which is empty in timing-only runs. Returns the engine's cycles, or
/// the cycles by the timing rule.
Engine::Cycles OperationRun::cast(const Ballot& ballot, const EntryTime& time)
{
    if (engine_ != nullptr && !ballot.vectors.empty())
        return engine_->vote(ballot);
    for (const std::span<const std::uint16_t> vector : ballot.vectors)
        vote(ballot.votes.first(vector.size()), vector,
             ballot.positions.first(std::min(ballot.positions.size(), vector.size())),
             ballot.factors);
    return {time.taken(), time.passed()};
}

/// Returns the elements of one head, row by row. All rows have the entry's length. Empty in
/// timing-only runs.
std::vector<std::uint16_t> OperationRun::vectors_of(std::size_t o0, std::size_t o1)
{
    const std::size_t length = operands_.length(o0);
    std::vector<float> packed;
    std::span<const float> source = operands_.streamed(o0, o1);
    if (!operands_.from_stream()) {
        operands_.probabilities(o0, o1).read(packed);
        source = packed;
    }
    std::vector<std::uint16_t> elements(source.empty() ? 0 : length * operands_.op().rows);
    const std::size_t width = operands_.from_stream() ? operands_.op().n : length;
    for (std::size_t at = 0, from = 0; at < elements.size(); at += length, from += width)
        std::transform(source.data() + from, source.data() + from + length, elements.data() + at,
                       to_element);
    return elements;
}

OperationRun::Size OperationRun::elect_all()
{
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        const std::uint32_t length = operands_.length(o0);
        const bool is_full = length > operands_.op().capacity;
        entry.next = length;
        size.compared += length;
        size.cycles += length;
        size.elected += is_full ? 1 : 0;
        if (is_full && !queue_.timing_only())
            size.cycles += elect_entry(o0) - length;
        else if (is_full && draws(queue_))
            entry.next = drawn_slot(o0);
    }
    size.cycles += lag(operands_.length(entries_.size() - 1)) + 1;
    return size;
}

/// Elects a slot for an entry. Returns the cycles without the cycle for the result, which counts
/// once per operation.
std::uint64_t OperationRun::elect_entry(std::size_t o0)
{
    Entry& entry = entries_[o0];
    const std::uint32_t protect =
        give_up_passed(entry.votes, entry.positions, operands_.passed(o0), operands_.op().protect);
    Engine::Election election;
    if (engine_ != nullptr)
        election = engine_->elect(entry.votes, entry.positions, protect);
    else
        election = {elect(entry.votes, entry.positions, protect), entry.votes.size() + 1};
    need_field(election.slot != none, LEVEE_ERROR_FIELD, offsetof(Op, protect));
    entry.next = election.slot;
    return election.cycles - 1;
}

/// Draws a victim: all unprotected tokens are equally likely. Without a reach, the first `protect`
/// tokens are always in the first slots.
std::uint32_t OperationRun::drawn_slot(std::size_t o0)
{
    const Op& op = operands_.op();
    const std::uint32_t length = operands_.length(o0);
    const std::uint32_t word = random_word(0, stream_of_draws, elections_++);
    const std::uint32_t first = std::min(op.protect, length - 1);
    if (op.reach == 0)
        return first + word % (length - first);
    std::vector<std::uint32_t> positions(length);
    queue_.read_control(operands_.positions(o0).pattern, positions.data(),
                        operands_.positions(o0).field);
    const std::uint32_t passed = operands_.passed(o0);
    std::vector<std::uint32_t> leaving;
    for (std::uint32_t slot = 0; slot < length; ++slot) {
        if (positions[slot] < passed)
            return slot;
        if (positions[slot] >= op.protect)
            leaving.push_back(slot);
    }
    return leaving.empty() ? length - 1 : leaving[word % leaving.size()];
}

OperationRun::Size OperationRun::select_all()
{
    const Op& op = operands_.op();
    Size size;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        if (!queue_.timing_only())
            entry.kept = select(entry.votes, op.capacity, op.protect, operands_.passed(o0));
        else if (draws(queue_))
            entry.kept = drawn_prompt(o0);
        entry.next = static_cast<std::uint32_t>(entry.kept.size());
        std::vector<std::uint16_t> kept_votes;
        for (std::size_t i = 0; i < entry.kept.size() && !entry.votes.empty(); ++i)
            kept_votes.push_back(entry.votes[entry.kept[i]]);
        entry.votes = std::move(kept_votes);
        size.compared += select_cycles(operands_.length(o0), op.capacity);
    }
    size.cycles = size.compared + 1;
    return size;
}

/// Chooses the prompt tokens to keep in a run without votes: protected tokens, and others at nearly
/// equal distances.
std::vector<std::uint32_t> OperationRun::drawn_prompt(std::size_t o0) const
{
    std::vector<std::uint32_t> stay(operands_.kept(o0));
    const auto kept = static_cast<std::uint32_t>(stay.size());
    const std::uint32_t length = operands_.length(o0), protect = operands_.op().protect;
    const std::uint32_t passed = length > kept ? operands_.passed(o0) : 0;
    const std::uint32_t first = std::min(protect > passed ? protect - passed : 0, kept);
    for (std::uint32_t i = 0; i < kept; ++i)
        stay[i] = passed + i;
    for (std::uint32_t i = first; i < kept; ++i)
        stay[i] = passed + first +
                  static_cast<std::uint32_t>(std::uint64_t{i - first} * (length - passed - first) /
                                             (kept - first));
    return stay;
}

/// Writes the votes and the decisions of entries [first, last).
void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t o0 = first; o0 < last; ++o0) {
        if (operands_.votes() || operands_.selects())
            operands_.votes_out(o0).write(entries_[o0].votes);
        if (operands_.has_arrival()) // The position depends on control words, not on payload, so
                                     // every run writes it.
            queue_.write_control(operands_.arriving_position(o0).pattern, &operands_.now(o0));
    }
    if (operands_.votes())
        return;
    if (replays(queue_)) {
        queue_.replay(first, last);
        return;
    }
    Decision decision;
    for (std::uint32_t o0 = first; o0 < last; ++o0)
        decide_entry(o0, decision);
    queue_.decide(std::move(decision));
}

void OperationRun::decide_entry(std::uint32_t o0, Decision& decision) const
{
    const Entry& entry = entries_[o0];
    add(decision, o0, Decided::Next, operands_.next(o0), {entry.next});
    if (!operands_.selects())
        return;
    add(decision, o0, Decided::Positions, operands_.positions(o0), entry.kept);
    add(decision, o0, Decided::Gather, operands_.gather(o0), entry.kept);
}

} // namespace levee::voting_engine
