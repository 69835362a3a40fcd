// SPDX-License-Identifier: Apache-2.0
#include "core/command/view.hpp"
#include "ip/cim/module.hpp"

#include <utility>

namespace levee::cim {

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
        if (pass.op.packed != 0)
            return packed_.commit(pass, stored);
        for (const Stored& one : stored)
            cached_.write(pass, one);
    };
}

/// `x` is empty in timing-only runs.
Stored Cim::run_layer(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
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
        packed_.fetch(pass, stored, operation);
    else
        cached_.fetch(pass, stored);
    if (!x.empty())
        DecoderLayer(pass.model, cores_[layer].parameters, config_.input_bytes, macro_.get())
            .run(x, work.before, stored.keys, stored.values);
    if (pass.op.packed != 0)
        packed_.compress_new(pass, stored, operation);
    return stored;
}

void Cim::run_layers(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    std::vector<float> x = take_input(pass, pass.model.dim, operation);
    std::vector<Stored> stored;
    cached_.open(pass, operation);
    for (std::uint32_t layer = op.layer; layer < op.layer + op.layers; ++layer) {
        cores_.tell(pass, layer);
        for (std::uint32_t entry = 0; entry < op.entries; ++entry) {
            if (config_.statistics) // Statistics give only the sizes of the rows.
                continue;
            const std::size_t width = x.empty() ? 0 : std::size_t{op.rows} * pass.model.dim;
            const auto rows = std::span(x).subspan(entry * width, width);
            stored.push_back(run_layer(pass, layer, entry, rows, operation));
            for (std::size_t row = 0; row < rows.size(); row += pass.model.dim)
                overflows_.count_norm(rows.subspan(row, pass.model.dim));
        }
    }
    books_.account(pass, stored, operation);
    give_output(pass, pass.model.dim, std::move(x), std::move(stored), operation);
}

void Cim::run_linear(const Pass& pass, Operation& operation)
{
    const Op& op = pass.op;
    cores_.tell(pass, op.layer);
    const Parameters& parameters = cores_[op.layer].parameters;
    const Matrix& matrix = parameters.matrices[op.matrix];
    std::vector<float> x = take_input(pass, matrix.columns, operation);
    if (!x.empty())
        x = DecoderLayer(pass.model, parameters, config_.input_bytes, macro_.get())
                .linear(x, static_cast<levee_cim_matrix>(op.matrix));
    books_.account_linear(pass, matrix, operation);
    give_output(pass, matrix.rows, std::move(x), {}, operation);
}

void Cim::run_compress(const Pass& pass, Operation& operation)
{
    std::vector<Stored> all;
    for (std::uint32_t entry = 0; entry < pass.op.entries; ++entry) {
        Stored stored{.layer = pass.op.layer, .entry = entry};
        packed_.compress_prompt(pass, cached_, stored, operation);
        books_.account_prompt(pass, stored, operation);
        all.push_back(std::move(stored));
    }
    operation.commit = [this, pass, stored = std::move(all)](std::uint32_t, std::uint32_t) {
        packed_.commit(pass, stored);
    };
}

void Cim::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    if (descriptor.opcode < LEVEE_CIM_LAYER || descriptor.opcode > LEVEE_CIM_COMPRESS)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const Pass pass = read_pass(queue, config_, descriptor.opcode);
    packed_.begin();
    if (descriptor.opcode == LEVEE_CIM_LAYER)
        run_layers(pass, operation);
    else if (descriptor.opcode == LEVEE_CIM_COMPRESS)
        run_compress(pass, operation);
    else
        run_linear(pass, operation);
}

} // namespace levee::cim
