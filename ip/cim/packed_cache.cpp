// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/packed_cache.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::cim {

namespace {

constexpr std::size_t kv_kinds = 2; // Keys and values.

/// Returns the byte offset of a row from the first row of layer 0, entry 0 (levee_cim_packed.rows).
std::uint64_t offset_of(const Pass& pass, std::size_t kind, const Stored& stored, std::uint64_t row)
{
    const levee_cim_packed& packed = pass.packed;
    return stored.layer * packed.layer_step[kind] +
           (pass.op.first_entry + stored.entry) * packed.entry_step[kind] +
           row * packed.row_bytes[kind];
}

} // namespace

/// Returns the addresses of rows [first, first + count) of keys or values, which have `bytes` bytes
/// in total. Every row gets the mean length.
AccessPattern PackedCache::rows_at(const Pass& pass, std::size_t kind, const Stored& stored,
                                   std::uint64_t first, std::uint64_t count,
                                   std::uint64_t bytes) const
{
    const levee_cim_packed& packed = pass.packed;
    AccessPattern pattern;
    pattern.address = packed.rows[kind] + offset_of(pass, kind, stored, first);
    pattern.run_bytes = std::max<std::uint64_t>(bytes / std::max<std::uint64_t>(count, 1), 1);
    pattern.count[2] = count;
    pattern.stride[2] = packed.row_bytes[kind];
    return pattern;
}

AccessPattern PackedCache::record_at(const Pass& pass, std::size_t kind, const Stored& stored,
                                     std::size_t row) const
{
    const levee_cim_packed& packed = pass.packed;
    const std::uint64_t offset = offset_of(pass, kind, stored, row);
    return contiguous(packed.records[kind] +
                          offset / packed.row_bytes[kind] * sizeof(levee_cpq_record),
                      sizeof(levee_cpq_record));
}

/// Returns the settings for compressing rows, after checking them. The longest possible row must
/// fit.
cpq::Settings PackedCache::settings_of(const Pass& pass, std::size_t kind, std::uint32_t layer)
{
    AccessPattern word;
    word.address = pass.packed.thresholds + (layer * kv_kinds + kind) * sizeof(float);
    word.run_bytes = sizeof(float);
    float threshold = 0;
    queue_.read_control(word, &threshold, field_packed);
    const levee_cim_packed& packed = pass.packed;
    const cpq::Settings settings{packed.bits[kind], packed.max_levels, threshold, packed.tolerance};
    need_field(cpq::is_valid(settings) &&
                   cpq::most_row_bytes(pass.channels(), settings) <= packed.row_bytes[kind],
               LEVEE_ERROR_FIELD, offsetof(Op, packed));
    return settings;
}

/// Accounts for the bytes of rows [first, first + count). The transfer takes time only if the
/// scenario times off-chip transfers.
void PackedCache::add_rows(const Pass& pass, Direction direction, std::size_t kind, Stored& stored,
                           std::uint64_t first, std::uint64_t count, Operation& operation)
{
    const CompressedRows& rows = cores_.pair_of(pass, stored.layer, stored.entry)[kind];
    const std::uint64_t bytes = rows.bytes_of(first + count) - rows.bytes_of(first);
    stored.moved += bytes;
    if (config_.reading.off_chip_timed)
        queue_.add_stream(operation, direction, rows_at(pass, kind, stored, first, count, bytes),
                          bytes, field_packed);
}

/// Checks that the new rows can be written, even at their greatest length.
void PackedCache::check_write(const Pass& pass, std::size_t kind, const Stored& stored)
{
    queue_.check_write(rows_at(pass, kind, stored, stored.first_row, stored.rows,
                               stored.rows * pass.packed.row_bytes[kind]),
                       field_packed);
}

void PackedCache::fetch(const Pass& pass, Stored& stored, Operation& operation)
{
    const std::uint64_t before = pass.work(stored.entry).before;
    const std::size_t channels = pass.channels();
    CompressedPair& pair = cores_.pair_of(pass, stored.layer, stored.entry);
    std::vector<float> row(channels);
    std::vector<std::uint8_t> bytes;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        CompressedRows& rows = pair[kind];
        const cpq::Settings settings = settings_of(pass, kind, stored.layer);
        need_field(before != 0 && rows.tokens() >= before && rows.is_of(channels, settings),
                   LEVEE_ERROR_FIELD, offsetof(Op, packed));
        for (std::size_t token = 0; token < before; ++token) {
            const View from{queue_, rows_at(pass, kind, stored, token, 1, rows.bytes(token)),
                            field_packed};
            if (!from.read(bytes))
                continue;
            need_field(rows.expand(bytes, row), LEVEE_ERROR_FIELD, offsetof(Op, packed));
            put_row(kind == 0 ? stored.keys : stored.values, pass.model.kv_heads, token, row);
        }
        add_rows(pass, Direction::Read, kind, stored, 0, before, operation);
    }
}

/// Adds the counts for rows compressed since `before`, an earlier copy of rows.counts(), was made.
/// The rows contained `values` values at that time.
void PackedCache::count_rows(const CompressedRows& rows, const cpq::Counts& before,
                             std::uint64_t values)
{
    counts_.values += rows.values() - values;
    counts_.survivors += rows.counts().survivors - before.survivors;
    counts_.non_zeros += rows.counts().non_zeros - before.non_zeros;
    counts_.clamped += rows.counts().clamped - before.clamped;
    counts_.levels = std::max<std::uint64_t>(counts_.levels, rows.levels());
}

void PackedCache::compress_new(const Pass& pass, Stored& stored, Operation& operation)
{
    const Work work = pass.work(stored.entry);
    const std::size_t channels = pass.channels();
    CompressedPair& pair = cores_.pair_of(pass, stored.layer, stored.entry);
    stored.first_row = work.before;
    stored.rows = work.tokens;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        check_write(pass, kind, stored);
        const float threshold = settings_of(pass, kind, stored.layer).threshold;
        const cpq::Counts counts = pair[kind].counts();
        const std::uint64_t values = pair[kind].values();
        pair[kind].truncate(work.before);
        if (queue_.timing_only())
            note_rows(pass, kind, pair[kind], work.tokens);
        const std::vector<float> rows =
            queue_.timing_only() ? std::vector<float>{}
                                 : cim::rows_of(kind == 0 ? stored.keys : stored.values,
                                                pass.model.kv_heads, work.before, work.tokens);
        for (std::size_t at = 0; at < rows.size(); at += channels)
            stored.packed[kind].push_back(
                pair[kind].add(std::span(rows).subspan(at, channels), threshold));
        count_rows(pair[kind], counts, values);
        add_rows(pass, Direction::Write, kind, stored, work.before, work.tokens, operation);
    }
    stored.measured = measured(pair);
}

void PackedCache::compress_prompt(const Pass& pass, CachedVectors& vectors, Stored& stored,
                                  Operation& operation)
{
    const std::uint64_t tokens = pass.lengths[stored.entry];
    CompressedPair& pair = cores_.pair_of(pass, stored.layer, stored.entry);
    stored.rows = tokens;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        vectors.take_prompt(pass, kind, stored, operation);
        check_write(pass, kind, stored);
        const cpq::Settings settings = settings_of(pass, kind, stored.layer);
        const Cached& cached = kind == 0 ? stored.keys : stored.values;
        if (queue_.timing_only()) {
            pair[kind].begin(pass.channels(), settings);
            note_rows(pass, kind, pair[kind], tokens);
        } else {
            stored.packed[kind] = pair[kind].open(
                pass.channels(), settings, cim::rows_of(cached, pass.model.kv_heads, 0, tokens));
        }
        count_rows(pair[kind], {}, 0);
        add_rows(pass, Direction::Write, kind, stored, 0, tokens, operation);
    }
    stored.measured = measured(pair);
}

/// Returns the record of the next row in a timing-only run, from the operation's recording or from
/// statistics.
levee_cpq_record PackedCache::next_record(const Pass& pass, std::size_t kind)
{
    if (queue_.decisions().source != nullptr) {
        levee_cpq_record record{};
        const std::vector<Decision::Write>& writes = queue_.recorded().writes;
        if (next_record_ >= writes.size() || writes[next_record_].bytes.size() != sizeof record)
            throw std::runtime_error(
                std::string(queue_.name()) +
                ": the recorded decisions lack a row; record them again with this scenario");
        std::memcpy(&record, writes[next_record_++].bytes.data(), sizeof record);
        return record;
    }
    return cpq::expected_record(*config_.expected, pass.channels(), pass.packed.bits[kind],
                                pass.packed.max_levels);
}

void PackedCache::note_rows(const Pass& pass, std::size_t kind, CompressedRows& rows,
                            std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        rows.note(next_record(pass, kind));
}

void PackedCache::write(const Pass& pass, const Stored& stored)
{
    const CompressedPair& pair = cores_.pair_of(pass, stored.layer, stored.entry);
    for (std::size_t kind = 0; kind < kv_kinds; ++kind)
        for (std::size_t i = 0; i < stored.rows; ++i) {
            const std::size_t row = stored.first_row + i;
            const View to{queue_, rows_at(pass, kind, stored, row, 1, pair[kind].bytes(row)),
                          field_packed};
            to.write(stored.packed[kind].empty() ? CompressedRows::Packed{}
                                                 : stored.packed[kind][i]);
        }
}

/// Records the rows that an operation has written, for later timing-only runs.
void PackedCache::record(const Pass& pass, std::span<const Stored> all)
{
    if (queue_.timing_only() && queue_.decisions().source != nullptr)
        return queue_.replay(0, 1);
    Decision decision;
    for (const Stored& stored : all)
        for (std::size_t kind = 0; kind < kv_kinds; ++kind)
            for (std::size_t i = 0; i < stored.rows; ++i) {
                const std::size_t row = stored.first_row + i;
                const levee_cpq_record record =
                    cores_.pair_of(pass, stored.layer, stored.entry)[kind].record(row);
                Decision::Write write{record_at(pass, kind, stored, row),
                                      std::vector<std::uint8_t>(sizeof record)};
                std::memcpy(write.bytes.data(), &record, sizeof record);
                decision.writes.push_back(std::move(write));
            }
    queue_.decide(std::move(decision));
}

void PackedCache::commit(const Pass& pass, std::span<const Stored> all)
{
    for (const Stored& stored : all)
        write(pass, stored);
    record(pass, all);
}

} // namespace levee::cim
