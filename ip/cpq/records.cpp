// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/records.hpp"

#include <algorithm>
#include <cmath>

namespace levee::cpq {

levee_cpq_record expected_record(const Expected& expected, std::size_t channels, unsigned bits,
                                 unsigned max_levels)
{
    const auto rest = [channels](double share) {
        return static_cast<std::uint32_t>(std::lround((1 - share) * static_cast<double>(channels)));
    };
    levee_cpq_record record{};
    record.non_zeros = rest(expected.zero);
    record.survivors = rest(expected.pruned);
    record.levels = std::min<std::uint32_t>(expected.levels, max_levels);
    record.bytes = static_cast<std::uint32_t>(
        row_bytes(channels, record.non_zeros, bits, label_bits(record.levels)));
    return record;
}

void Totals::add(const Totals& other)
{
    for (std::uint64_t Totals::*const member :
         {&Totals::cycles, &Totals::rows, &Totals::values, &Totals::survivors, &Totals::non_zeros,
          &Totals::levels, &Totals::clamped, &Totals::index_bytes, &Totals::code_bytes,
          &Totals::label_bytes, &Totals::packed_bytes, &Totals::expanded_rows, &Totals::expanded,
          &Totals::expanded_bytes, &Totals::compared})
        this->*member += other.*member;
}

void Totals::add_compressed(const levee_cpq_record& record, std::uint64_t channels, unsigned bits)
{
    const std::uint64_t index = (channels + 7) / 8;
    const std::uint64_t codes = (std::uint64_t{record.non_zeros} * bits + 7) / 8;
    rows += 1;
    values += channels;
    survivors += record.survivors;
    non_zeros += record.non_zeros;
    levels += record.opened;
    clamped += record.clamped;
    index_bytes += index;
    code_bytes += codes;
    label_bytes += record.bytes - 1 - index - codes;
    packed_bytes += record.bytes;
}

void Totals::add_expanded(const levee_cpq_record& record, const Units& units)
{
    cycles += expand_cycles(record.non_zeros, units);
    expanded_rows += 1;
    expanded += record.non_zeros;
    expanded_bytes += record.bytes;
}

} // namespace levee::cpq
