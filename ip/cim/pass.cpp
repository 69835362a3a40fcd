// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/pass.hpp"

#include "core/abi/model_image.h"
#include "ip/cpq/regs.h"

#include <algorithm>
#include <cstring>

namespace levee::cim {

namespace {

constexpr std::uint32_t most_tokens = 1u << 24; ///< Rejects absurd sizes from a corrupt descriptor.

void check(const CommandQueue& queue, const Config& config, std::uint8_t opcode, const Op& op)
{
    const bool linear = opcode == LEVEE_CIM_LINEAR, prompt = opcode == LEVEE_CIM_COMPRESS;
    need(op.entries != 0 && (!linear || op.entries == 1), offsetof(Op, entries));
    need(op.rows != 0 && op.rows <= most_tokens / op.entries, offsetof(Op, rows));
    need(op.layer < config.cores, offsetof(Op, layer));
    need(op.layers != 0 && op.layers <= config.cores - op.layer &&
             ((!linear && !prompt) || op.layers == 1),
         offsetof(Op, layers));
    need(op.matrix < (linear ? LEVEE_CIM_MATRICES : 1), offsetof(Op, matrix));
    need(op.rows == 1 || !prompt, offsetof(Op, rows));
    need(op.reserved == 0, offsetof(Op, reserved));
    need(op.packed == 0 || packs(queue, config), offsetof(Op, packed));
    need(!prompt || op.packed != 0, offsetof(Op, packed));
    need(!prompt || op.x == 0, offsetof(Op, x));
    need(!prompt || op.out == 0, offsetof(Op, out));
    if (!linear)
        return;
    need(op.packed == 0, offsetof(Op, packed));
    need(op.lengths == 0, offsetof(Op, lengths));
    need(op.keys == 0, offsetof(Op, keys));
    need(op.values == 0, offsetof(Op, values));
    need(op.final_tokens == 0, offsetof(Op, final_tokens));
}

/// Checks that the cores' macros and units can process a layer.
void check_model(const levee_cim_model& model, const Units& units)
{
    const std::uint64_t query = std::uint64_t{model.heads} * model.head_dim;
    const bool gated = model.activation == LEVEE_ACTIVATION_SILU_GLU;
    need(model.dim != 0 && model.dim <= units.hidden && model.hidden != 0 &&
             (std::uint64_t{model.hidden} << gated) <= units.feed_forward && model.heads != 0 &&
             model.kv_heads != 0 && model.heads % model.kv_heads == 0 && model.head_dim != 0 &&
             query <= units.hidden && model.reserved == 0 &&
             (model.norm == LEVEE_NORM_RMS || model.norm == LEVEE_NORM_LAYER) &&
             model.activation >= LEVEE_ACTIVATION_SILU_GLU &&
             model.activation <= LEVEE_ACTIVATION_GELU &&
             (model.rope_phase == 0 || (units.rotation.count != 0 && model.head_dim % 2 == 0)),
         offsetof(Op, model));
}

void describe(CommandQueue& queue, const Config& config, std::uint8_t opcode, Pass& pass)
{
    const levee_cim_model& model = pass.model;
    const Op& op = pass.op;
    const bool gated = model.activation == LEVEE_ACTIVATION_SILU_GLU;
    pass.shape = {model.dim,
                  gated ? 2 * model.hidden : model.hidden,
                  model.hidden,
                  model.heads,
                  model.kv_heads,
                  model.head_dim,
                  model.rope_phase != 0};
    need(op.layer + op.layers <= model.layer_count, offsetof(Op, layers));
    pass.lengths.assign(op.entries, op.rows);
    if (opcode == LEVEE_CIM_LINEAR)
        return;
    queue.read_control(contiguous(op.lengths, pass.lengths.size() * sizeof(std::uint32_t)),
                       pass.lengths.data(), field_lengths);
    for (const std::uint32_t length : pass.lengths) {
        need(length >= op.rows && length <= most_tokens, offsetof(Op, lengths));
        // With a sample, the prompt must be processed in one pass.
        need(config.reading.sample() == 0 || op.rows == 1 || length == op.rows, offsetof(Op, rows));
    }
    if (op.packed == 0)
        return;
    queue.read_control(contiguous(op.packed, sizeof pass.packed), &pass.packed,
                       operation_field(offsetof(Op, packed)));
    // For each entry up to the last one, a core keeps two tables of scales and zeros: for keys and
    // for values.
    const std::uint64_t tables = (std::uint64_t{op.first_entry} + op.entries) * 2;
    const std::uint64_t table = LEVEE_CPQ_TABLE_BYTES(pass.channels(), pass.packed.max_levels);
    need(tables <= config.units.scale_buffer_bytes / std::max<std::uint64_t>(table, 1),
         offsetof(Op, packed));
}

} // namespace

Pass read_pass(CommandQueue& queue, const Config& config, std::uint8_t opcode)
{
    Pass pass;
    std::memcpy(&pass.op, queue.operation().data(), sizeof pass.op);
    check(queue, config, opcode, pass.op);
    queue.read_control(contiguous(pass.op.model, sizeof pass.model), &pass.model, field_model);
    check_model(pass.model, config.units);
    describe(queue, config, opcode, pass);
    return pass;
}

} // namespace levee::cim
