// SPDX-License-Identifier: Apache-2.0
// What the queue does: streams and data of the operations.
#include "core/abi/model_image.h"
#include "ip/cim/declaration.hpp"
#include "ip/cim/fields.hpp"
#include "ip/cim/module.hpp"

#include <algorithm>
#include <cstring>

namespace levee::cim {

/// FP32 operands that a core keeps, as it keeps its weights, and which take no more time or energy
/// than these; none at address 0.
void Cim::read_floats(std::uint64_t address, std::uint64_t count, std::vector<float>& to)
{
    if (address == 0)
        return;
    View{queue, contiguous(address, count * sizeof(float)), field_model}.read(to);
}

void Cim::tell_matrix(const Pass& pass, std::uint32_t layer, std::uint32_t which,
                      const levee_cim_layer& record)
{
    const Shape& shape = pass.shape;
    const std::uint32_t query = shape.heads * shape.head_dim;
    const auto key = static_cast<std::uint32_t>(shape.kv_elements());
    const std::uint32_t rows[] = {query + key, shape.dim, shape.feed_forward, shape.dim};
    const std::uint32_t columns[] = {shape.dim, query, shape.dim, shape.inner};
    Matrix& matrix = cores_[layer].parameters.matrices[which];
    matrix.rows = rows[which];
    matrix.columns = matrix.row_bytes = columns[which];
    const std::uint64_t bytes = std::uint64_t{matrix.rows} * matrix.row_bytes;
    matrix.weights = {
        storage_.data() + config_.offset_of(layer, static_cast<levee_cim_matrix>(which)), bytes};
    need(record.scale[which] != 0, offsetof(Op, model));
    read_floats(record.scale[which], matrix.rows, matrix.scales);
    read_floats(record.bias[which], matrix.rows, matrix.biases);
}

/// A core reads what is beside its matrices once, and again only for an operation with another
/// model.
void Cim::tell_core(const Pass& pass, std::uint32_t layer)
{
    Core& core = cores_[layer];
    if (core.model && std::memcmp(&*core.model, &pass.model, sizeof pass.model) == 0)
        return;
    const std::uint64_t address = pass.model.layers + layer * sizeof(levee_cim_layer);
    levee_cim_layer record;
    queue.read_control(contiguous(address, sizeof record), &record, field_model);
    core = Core{};
    for (std::size_t i = 0; i < 2; ++i) {
        need(record.norm_gain[i] != 0, offsetof(Op, model));
        read_floats(record.norm_gain[i], pass.model.dim, core.parameters.norm_gain[i]);
        read_floats(record.norm_bias[i], pass.model.dim, core.parameters.norm_bias[i]);
    }
    for (std::uint32_t which = 0; which < LEVEE_CIM_MATRICES; ++which)
        tell_matrix(pass, layer, which, record);
    if (pass.model.rope_phase != 0)
        View{queue, contiguous(pass.model.rope_phase, pass.model.head_dim / 2 * 4), field_model}
            .read(core.parameters.rope_phase);
    core.model = pass.model;
}

std::vector<float> Cim::take_input(const Pass& pass, std::uint32_t width, Operation& operation)
{
    const std::uint64_t bytes = pass.x_bytes(width);
    if (StreamPorts::is_stream(pass.op.x)) {
        StreamPort* const from = queue.streams().find(pass.op.x);
        need_field(from != nullptr, LEVEE_ERROR_STREAM, offsetof(Op, x));
        Operation& upstream = queue.accept(*from);
        need_field(upstream.streamed() * sizeof(float) == bytes, LEVEE_ERROR_STREAM,
                   offsetof(Op, x));
        return upstream.stream;
    }
    std::vector<float> x;
    const View view{queue, contiguous(pass.op.x, bytes), field_x};
    view.read(x);
    if (config_.reading.off_chip_timed)
        view.open(operation, Direction::Read);
    return x;
}

void Cim::give_output(const Pass& pass, std::uint32_t width, std::vector<float> x,
                      std::vector<Stored> stored, Operation& operation)
{
    overflows_.count(x);
    const std::uint64_t bytes = pass.x_bytes(width);
    const bool streams = StreamPorts::is_stream(pass.op.out);
    const View view{queue, contiguous(pass.op.out, bytes), field_out};
    if (streams) {
        queue.produce(operation, pass.op.out, field_out);
        operation.stream_elements = bytes / sizeof(float);
        operation.stream = x;
    } else if (config_.reading.off_chip_timed) {
        view.open(operation, Direction::Write);
    } else {
        queue.check_write(view.pattern, field_out);
    }
    operation.commit = [this, pass, streams, view, x = std::move(x),
                        stored = std::move(stored)](std::uint32_t, std::uint32_t) {
        if (!streams)
            view.write(x);
        for (const Stored& one : stored)
            write_stored(pass, one);
        if (pass.op.packed != 0)
            settle(pass, stored);
    };
}

/// Slots [first, first + count) of all heads of a layer and entry: vectors, or their scales.
AccessPattern Cim::rows_of(const Pass& pass, std::uint64_t address, bool scales,
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

/// Vectors of all tokens before, into caches with room for the new ones.
void Cim::fetch_cached(const Pass& pass, Stored& stored)
{
    const std::uint64_t before = pass.work(stored.entry).before, heads = pass.model.kv_heads;
    const std::size_t d = pass.model.head_dim;
    const auto fetch = [&](std::uint64_t codes, std::uint64_t scales, std::size_t member,
                           Cached& cached) {
        const std::size_t slots = cached.scales.size() / heads;
        std::vector<std::int16_t> old;
        std::vector<float> factors;
        const auto rows = [&](std::uint64_t address, bool of_scales) {
            return View{queue,
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

/// `x`: empty without payload.
Cim::Stored Cim::run_layer(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                           std::span<float> x, Operation& operation)
{
    const Work work = pass.work(entry);
    const std::uint64_t vectors = (work.before + work.tokens) * pass.model.kv_heads;
    Stored stored{.layer = layer, .entry = entry};
    for (Cached* const cached : {&stored.keys, &stored.values}) {
        cached->codes.resize(x.empty() ? 0 : vectors * pass.model.head_dim);
        cached->scales.resize(x.empty() ? 0 : vectors);
    }
    if (pass.op.packed != 0)
        fetch_packed(pass, stored, operation);
    else
        fetch_cached(pass, stored);
    if (!x.empty())
        DecoderLayer(pass.model, cores_[layer].parameters, config_.input_bytes, macro_.get())
            .run(x, work.before, stored.keys, stored.values);
    if (pass.op.packed != 0)
        compress_new(pass, stored, operation);
    return stored;
}

void Cim::write_stored(const Pass& pass, const Stored& stored)
{
    if (pass.op.packed != 0)
        return write_packed(pass, stored);
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
            return View{queue,
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

/// Packed rows of one layer and entry, as somebody has measured them: those before are read, the
/// new ones written, a share of them keys.
void Cim::move_compressed(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                          Operation& operation)
{
    const Op& op = pass.op;
    const Work work = pass.work(entry);
    const std::uint32_t levels = config_.statistics->levels_of(work.before + work.tokens);
    const std::uint64_t row = kv_bytes(pass.shape, *compression(), config_.reading, levels).moved();
    const std::uint64_t key = row / 2;
    const auto add = [&](Direction direction, std::uint64_t address, std::uint64_t first,
                         std::uint64_t count, std::uint64_t one, std::size_t member) {
        const std::uint64_t begin =
            address + (layer - op.layer) * op.kv_layer + entry * op.kv_entry + first * one;
        if (count * one != 0)
            queue.add_stream(operation, direction, contiguous(begin, count * one), count * one,
                             operation_field(member));
    };
    add(Direction::Read, op.keys, 0, work.before, key, offsetof(Op, keys));
    add(Direction::Read, op.values, 0, work.before, row - key, offsetof(Op, values));
    add(Direction::Write, op.keys, work.before, work.tokens, key, offsetof(Op, keys));
    add(Direction::Write, op.values, work.before, work.tokens, row - key, offsetof(Op, values));
}

/// Streams of keys and values.
void Cim::move_cached(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    if (op.packed != 0) // row by row, as they come
        return;
    const auto add = [&](Direction direction, std::uint64_t address, bool scales,
                         std::uint32_t layer, std::uint32_t entry, std::size_t member) {
        const Work work = pass.work(entry);
        const bool reads = direction == Direction::Read;
        if (reads && work.before == 0)
            return;
        const AccessPattern pattern =
            reads ? rows_of(pass, address, scales, layer, entry, 0, work.before)
                  : rows_of(pass, address, scales, layer, entry, work.before, work.tokens);
        if (config_.reading.off_chip_timed)
            queue.add_stream(operation, direction, pattern, pattern.bytes(),
                             operation_field(member));
        else if (!reads)
            queue.check_write(pattern, operation_field(member));
    };
    for (std::uint32_t layer = op.layer; layer < op.layer + op.layers; ++layer)
        for (std::uint32_t entry = 0; entry < op.entries; ++entry) {
            if (config_.statistics) {
                if (config_.reading.off_chip_timed)
                    move_compressed(pass, layer, entry, operation);
                continue;
            }
            for (const Direction direction : {Direction::Read, Direction::Write}) {
                add(direction, op.keys, false, layer, entry, offsetof(Op, keys));
                add(direction, op.values, false, layer, entry, offsetof(Op, values));
                add(direction, op.key_scales, true, layer, entry, offsetof(Op, key_scales));
                add(direction, op.value_scales, true, layer, entry, offsetof(Op, value_scales));
            }
        }
}

void Cim::run_layers(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    std::vector<float> x = take_input(pass, pass.model.dim, operation);
    std::vector<Stored> stored;
    move_cached(pass, operation);
    for (std::uint32_t layer = op.layer; layer < op.layer + op.layers; ++layer) {
        tell_core(pass, layer);
        for (std::uint32_t entry = 0; entry < op.entries; ++entry) {
            if (config_.statistics) // sizes alone
                continue;
            const std::size_t width = x.empty() ? 0 : std::size_t{op.rows} * pass.model.dim;
            const auto rows = std::span(x).subspan(entry * width, width);
            stored.push_back(run_layer(pass, layer, entry, rows, operation));
            for (std::size_t row = 0; row < rows.size(); row += pass.model.dim)
                overflows_.count_norm(rows.subspan(row, pass.model.dim));
        }
    }
    account(pass, stored, operation);
    give_output(pass, pass.model.dim, std::move(x), std::move(stored), operation);
}

void Cim::run_linear(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    tell_core(pass, op.layer);
    const Parameters& parameters = cores_[op.layer].parameters;
    const Matrix& matrix = parameters.matrices[op.matrix];
    std::vector<float> x = take_input(pass, matrix.columns, operation);
    if (!x.empty())
        x = DecoderLayer(pass.model, parameters, config_.input_bytes, macro_.get())
                .linear(x, static_cast<levee_cim_matrix>(op.matrix));
    const Units& units = config_.units;
    const auto macros = static_cast<double>(units.macros(matrix.columns, matrix.rows));
    Activity activity;
    activity.macros = macros * op.rows * units.macro_cycles;
    activity.accumulators = static_cast<double>(matrix.rows) * op.rows * units.accumulator_cycles;
    activity.macs = std::uint64_t{op.rows} * matrix.rows * matrix.columns;
    macs_ += activity.macs;
    add_work(activity, 0, operation);
    operation.job.activity.minimum +=
        time_of(static_cast<double>(op.rows) * (units.macro_cycles + 1));
    give_output(pass, matrix.rows, std::move(x), {}, operation);
}

void Cim::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode < LEVEE_CIM_LAYER || descriptor.opcode > LEVEE_CIM_COMPRESS)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const Pass pass = read_pass(descriptor.opcode);
    next_record_ = 0;
    if (descriptor.opcode == LEVEE_CIM_LAYER)
        run_layers(pass, operation);
    else if (descriptor.opcode == LEVEE_CIM_COMPRESS)
        run_compress(pass, operation);
    else
        run_linear(pass, operation);
}

} // namespace levee::cim
