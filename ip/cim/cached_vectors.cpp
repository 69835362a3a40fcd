// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/cached_vectors.hpp"

#include <algorithm>

namespace levee::cim {

/// Returns the addresses of slots [first, first + count) in all heads of a layer and entry: those
/// of the vectors or, with `scales`, those of their scales.
AccessPattern CachedVectors::rows_of(const Pass& pass, std::uint64_t address, bool scales,
                                     std::uint32_t layer, std::uint32_t entry, std::uint64_t first,
                                     std::uint64_t count) const
{
    const Op& op = pass.op;
    const std::uint64_t one = scales ? sizeof(float) : std::uint64_t{2} * pass.model.head_dim;
    const std::uint64_t of_layer = scales ? op.scale_layer : op.kv_layer;
    const std::uint64_t of_entry = scales ? op.scale_entry : op.kv_entry;
    AccessPattern pattern = contiguous(
        address + (layer - op.layer) * of_layer + entry * of_entry + first * one, count * one);
    pattern.count[2] = pass.model.kv_heads;
    pattern.stride[2] = static_cast<std::int64_t>(scales ? op.scale_head : op.kv_head);
    return pattern;
}

void CachedVectors::open(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    if (op.packed != 0) // Rows are transferred one at a time.
        return;
    for (std::uint32_t layer = op.layer; layer < op.layer + op.layers; ++layer)
        for (std::uint32_t entry = 0; entry < op.entries; ++entry) {
            if (!config_.statistics) {
                open_one(pass, Direction::Read, layer, entry, operation);
                open_one(pass, Direction::Write, layer, entry, operation);
            } else if (config_.reading.off_chip_timed) {
                open_measured(pass, layer, entry, operation);
            }
        }
}

void CachedVectors::open_one(const Pass& pass, Direction direction, std::uint32_t layer,
                             std::uint32_t entry, Operation& operation)
{
    const Op& op = pass.op;
    const Work work = pass.work(entry);
    const bool reads = direction == Direction::Read;
    if (reads && work.before == 0)
        return;
    const auto add = [&](std::uint64_t address, bool scales, std::size_t member) {
        const AccessPattern pattern =
            reads ? rows_of(pass, address, scales, layer, entry, 0, work.before)
                  : rows_of(pass, address, scales, layer, entry, work.before, work.tokens);
        if (config_.reading.off_chip_timed)
            queue_.add_stream(operation, direction, pattern, pattern.bytes(),
                              operation_field(member));
        else if (!reads)
            queue_.check_write(pattern, operation_field(member));
    };
    add(op.keys, false, offsetof(Op, keys));
    add(op.values, false, offsetof(Op, values));
    add(op.key_scales, true, offsetof(Op, key_scales));
    add(op.value_scales, true, offsetof(Op, value_scales));
}

/// Opens streams for one layer and entry in a run from measured statistics. Earlier rows are read
/// and new rows are written. Half of the bytes are keys.
void CachedVectors::open_measured(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                                  Operation& operation)
{
    const Op& op = pass.op;
    const Work work = pass.work(entry);
    const std::uint32_t levels = config_.statistics->levels_of(work.before + work.tokens);
    const std::uint64_t row =
        kv_bytes(pass.shape, *config_.compression(), config_.reading, levels).moved();
    const std::uint64_t key = row / 2;
    const auto add = [&](Direction direction, std::uint64_t address, std::uint64_t first,
                         std::uint64_t count, std::uint64_t one, std::size_t member) {
        const std::uint64_t begin =
            address + (layer - op.layer) * op.kv_layer + entry * op.kv_entry + first * one;
        if (count * one != 0)
            queue_.add_stream(operation, direction, contiguous(begin, count * one), count * one,
                              operation_field(member));
    };
    add(Direction::Read, op.keys, 0, work.before, key, offsetof(Op, keys));
    add(Direction::Read, op.values, 0, work.before, row - key, offsetof(Op, values));
    add(Direction::Write, op.keys, work.before, work.tokens, key, offsetof(Op, keys));
    add(Direction::Write, op.values, work.before, work.tokens, row - key, offsetof(Op, values));
}

void CachedVectors::fetch(const Pass& pass, Stored& stored)
{
    const std::uint64_t before = pass.work(stored.entry).before, heads = pass.model.kv_heads;
    const std::size_t d = pass.model.head_dim;
    const auto fetch = [&](std::uint64_t codes, std::uint64_t scales, std::size_t member,
                           Cached& cached) {
        const std::size_t slots = cached.scales.size() / heads;
        std::vector<std::int16_t> old;
        std::vector<float> factors;
        const auto rows = [&](std::uint64_t address, bool of_scales) {
            return View{queue_,
                        rows_of(pass, address, of_scales, stored.layer, stored.entry, 0, before),
                        operation_field(member)};
        };
        rows(codes, false).read(old);
        rows(scales, true).read(factors);
        for (std::size_t head = 0; head < heads && !old.empty(); ++head) {
            std::copy_n(old.data() + head * before * d, before * d,
                        cached.codes.data() + head * slots * d);
            std::copy_n(factors.data() + head * before, before,
                        cached.scales.data() + head * slots);
        }
    };
    if (before == 0)
        return;
    fetch(pass.op.keys, pass.op.key_scales, offsetof(Op, keys), stored.keys);
    fetch(pass.op.values, pass.op.value_scales, offsetof(Op, values), stored.values);
}

void CachedVectors::write(const Pass& pass, const Stored& stored)
{
    const Work work = pass.work(stored.entry);
    const std::size_t d = pass.model.head_dim, heads = pass.model.kv_heads;
    const std::uint64_t slots = work.before + work.tokens;
    const auto put = [&](std::uint64_t codes, std::uint64_t scales, const Cached& cached) {
        std::vector<std::int16_t> rows;
        std::vector<float> factors;
        for (std::size_t head = 0; head < heads && !cached.codes.empty(); ++head) {
            const std::size_t first = head * slots + work.before, last = head * slots + slots;
            rows.insert(rows.end(), cached.codes.data() + first * d,
                        cached.codes.data() + last * d);
            factors.insert(factors.end(), cached.scales.data() + first,
                           cached.scales.data() + last);
        }
        const auto place = [&](std::uint64_t address, bool of_scales, std::size_t member) {
            return View{queue_,
                        rows_of(pass, address, of_scales, stored.layer, stored.entry, work.before,
                                work.tokens),
                        operation_field(member)};
        };
        place(codes, false, offsetof(Op, keys)).write(rows);
        place(scales, true, offsetof(Op, key_scales)).write(factors);
    };
    put(pass.op.keys, pass.op.key_scales, stored.keys);
    put(pass.op.values, pass.op.value_scales, stored.values);
}

void CachedVectors::take_prompt(const Pass& pass, std::size_t kind, Stored& stored,
                                Operation& operation)
{
    const bool keys = kind == 0;
    const std::uint64_t tokens = pass.lengths[stored.entry];
    const std::uint32_t field = operation_field(keys ? offsetof(Op, keys) : offsetof(Op, values));
    const auto place = [&](std::uint64_t address, bool of_scales) {
        return View{queue_,
                    rows_of(pass, address, of_scales, stored.layer, stored.entry, 0, tokens),
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

} // namespace levee::cim
