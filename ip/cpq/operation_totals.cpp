// SPDX-License-Identifier: Apache-2.0
// What an operation's rows add up to, by their records.
#include "ip/cpq/operation_run.hpp"

namespace levee::cpq {

void Totals::add(const Totals& other)
{
    for (std::uint64_t Totals::*const member :
         {&Totals::cycles, &Totals::rows, &Totals::values, &Totals::survivors, &Totals::non_zeros,
          &Totals::levels, &Totals::clamped, &Totals::index_bytes, &Totals::code_bytes,
          &Totals::label_bytes, &Totals::packed_bytes, &Totals::expanded_rows, &Totals::expanded,
          &Totals::expanded_bytes, &Totals::compared})
        this->*member += other.*member;
}

void OperationRun::add_row(const levee_cpq_record& record, Totals& totals) const
{
    const std::uint64_t index = (channels() + 7) / 8;
    const std::uint64_t codes = (std::uint64_t{record.non_zeros} * op_.bits + 7) / 8;
    if (!compresses()) {
        totals.cycles += expand_cycles(record.non_zeros, units_);
        totals.expanded_rows += 1;
        totals.expanded += record.non_zeros;
        totals.expanded_bytes += record.bytes;
        return;
    }
    totals.rows += 1;
    totals.values += channels();
    totals.survivors += record.survivors;
    totals.non_zeros += record.non_zeros;
    totals.levels += record.opened;
    totals.clamped += record.clamped;
    totals.index_bytes += index;
    totals.code_bytes += codes;
    totals.label_bytes += record.bytes - 1 - index - codes;
    totals.packed_bytes += record.bytes;
}

Totals OperationRun::totals() const
{
    Totals totals;
    std::uint64_t tables = 0;
    for (const Entry& entry : entries_) {
        tables += opens() && entry.count != 0 ? 1 : 0;
        for (const levee_cpq_record& record : entry.records)
            add_row(record, totals);
    }
    totals.compared = totals.values * (opens() ? 2 : 1);
    if (compresses())
        totals.cycles = compress_cycles(totals.rows, channels(), totals.levels, tables, units_);
    return totals;
}

} // namespace levee::cpq
