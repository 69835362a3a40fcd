// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/operation_run.hpp"

#include "core/abi/element_type.h"
#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <cstring>

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

constexpr std::uint32_t field(std::size_t member)
{
    return operation_field(member);
}

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
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, queue_.operation().data(), sizeof op_);
    check();
    operation.iterations = op_.outer;
    if (opcode_ == LEVEE_CPQ_RESET) {
        operation.commit = [this](std::uint32_t, std::uint32_t) { forget(); };
        return {};
    }
    entries_.assign(op_.outer, Entry{});
    read_counts();
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0)
        compresses() ? check_writes(o0) : read_records(o0);
    if (queue_.timing_only() && compresses())
        find_records();
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        if (queue_.timing_only())
            touch(o0);
        else
            compresses() ? read_values(o0) : expand(o0);
        open_rows(operation, o0);
    }
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) { // all has been checked
        if (compresses())
            compress(o0);
        open_packed(operation, o0);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    return totals();
}

Settings OperationRun::settings() const
{
    return {op_.bits, op_.max_levels, op_.threshold, op_.tolerance};
}

std::uint64_t OperationRun::most_bytes() const
{
    return most_row_bytes(channels(), settings());
}

/// The rows of an entry: [row][vector][element].
AccessPattern OperationRun::data(std::size_t o0) const
{
    const Entry& entry = entries_[o0];
    AccessPattern pattern;
    pattern.address = offset_by(offset_by(op_.data, op_.data_stride[0], o0), op_.data_stride[1],
                                compresses() ? entry.first : 0);
    pattern.run_bytes = bytes_of(op_.vector, op_.type);
    pattern.count = {1, entry.count, op_.vectors};
    pattern.stride = {0, op_.data_stride[1], op_.data_stride[2]};
    return pattern;
}

AccessPattern OperationRun::scales(std::size_t o0) const
{
    const Entry& entry = entries_[o0];
    AccessPattern pattern;
    pattern.address = offset_by(offset_by(op_.scale, op_.scale_stride[0], o0), op_.scale_stride[1],
                                compresses() ? entry.first : 0);
    pattern.run_bytes = sizeof(float);
    pattern.count = {1, entry.count, op_.vectors};
    pattern.stride = {0, op_.scale_stride[1], op_.scale_stride[2]};
    return pattern;
}

/// Number of a packed row.
std::uint32_t OperationRun::number(std::size_t o0, std::size_t row) const
{
    const Entry& entry = entries_[o0];
    return entry.slots.empty() ? entry.first + static_cast<std::uint32_t>(row) : entry.slots[row];
}

AccessPattern OperationRun::packed_row(std::size_t o0, std::size_t row, std::uint64_t bytes) const
{
    AccessPattern pattern;
    pattern.address = offset_by(offset_by(op_.packed, op_.packed_stride[0], o0),
                                op_.packed_stride[1], number(o0, row));
    pattern.run_bytes = bytes;
    return pattern;
}

AccessPattern OperationRun::record(std::size_t o0, std::size_t row) const
{
    AccessPattern pattern;
    pattern.address = offset_by(offset_by(op_.records, op_.records_stride, o0),
                                sizeof(levee_cpq_record), number(o0, row));
    pattern.run_bytes = sizeof(levee_cpq_record);
    return pattern;
}

/// The table of an entry; null: it was reset.
const OperationRun::Slot* OperationRun::slot_in_use(std::size_t o0) const
{
    const std::size_t index = table_of(o0);
    return index < slots_.size() && slots_[index].channels != 0 ? &slots_[index] : nullptr;
}

/// The table of an entry, made anew if it was reset.
OperationRun::Slot& OperationRun::slot(std::size_t o0)
{
    const std::size_t index = table_of(o0);
    if (index >= slots_.size())
        slots_.resize(index + 1);
    Slot& used = slots_[index];
    if (used.channels == 0 || opens())
        used = {channels(), settings(), std::nullopt};
    if (!used.table && !queue_.timing_only())
        used.table.emplace(channels(), settings());
    return used;
}

void OperationRun::forget()
{
    for (std::size_t o0 = 0; o0 < op_.outer; ++o0)
        if (table_of(o0) < slots_.size())
            slots_[table_of(o0)] = {};
}

/// How many rows each entry has, and which they are.
void OperationRun::read_counts()
{
    for (std::size_t o0 = 0; o0 < entries_.size(); ++o0) {
        Entry& entry = entries_[o0];
        entry.count = op_.rows;
        if (op_.lengths != 0) {
            const std::uint32_t length = queue_.read_word(
                offset_by(op_.lengths, op_.lengths_stride, o0), field(offsetof(Op, lengths)));
            need_field(length >= op_.length_less && length - op_.length_less <= op_.rows,
                       LEVEE_ERROR_FIELD, offsetof(Op, lengths));
            entry.count = length - op_.length_less;
        }
        if (op_.slots != 0 && entry.count != 0)
            read_slots(o0);
    }
}

void OperationRun::read_slots(std::size_t o0)
{
    Entry& entry = entries_[o0];
    AccessPattern words;
    words.address = offset_by(op_.slots, op_.slots_stride, o0);
    std::vector<std::uint32_t> read(compresses() ? 1 : entry.count);
    words.run_bytes = read.size() * sizeof(std::uint32_t);
    queue_.read_control(words, read.data(), field(offsetof(Op, slots)));
    if (compresses())
        entry.first = read.front();
    else
        entry.slots = std::move(read);
}

/// Checks the places of all that is written, as large as it may be, before any table changes.
void OperationRun::check_writes(std::size_t o0)
{
    for (std::size_t row = 0; row < entries_[o0].count; ++row) {
        queue_.check_write(packed_row(o0, row, most_bytes()), field(offsetof(Op, packed)));
        queue_.check_write(record(o0, row), field(offsetof(Op, records)));
    }
    if (entries_[o0].count != 0) // one stream will bring them: to one memory
        queue_.check_write(rows_spread(o0, most_bytes()), field(offsetof(Op, packed)));
}

void OperationRun::open_rows(Operation& operation, std::size_t o0)
{
    if (entries_[o0].count == 0)
        return;
    const Direction direction = compresses() ? Direction::Read : Direction::Write;
    const AccessPattern rows = data(o0), factors = scales(o0);
    queue_.add_stream(operation, direction, rows, rows.bytes(), field(offsetof(Op, data)));
    if (op_.scale != 0)
        queue_.add_stream(operation, direction, factors, factors.bytes(),
                          field(offsetof(Op, scale)));
}

/// The places of an entry's packed rows, as a stream of rows of so many bytes.
AccessPattern OperationRun::rows_spread(std::size_t o0, std::uint64_t bytes) const
{
    const Entry& entry = entries_[o0];
    RowSpread rows;
    for (std::size_t row = 0; row < entry.count; ++row)
        rows.add(packed_row(o0, row, 1).address);
    rows.row_bytes = bytes;
    AccessPattern pattern = rows.stream();
    pattern.scattered = !entry.slots.empty();
    return pattern;
}

/// Opens a stream of packed rows. Their lengths differ: it has as many rows of the mean length.
void OperationRun::open_packed(Operation& operation, std::size_t o0)
{
    const Entry& entry = entries_[o0];
    if (entry.count == 0)
        return;
    std::uint64_t total = 0;
    for (const levee_cpq_record& record : entry.records)
        total += record.bytes;
    const AccessPattern pattern = rows_spread(o0, total / entry.count);
    queue_.add_stream(operation, compresses() ? Direction::Write : Direction::Read, pattern, total,
                      field(offsetof(Op, packed)));
}

void OperationRun::read_values(std::size_t o0)
{
    Entry& entry = entries_[o0];
    if (entry.count == 0)
        return;
    const AccessPattern rows = data(o0);
    std::vector<float>& values = entry.values;
    values.resize(std::size_t{entry.count} * channels());
    if (op_.type == LEVEE_TYPE_FP32) {
        queue_.read(rows, values.data(), field(offsetof(Op, data)));
        return;
    }
    std::vector<std::int16_t> codes(values.size());
    std::vector<float> factors(codes.size() / op_.vector);
    queue_.read(rows, codes.data(), field(offsetof(Op, data)));
    queue_.read(scales(o0), factors.data(), field(offsetof(Op, scale)));
    widen(codes, factors, values);
}

/// Packs the values of an entry, which changes its table. A timing-only run has the records
/// already.
void OperationRun::compress(std::size_t o0)
{
    Entry& entry = entries_[o0];
    Slot& used = slot(o0);
    if (queue_.timing_only())
        return;
    const std::vector<float> values = std::move(entry.values);
    if (counts_magnitudes_) {
        magnitudes_.resize(std::max(magnitudes_.size(), table_of(o0) + 1));
        magnitudes_[table_of(o0)].add(values);
    }
    Table& table = *used.table;
    table.set_threshold(op_.threshold);
    if (opens() && engine_ != nullptr)
        engine_->open(table, values);
    else if (opens())
        table.open(values);
    std::uint32_t opened = 0;
    for (std::size_t channel = 0; channel < channels() && opens(); ++channel)
        opened += table.levels(channel).empty() ? 0 : 1;
    for (std::size_t row = 0; row < entry.count; ++row) {
        Counts counts{.opened = row == 0 ? opened : 0};
        const std::span<const float> one = std::span(values).subspan(row * channels(), channels());
        entry.packed.push_back(pack(engine_ != nullptr ? engine_->quantise(table, one, counts)
                                                       : table.quantise(one, counts),
                                    channels(), op_.bits));
        entry.records.push_back(
            record_of(counts, entry.packed.back().size(), table.levels_in_use()));
    }
}

void OperationRun::read_records(std::size_t o0)
{
    Entry& entry = entries_[o0];
    entry.records.resize(entry.count);
    for (std::size_t row = 0; row < entry.count; ++row) {
        levee_cpq_record& found = entry.records[row];
        queue_.read_control(record(o0, row), &found, field(offsetof(Op, records)));
        need_field(found.bytes >= row_bytes(channels(), 0, op_.bits, 0) &&
                       found.bytes <= most_bytes() && found.non_zeros <= channels(),
                   LEVEE_ERROR_FIELD, offsetof(Op, records));
    }
}

/// Unpacks the rows of an entry. No table changes: one that was reset has rows of zeros only.
void OperationRun::expand(std::size_t o0)
{
    Entry& entry = entries_[o0];
    const Slot* const used = slot_in_use(o0);
    std::optional<Table> empty;
    const Table& table = used != nullptr ? *used->table : empty.emplace(channels(), settings());
    entry.values.resize(std::size_t{entry.count} * channels());
    std::vector<std::uint8_t> packed;
    for (std::size_t row = 0; row < entry.count; ++row) {
        packed.resize(entry.records[row].bytes);
        queue_.read(packed_row(o0, row, packed.size()), packed.data(), field(offsetof(Op, packed)));
        need_field(
            table.expand(packed, std::span(entry.values).subspan(row * channels(), channels())),
            LEVEE_ERROR_FIELD, offsetof(Op, packed));
    }
}

void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    if (queue_.timing_only()) {
        commit_timing_only(first, last);
        return;
    }
    Decision decision;
    for (std::uint32_t o0 = first; o0 < last; ++o0)
        compresses() ? commit_compressed(o0, decision) : commit_expanded(o0);
    if (compresses())
        queue_.decide(std::move(decision));
}

void OperationRun::commit_compressed(std::size_t o0, Decision& decision)
{
    const Entry& entry = entries_[o0];
    for (std::size_t row = 0; row < entry.count; ++row) {
        queue_.write(packed_row(o0, row, entry.packed[row].size()), entry.packed[row].data());
        const auto* const bytes =
            reinterpret_cast<const std::uint8_t*>(&entry.records[row]); // as bytes
        decision.writes.push_back({record(o0, row),
                                   {bytes, bytes + sizeof(levee_cpq_record)},
                                   static_cast<std::uint32_t>(o0)});
    }
}

void OperationRun::commit_expanded(std::size_t o0)
{
    const Entry& entry = entries_[o0];
    if (entry.count == 0)
        return;
    if (op_.type == LEVEE_TYPE_FP32) {
        queue_.write(data(o0), entry.values.data());
        return;
    }
    std::vector<std::int16_t> codes(entry.values.size());
    std::vector<float> factors(codes.size() / op_.vector);
    narrow(entry.values, codes, factors);
    queue_.write(data(o0), codes.data());
    queue_.write(scales(o0), factors.data());
}

} // namespace levee::cpq
