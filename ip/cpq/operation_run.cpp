// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/operation_run.hpp"

#include "core/abi/element_type.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

levee_cpq_record record_of(const Counts& counts, std::size_t bytes, unsigned levels)
{
    return {static_cast<std::uint32_t>(bytes),
            counts.non_zeros,
            counts.survivors,
            counts.opened,
            counts.clamped,
            levels};
}

} // namespace

Totals OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    operands_.begin(descriptor);
    tables_.check(operands_);
    operation.iterations = static_cast<std::uint32_t>(operands_.entries());
    if (operands_.resets()) {
        operation.commit = [this](std::uint32_t, std::uint32_t) { tables_.reset(operands_); };
        return {};
    }
    entries_.assign(operands_.entries(), Entry{});
    operands_.read_counts();
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        operands_.compresses() ? check_writes(o0) : read_records(o0);
    if (operands_.compresses())
        find_records();
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        operands_.compresses() ? read_values(o0) : expand(o0);
        open_rows(operation, o0);
    }
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) { // All checks have passed.
        if (operands_.compresses())
            compress(o0);
        open_packed(operation, o0);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    return totals();
}

/// Checks all addresses that will be written, for the largest possible sizes, before any table
/// changes.
void OperationRun::check_writes(std::size_t o0)
{
    const auto check = [this](const View& view) { queue_.check_write(view.pattern, view.field); };
    for (std::size_t row = 0; row < operands_.rows(o0); ++row) {
        check(operands_.packed_row(o0, row, operands_.most_bytes()));
        check(operands_.record(o0, row));
    }
    if (operands_.rows(o0) != 0) // All rows must go to one memory, because they are one stream.
        check(operands_.packed_rows(o0, operands_.most_bytes()));
}

void OperationRun::read_records(std::size_t o0)
{
    const Op& op = operands_.op();
    entries_[o0].records.resize(operands_.rows(o0));
    for (std::size_t row = 0; row < operands_.rows(o0); ++row) {
        levee_cpq_record& found = entries_[o0].records[row];
        const View view = operands_.record(o0, row);
        queue_.read_control(view.pattern, &found, view.field);
        need_field(found.bytes >= row_bytes(operands_.channels(), 0, op.bits, 0) &&
                       found.bytes <= operands_.most_bytes() &&
                       found.non_zeros <= operands_.channels(),
                   LEVEE_ERROR_FIELD, offsetof(Op, records));
    }
}

/// Gets the rows' records for a timing-only COMPRESS, from a recording or from statistics.
void OperationRun::find_records()
{
    if (replays(queue_))
        recall_records();
    else if (draws(queue_))
        expect_records();
}

void OperationRun::recall_records()
{
    const std::vector<Decision::Write>& writes = queue_.recorded().writes;
    std::size_t next = 0;
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        for (std::uint32_t row = 0; row < operands_.rows(o0); ++row) {
            if (next == writes.size() || writes[next].bytes.size() != sizeof(levee_cpq_record))
                throw std::runtime_error(
                    std::string(queue_.name()) +
                    ": the recorded decisions lack a row; record them again with this scenario");
            std::memcpy(&entries_[o0].records.emplace_back(), writes[next++].bytes.data(),
                        sizeof(levee_cpq_record));
        }
}

/// Fills in the expected records in a run from statistics. All rows have the same record; with
/// OPEN, the first row of each entry also opens a level for each channel.
void OperationRun::expect_records()
{
    if (!expected_)
        throw std::runtime_error(
            std::string(queue_.name()) +
            ": a timing-only run from statistics; expected the block's 'expected' "
            "(pruned, zero, levels) in the scenario");
    const levee_cpq_record record = expected_record(*expected_, operands_.channels(),
                                                    operands_.op().bits, operands_.op().max_levels);
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        std::vector<levee_cpq_record>& records = entries_[o0].records;
        records.assign(operands_.rows(o0), record);
        if (operands_.opens() && !records.empty())
            records.front().opened = operands_.channels();
    }
}

void OperationRun::read_values(std::size_t o0)
{
    if (operands_.rows(o0) == 0)
        return;
    std::vector<float>& values = entries_[o0].values;
    if (operands_.op().type == LEVEE_TYPE_FP32) {
        operands_.data(o0).read(values);
        return;
    }
    std::vector<std::int16_t> codes;
    std::vector<float> factors;
    operands_.data(o0).read(codes);
    values.resize(codes.size());
    if (operands_.scales(o0).read(factors))
        widen(codes, factors, values);
}

/// Unpacks the rows of an entry. The entry's table does not change. If the table has been reset,
/// all values of the rows are zero.
void OperationRun::expand(std::size_t o0)
{
    if (!makes_access(queue_, Direction::Read, operands_.op().packed))
        return;
    Entry& entry = entries_[o0];
    const std::size_t channels = operands_.channels();
    const Tables::Slot* const used = tables_.find(operands_, o0);
    std::optional<Table> reset;
    if (used == nullptr && !queue_.timing_only())
        reset.emplace(channels, settings_of(operands_.op()));
    const std::optional<Table>& table = used != nullptr ? used->table : reset;
    entry.values.resize(queue_.timing_only() ? 0 : entry.records.size() * channels);
    std::vector<std::uint8_t> packed;
    for (std::size_t row = 0; row < entry.records.size(); ++row)
        if (operands_.packed_row(o0, row, entry.records[row].bytes).read(packed))
            need_field(
                table->expand(packed, std::span(entry.values).subspan(row * channels, channels)),
                LEVEE_ERROR_FIELD, offsetof(Op, packed));
}

void OperationRun::open_rows(Operation& operation, std::size_t o0)
{
    if (operands_.rows(o0) == 0)
        return;
    const Direction direction = operands_.compresses() ? Direction::Read : Direction::Write;
    operands_.data(o0).open(operation, direction);
    if (operands_.op().scale != 0)
        operands_.scales(o0).open(operation, direction);
}

/// Opens a stream of packed rows. Rows of different lengths are treated as if all had the mean
/// length.
void OperationRun::open_packed(Operation& operation, std::size_t o0)
{
    if (operands_.rows(o0) == 0)
        return;
    std::uint64_t total = 0;
    for (const levee_cpq_record& record : entries_[o0].records)
        total += record.bytes;
    const View rows = operands_.packed_rows(o0, total / operands_.rows(o0));
    queue_.add_stream(operation, operands_.compresses() ? Direction::Write : Direction::Read,
                      rows.pattern, total, rows.field);
}

/// Packs the values of an entry, which updates its table. In a timing-only run, uses the known
/// records.
void OperationRun::compress(std::size_t o0)
{
    Entry& entry = entries_[o0];
    Tables::Slot& used = tables_.open(operands_, o0, !queue_.timing_only());
    if (!used.table)
        return;
    const std::vector<float> values = std::move(entry.values);
    if (counts_magnitudes_) {
        magnitudes_.resize(std::max(magnitudes_.size(), operands_.table(o0) + 1));
        magnitudes_[operands_.table(o0)].add(values);
    }
    Table& table = *used.table;
    table.set_threshold(operands_.op().threshold);
    if (operands_.opens() && engine_ != nullptr)
        engine_->open(table, values);
    else if (operands_.opens())
        table.open(values);
    compress_rows(table, entry, values);
}

void OperationRun::compress_rows(Table& table, Entry& entry, std::span<const float> values)
{
    const std::size_t channels = operands_.channels();
    Counts counts;
    for (std::size_t channel = 0; channel < channels && operands_.opens(); ++channel)
        counts.opened += table.levels(channel).empty() ? 0 : 1;
    for (std::size_t at = 0; at < values.size(); at += channels, counts = {}) {
        const std::span<const float> one = values.subspan(at, channels);
        const std::vector<std::uint8_t> packed =
            pack(engine_ != nullptr ? engine_->quantise(table, one, counts)
                                    : table.quantise(one, counts),
                 channels, operands_.op().bits);
        entry.packed.insert(entry.packed.end(), packed.begin(), packed.end());
        entry.records.push_back(record_of(counts, packed.size(), table.levels_in_use()));
    }
}

Totals OperationRun::totals() const
{
    Totals totals;
    std::uint64_t opened = 0;
    for (const Entry& entry : entries_) {
        opened += operands_.opens() && !entry.records.empty() ? 1 : 0;
        for (const levee_cpq_record& record : entry.records)
            operands_.compresses()
                ? totals.add_compressed(record, operands_.channels(), operands_.op().bits)
                : totals.add_expanded(record, units_);
    }
    totals.compared = totals.values * (operands_.opens() ? 2 : 1);
    if (operands_.compresses())
        totals.cycles =
            compress_cycles(totals.rows, operands_.channels(), totals.levels, opened, units_);
    return totals;
}

void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t o0 = first; o0 < last; ++o0)
        operands_.compresses() ? write_packed(o0) : write_values(o0);
    if (operands_.compresses())
        replays(queue_) ? queue_.replay(first, last) : queue_.decide(decided(first, last));
}

void OperationRun::write_packed(std::size_t o0)
{
    const Entry& entry = entries_[o0];
    std::size_t at = 0;
    for (std::size_t row = 0; row < entry.records.size(); at += entry.records[row++].bytes)
        operands_.packed_row(o0, row, entry.records[row].bytes).write(entry.packed, at);
}

void OperationRun::write_values(std::size_t o0)
{
    const std::vector<float>& values = entries_[o0].values;
    if (operands_.rows(o0) == 0)
        return;
    if (operands_.op().type == LEVEE_TYPE_FP32) {
        operands_.data(o0).write(values);
        return;
    }
    std::vector<std::int16_t> codes(values.size());
    std::vector<float> factors(codes.size() / operands_.op().vector);
    if (!values.empty())
        narrow(values, codes, factors);
    operands_.data(o0).write(codes);
    operands_.scales(o0).write(factors);
}

/// Returns the records of the rows of entries [first, last).
Decision OperationRun::decided(std::uint32_t first, std::uint32_t last) const
{
    Decision decision;
    for (std::uint32_t o0 = first; o0 < last; ++o0)
        for (std::size_t row = 0; row < entries_[o0].records.size(); ++row) {
            const auto* const bytes =
                reinterpret_cast<const std::uint8_t*>(&entries_[o0].records[row]);
            decision.writes.push_back(
                {operands_.record(o0, row).pattern, {bytes, bytes + sizeof(levee_cpq_record)}, o0});
        }
    return decision;
}

} // namespace levee::cpq
