// SPDX-License-Identifier: Apache-2.0
// Operations of timing-only runs: the same checks, streams, accesses and time, but no values.
// Records of compressed rows are replayed from a recording, or as expected; records in memory are
// real.
#include "ip/cpq/operation_run.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::cpq {

namespace {

using Op = levee_cpq_operation;

} // namespace

/// COMPRESS: the records that its rows will have.
void OperationRun::find_records()
{
    if (queue_.decisions().statistics != nullptr) {
        expect_records();
        return;
    }
    const Decision& decision = queue_.recorded();
    std::size_t next = 0;
    for (Entry& entry : entries_)
        for (std::uint32_t row = 0; row < entry.count; ++row) {
            if (next == decision.writes.size() ||
                decision.writes[next].bytes.size() != sizeof(levee_cpq_record))
                throw std::runtime_error(std::string(queue_.name()) +
                                         ": the recorded decision has no record of a row");
            std::memcpy(&entry.records.emplace_back(), decision.writes[next++].bytes.data(),
                        sizeof(levee_cpq_record));
        }
}

/// Rows from statistics: all are alike, and no level is added after the prompt's.
void OperationRun::expect_records()
{
    if (!expected_)
        throw std::runtime_error(
            std::string(queue_.name()) +
            ": a timing-only run from statistics; expected the block's 'expected' "
            "(pruned, zero, levels) in the scenario");
    const auto rest = [this](double share) {
        return static_cast<std::uint32_t>(std::lround((1 - share) * channels()));
    };
    levee_cpq_record record{.bytes = 0,
                            .non_zeros = rest(expected_->zero),
                            .survivors = rest(expected_->pruned),
                            .opened = 0,
                            .clamped = 0,
                            .levels = std::min<std::uint32_t>(expected_->levels, op_.max_levels)};
    record.bytes = static_cast<std::uint32_t>(
        row_bytes(channels(), record.non_zeros, op_.bits, label_bits(record.levels)));
    for (Entry& entry : entries_) {
        entry.records.assign(entry.count, record);
        if (opens() && entry.count != 0)
            entry.records.front().opened = channels();
    }
}

/// Timing-only: accounts for the reads that read_values and expand make.
void OperationRun::touch(std::size_t o0)
{
    Entry& entry = entries_[o0];
    if (!compresses()) {
        for (std::size_t row = 0; row < entry.count && queue_.tracks(op_.packed); ++row)
            queue_.read(packed_row(o0, row, entry.records[row].bytes), nullptr,
                        operation_field(offsetof(Op, packed)));
        return;
    }
    if (entry.count == 0)
        return;
    queue_.read(data(o0), nullptr, operation_field(offsetof(Op, data)));
    if (op_.scale != 0)
        queue_.read(scales(o0), nullptr, operation_field(offsetof(Op, scale)));
}

void OperationRun::commit_timing_only(std::uint32_t first, std::uint32_t last)
{
    const bool recorded = queue_.decisions().statistics == nullptr;
    for (std::uint32_t o0 = first; o0 < last; ++o0) {
        const Entry& entry = entries_[o0];
        for (std::size_t row = 0; row < entry.count && compresses(); ++row) {
            queue_.write(packed_row(o0, row, entry.records[row].bytes), nullptr);
            if (!recorded)
                queue_.write_control(record(o0, row), &entry.records[row]);
        }
        if (compresses() || entry.count == 0)
            continue;
        queue_.write(data(o0), nullptr);
        if (op_.scale != 0)
            queue_.write(scales(o0), nullptr);
    }
    if (compresses() && recorded)
        queue_.replay(first, last);
}

} // namespace levee::cpq
