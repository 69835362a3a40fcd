// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/compressed.hpp"

#include <algorithm>

namespace levee::cim {

CompressedRows::Packed CompressedRows::compress(std::span<const float> row)
{
    cpq::Counts one;
    Packed packed = table_->compress(row, one);
    note({.bytes = static_cast<std::uint32_t>(packed.size()),
          .non_zeros = one.non_zeros,
          .survivors = one.survivors,
          .opened = one.opened,
          .clamped = one.clamped,
          .levels = table_->levels_in_use()});
    return packed;
}

void CompressedRows::note(const levee_cpq_record& record)
{
    records_.push_back(record);
    counts_ += {record.survivors, record.non_zeros, record.opened, record.clamped};
    values_ += channels_;
    levels_ = record.levels;
}

void CompressedRows::begin(std::size_t channels, const cpq::Settings& settings)
{
    channels_ = channels;
    settings_ = settings;
    levels_ = 0;
    records_.clear();
    counts_ = {};
    values_ = 0;
}

std::vector<CompressedRows::Packed> CompressedRows::open(std::size_t channels,
                                                         const cpq::Settings& settings,
                                                         std::span<const float> rows)
{
    table_.emplace(channels, settings);
    begin(channels, settings);
    table_->open(rows);
    std::vector<Packed> packed;
    for (std::size_t first = 0; first < rows.size(); first += channels)
        packed.push_back(compress(rows.subspan(first, channels)));
    return packed;
}

CompressedRows::Packed CompressedRows::add(std::span<const float> row, float threshold)
{
    table_->set_threshold(threshold);
    return compress(row);
}

bool CompressedRows::is_of(std::size_t channels, const cpq::Settings& settings) const
{
    return channels_ == channels && settings_.bits == settings.bits &&
           settings_.max_levels == settings.max_levels && settings_.tolerance == settings.tolerance;
}

std::uint64_t CompressedRows::bytes_of(std::size_t count) const
{
    std::uint64_t sum = 0;
    for (std::size_t token = 0; token < count; ++token)
        sum += records_[token].bytes;
    return sum;
}

Compression measured(const CompressedPair& pair)
{
    double values = 0, survivors = 0, non_zeros = 0, bits = 0;
    for (const CompressedRows& rows : pair) {
        values += static_cast<double>(rows.values());
        survivors += rows.counts().survivors;
        non_zeros += rows.counts().non_zeros;
        bits += static_cast<double>(rows.counts().non_zeros) * rows.bits();
    }
    Compression compression;
    if (values == 0)
        return compression;
    compression.pruned = 1 - survivors / values;
    compression.zeros = compression.restored = 1 - non_zeros / values;
    compression.bits = non_zeros == 0 ? 0 : bits / non_zeros;
    return compression;
}

std::vector<float> rows_of(const Cached& cached, std::size_t heads, std::size_t first,
                           std::size_t count)
{
    const std::size_t slots = cached.scales.size() / heads;
    const std::size_t d = cached.codes.size() / cached.scales.size();
    std::vector<float> rows(count * heads * d);
    for (std::size_t token = 0; token < count; ++token)
        for (std::size_t head = 0; head < heads; ++head) {
            const std::size_t slot = head * slots + first + token;
            cpq::widen(std::span(cached.codes).subspan(slot * d, d),
                       std::span(cached.scales).subspan(slot, 1),
                       std::span(rows).subspan((token * heads + head) * d, d));
        }
    return rows;
}

void put_row(Cached& cached, std::size_t heads, std::size_t slot, std::span<const float> row)
{
    const std::size_t slots = cached.scales.size() / heads;
    const std::size_t d = cached.codes.size() / cached.scales.size();
    for (std::size_t head = 0; head < heads; ++head) {
        const std::size_t at = head * slots + slot;
        cpq::narrow(row.subspan(head * d, d), std::span(cached.codes).subspan(at * d, d),
                    std::span(cached.scales).subspan(at, 1));
    }
}

} // namespace levee::cim
