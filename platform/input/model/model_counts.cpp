// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_counts.hpp"

namespace levee {

namespace {

/// Returns whether a tensor has matrices or biases of all experts, one expert after another.
bool is_of_experts(std::uint32_t kind)
{
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN ||
           kind == LEVEE_TENSOR_B_EXPERTS_UP || kind == LEVEE_TENSOR_B_EXPERTS_DOWN;
}

} // namespace

ModelCount parameters_of(const ModelShape& shape)
{
    ModelCount count;
    for (const TensorGroup& group : required_tensors(shape))
        for (const TensorSpec& spec : group) {
            if (spec.role == TensorRole::words)
                continue;
            const std::uint64_t elements = std::uint64_t{spec.rows} * spec.cols;
            count.all += elements;
            count.active +=
                is_of_experts(spec.kind) ? elements / shape.experts * shape.chosen : elements;
        }
    return count;
}

ModelCount weight_bytes_of(const ModelShape& shape, std::span<const levee_tensor_entry> entries,
                           const WeightFormat& weights)
{
    ModelCount count;
    for (const levee_tensor_entry& entry : entries) {
        if (entry.type == LEVEE_TYPE_UINT32) // Phases and flags.
            continue;
        const std::uint64_t scales =
            entry.scale_offset != 0 ? sizeof(float) * weights.scales_of_row(entry.cols) : 0;
        const std::uint64_t row = entry.row_bytes + scales;
        const bool one_row = entry.kind == LEVEE_TENSOR_POSITION ||
                             (entry.kind == LEVEE_TENSOR_EMBEDDING && !shape.tied);
        count.all += row * entry.rows;
        // The biases of all experts form a single row. The bytes are therefore divided by the
        // number of experts instead of the number of rows.
        count.active += is_of_experts(entry.kind) ? row * entry.rows / shape.experts * shape.chosen
                        : one_row                 ? row
                                                  : row * entry.rows;
    }
    return count;
}

} // namespace levee
