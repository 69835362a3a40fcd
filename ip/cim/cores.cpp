// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/cores.hpp"

#include "core/command/view.hpp"

#include <cstring>

namespace levee::cim {

/// Reads FP32 operands. A core keeps them like weights, so this costs no time or energy. Address 0:
/// there is no operand.
void Cores::read_floats(std::uint64_t address, std::uint64_t count, std::vector<float>& to)
{
    if (address == 0)
        return;
    View{queue_, contiguous(address, count * sizeof(float)), field_model}.read(to);
}

void Cores::tell_matrix(const Pass& pass, std::uint32_t layer, std::uint32_t which,
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

void Cores::tell(const Pass& pass, std::uint32_t layer)
{
    Core& core = cores_[layer];
    if (core.model && std::memcmp(&*core.model, &pass.model, sizeof pass.model) == 0)
        return;
    const std::uint64_t address = pass.model.layers + layer * sizeof(levee_cim_layer);
    levee_cim_layer record;
    queue_.read_control(contiguous(address, sizeof record), &record, field_model);
    core = Core{};
    for (std::size_t i = 0; i < 2; ++i) {
        need(record.norm_gain[i] != 0, offsetof(Op, model));
        read_floats(record.norm_gain[i], pass.model.dim, core.parameters.norm_gain[i]);
        read_floats(record.norm_bias[i], pass.model.dim, core.parameters.norm_bias[i]);
    }
    for (std::uint32_t which = 0; which < LEVEE_CIM_MATRICES; ++which)
        tell_matrix(pass, layer, which, record);
    if (pass.model.rope_phase != 0)
        View{queue_, contiguous(pass.model.rope_phase, pass.model.head_dim / 2 * 4), field_model}
            .read(core.parameters.rope_phase);
    core.model = pass.model;
}

} // namespace levee::cim
