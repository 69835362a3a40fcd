// SPDX-License-Identifier: Apache-2.0
// Packed rows of keys and values: from memory and to memory, and a prompt's that opens the levels.
#include "ip/cim/fields.hpp"
#include "ip/cim/module.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::cim {

namespace {

constexpr std::size_t kv_kinds = 2; // keys, values

} // namespace

/// Rows [first, first + count) of keys or values, together `bytes` long: they pass as rows of the
/// mean length.
AccessPattern Cim::packed_rows(const Pass& pass, std::size_t kind, std::uint32_t layer,
                               std::uint32_t entry, std::uint64_t first, std::uint64_t count,
                               std::uint64_t bytes) const
{
    const levee_cim_packed& packed = pass.packed;
    AccessPattern pattern;
    pattern.address = packed.rows[kind] + layer * packed.layer_step[kind] +
                      (pass.op.first_entry + entry) * packed.entry_step[kind] +
                      first * packed.row_bytes[kind];
    pattern.run_bytes = std::max<std::uint64_t>(bytes / std::max<std::uint64_t>(count, 1), 1);
    pattern.count[2] = count;
    pattern.stride[2] = packed.row_bytes[kind];
    return pattern;
}

/// How rows are pruned and quantised, checked: with room for the longest of them.
cpq::Settings Cim::settings_of(const Pass& pass, std::size_t kind, std::uint32_t layer)
{
    AccessPattern word;
    word.address = pass.packed.thresholds + (layer * kv_kinds + kind) * sizeof(float);
    word.run_bytes = sizeof(float);
    float threshold = 0;
    queue.read_control(word, &threshold, field_packed);
    const levee_cim_packed& packed = pass.packed;
    const cpq::Settings settings{packed.bits[kind], packed.max_levels, threshold, packed.tolerance};
    const std::size_t channels = std::size_t{pass.model.kv_heads} * pass.model.head_dim;
    need_field(cpq::is_valid(settings) &&
                   cpq::most_row_bytes(channels, settings) <= packed.row_bytes[kind],
               LEVEE_ERROR_FIELD, offsetof(Op, packed));
    return settings;
}

/// All tokens before, expanded: of the shape and the settings that COMPRESS had.
void Cim::fetch_packed(const Pass& pass, Stored& stored, Operation& operation)
{
    const std::uint64_t before = pass.work(stored.entry).before;
    const std::size_t channels = std::size_t{pass.model.kv_heads} * pass.model.head_dim;
    CompressedPair& pair = pair_of(pass, stored.layer, stored.entry);
    std::vector<float> row(channels);
    std::vector<std::uint8_t> bytes;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        CompressedRows& rows = pair[kind];
        const cpq::Settings settings = settings_of(pass, kind, stored.layer);
        need_field(before != 0 && rows.tokens() >= before && rows.is_of(channels, settings),
                   LEVEE_ERROR_FIELD, offsetof(Op, packed));
        for (std::size_t token = 0; token < before; ++token) {
            const View from{
                queue,
                packed_rows(pass, kind, stored.layer, stored.entry, token, 1, rows.bytes(token)),
                field_packed};
            if (!from.read(bytes))
                continue;
            need_field(rows.expand(bytes, row), LEVEE_ERROR_FIELD, offsetof(Op, packed));
            put_row(kind == 0 ? stored.keys : stored.values, pass.model.kv_heads, token, row);
        }
        const std::uint64_t all = rows.bytes_of(before);
        stored.moved += all;
        if (config_.reading.off_chip_timed)
            queue.add_stream(operation, Direction::Read,
                             packed_rows(pass, kind, stored.layer, stored.entry, 0, before, all),
                             all, field_packed);
    }
}

/// Counts what rows have become of since there were so many `values`.
void Cim::count_compressed(const CompressedRows& rows, const cpq::Counts& before,
                           std::uint64_t values)
{
    compressed_.values += rows.values() - values;
    compressed_.survivors += rows.counts().survivors - before.survivors;
    compressed_.non_zeros += rows.counts().non_zeros - before.non_zeros;
    compressed_.clamped += rows.counts().clamped - before.clamped;
    compressed_.levels = std::max<std::uint64_t>(compressed_.levels, rows.levels());
}

/// The new tokens' keys and values, pruned and quantised.
void Cim::compress_new(const Pass& pass, Stored& stored, Operation& operation)
{
    const Work work = pass.work(stored.entry);
    const std::size_t channels = std::size_t{pass.model.kv_heads} * pass.model.head_dim;
    CompressedPair& pair = pair_of(pass, stored.layer, stored.entry);
    stored.first_row = work.before;
    stored.rows = work.tokens;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        queue.check_write(packed_rows(pass, kind, stored.layer, stored.entry, work.before,
                                      work.tokens, work.tokens * pass.packed.row_bytes[kind]),
                          field_packed);
        const float threshold = settings_of(pass, kind, stored.layer).threshold;
        const cpq::Counts counts = pair[kind].counts();
        const std::uint64_t values = pair[kind].values();
        pair[kind].truncate(work.before);
        if (queue.timing_only())
            note_rows(pass, kind, pair[kind], work.tokens);
        const std::vector<float> rows =
            queue.timing_only() ? std::vector<float>{}
                                : cim::rows_of(kind == 0 ? stored.keys : stored.values,
                                               pass.model.kv_heads, work.before, work.tokens);
        for (std::size_t at = 0; at < rows.size(); at += channels)
            stored.packed[kind].push_back(
                pair[kind].add(std::span(rows).subspan(at, channels), threshold));
        count_compressed(pair[kind], counts, values);
        const std::uint64_t all =
            pair[kind].bytes_of(work.before + work.tokens) - pair[kind].bytes_of(work.before);
        stored.moved += all;
        if (config_.reading.off_chip_timed)
            queue.add_stream(
                operation, Direction::Write,
                packed_rows(pass, kind, stored.layer, stored.entry, work.before, work.tokens, all),
                all, field_packed);
    }
    stored.measured = measured(pair);
}

void Cim::write_packed(const Pass& pass, const Stored& stored)
{
    const CompressedPair& pair = pair_of(pass, stored.layer, stored.entry);
    for (std::size_t kind = 0; kind < kv_kinds; ++kind)
        for (std::size_t i = 0; i < stored.rows; ++i) {
            const std::size_t row = stored.first_row + i;
            const View to{
                queue,
                packed_rows(pass, kind, stored.layer, stored.entry, row, 1, pair[kind].bytes(row)),
                field_packed};
            to.write(stored.packed[kind].empty() ? CompressedRows::Packed{}
                                                 : stored.packed[kind][i]);
        }
}

AccessPattern Cim::record_place(const Pass& pass, std::size_t kind, std::uint32_t layer,
                                std::uint32_t entry, std::size_t row) const
{
    const levee_cim_packed& packed = pass.packed;
    const std::uint64_t offset = layer * packed.layer_step[kind] +
                                 (pass.op.first_entry + entry) * packed.entry_step[kind] +
                                 row * packed.row_bytes[kind];
    return contiguous(packed.records[kind] +
                          offset / packed.row_bytes[kind] * sizeof(levee_cpq_record),
                      sizeof(levee_cpq_record));
}

/// What a row becomes in a timing-only run: as recorded, in the order of the operation's rows, or
/// as expected.
levee_cpq_record Cim::next_record(const Pass& pass, std::size_t kind)
{
    if (queue.decisions().source != nullptr) {
        levee_cpq_record record{};
        const std::vector<Decision::Write>& writes = queue.recorded().writes;
        if (next_record_ >= writes.size() || writes[next_record_].bytes.size() != sizeof record)
            throw std::runtime_error(std::string(queue.name()) +
                                     ": the recorded decision has no record of a row");
        std::memcpy(&record, writes[next_record_++].bytes.data(), sizeof record);
        return record;
    }
    return cpq::expected_record(*config_.expected,
                                std::size_t{pass.model.kv_heads} * pass.model.head_dim,
                                pass.packed.bits[kind], pass.packed.max_levels);
}

void Cim::note_rows(const Pass& pass, std::size_t kind, CompressedRows& rows, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        rows.note(next_record(pass, kind));
}

/// Records of the rows that an operation has written, for runs without data.
void Cim::settle(const Pass& pass, const std::vector<Stored>& all)
{
    if (queue.timing_only() && queue.decisions().source != nullptr)
        return queue.replay(0, 1);
    Decision decision;
    for (const Stored& stored : all)
        for (std::size_t kind = 0; kind < kv_kinds; ++kind)
            for (std::size_t i = 0; i < stored.rows; ++i) {
                const std::size_t row = stored.first_row + i;
                const levee_cpq_record record =
                    pair_of(pass, stored.layer, stored.entry)[kind].record(row);
                Decision::Write write{record_place(pass, kind, stored.layer, stored.entry, row),
                                      std::vector<std::uint8_t>(sizeof record)};
                std::memcpy(write.bytes.data(), &record, sizeof record);
                decision.writes.push_back(std::move(write));
            }
    queue.decide(std::move(decision));
}

/// A prompt's keys or values, as vectors.
void Cim::take_vectors(const Pass& pass, std::size_t kind, Stored& stored, Operation& operation)
{
    const bool keys = kind == 0;
    const std::uint64_t tokens = pass.lengths[stored.entry];
    const std::uint32_t field = operation_field(keys ? offsetof(Op, keys) : offsetof(Op, values));
    const auto place = [&](std::uint64_t address, bool of_scales) {
        return View{queue, rows_of(pass, address, of_scales, stored.layer, stored.entry, 0, tokens),
                    field};
    };
    const View codes = place(keys ? pass.op.keys : pass.op.values, false);
    const View scales = place(keys ? pass.op.key_scales : pass.op.value_scales, true);
    Cached& cached = keys ? stored.keys : stored.values;
    codes.read(cached.codes);
    scales.read(cached.scales);
    if (!config_.reading.off_chip_timed)
        return;
    codes.open(operation, Direction::Read);
    scales.open(operation, Direction::Read);
}

/// A prompt's vectors of an entry become packed rows.
void Cim::compress_prompt(const Pass& pass, Stored& stored, Operation& operation)
{
    const std::uint64_t tokens = pass.lengths[stored.entry];
    const std::size_t heads = pass.model.kv_heads, channels = heads * pass.model.head_dim;
    const levee_cim_packed& packed = pass.packed;
    CompressedPair& pair = pair_of(pass, stored.layer, stored.entry);
    stored.rows = tokens;
    for (std::size_t kind = 0; kind < kv_kinds; ++kind) {
        take_vectors(pass, kind, stored, operation);
        queue.check_write(packed_rows(pass, kind, stored.layer, stored.entry, 0, tokens,
                                      tokens * packed.row_bytes[kind]),
                          field_packed);
        const cpq::Settings settings = settings_of(pass, kind, stored.layer);
        const Cached& cached = kind == 0 ? stored.keys : stored.values;
        if (queue.timing_only()) {
            pair[kind].begin(channels, settings);
            note_rows(pass, kind, pair[kind], tokens);
        } else {
            stored.packed[kind] =
                pair[kind].open(channels, settings, cim::rows_of(cached, heads, 0, tokens));
        }
        count_compressed(pair[kind], {}, 0);
        const std::uint64_t all = pair[kind].bytes_of(tokens);
        stored.moved += all;
        if (config_.reading.off_chip_timed)
            queue.add_stream(operation, Direction::Write,
                             packed_rows(pass, kind, stored.layer, stored.entry, 0, tokens, all),
                             all, field_packed);
    }
    stored.measured = measured(pair);
}

/// Its rows pass the pruning and the quantisation units, which work side by side, and the buffers;
/// level 0 and those that the prompt itself opens are written to the scale buffer.
void Cim::account_prompt(const Pass& pass, const Stored& stored, Operation& operation)
{
    const Work work{pass.lengths[stored.entry], 0};
    const Timing timing(config_.units, pass.shape, &stored.measured, config_.reading);
    const CompressedPair& pair = pair_of(pass, stored.layer, stored.entry);
    LayerWork one{work, std::max({1u, pair[0].levels(), pair[1].levels()}), 0, 0, false};
    cores_[stored.layer].levels[pass.op.first_entry + stored.entry] = one.levels;
    Activity activity =
        Accounts(config_.units, pass.shape, &stored.measured, config_.reading, config_.input_bytes)
            .packing(one);
    activity.kv_bytes = stored.moved;
    add_work(activity, config_.reading.off_chip_timed ? 0 : stored.moved, operation);
    kv_bytes_ += stored.moved;
    const ByKind<std::uint64_t> n = timing.operations(work), each = timing.cycles();
    const auto cycles = [&](Kind kind) { return n[at(kind)] * (each[at(kind)] + 1); };
    operation.job.activity.minimum +=
        time_of(static_cast<double>(std::max(cycles(Kind::Prune), cycles(Kind::Quantise))));
}

void Cim::run_compress(const Pass& pass, Operation& operation)
{
    std::vector<Stored> all;
    for (std::uint32_t entry = 0; entry < pass.op.entries; ++entry) {
        Stored stored{.layer = pass.op.layer, .entry = entry};
        compress_prompt(pass, stored, operation);
        account_prompt(pass, stored, operation);
        all.push_back(std::move(stored));
    }
    operation.commit = [this, pass, stored = std::move(all)](std::uint32_t, std::uint32_t) {
        for (const Stored& one : stored)
            write_packed(pass, one);
        settle(pass, stored);
    };
}

} // namespace levee::cim
