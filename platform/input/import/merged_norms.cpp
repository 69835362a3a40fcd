// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/merged_norms.hpp"

#include <algorithm>

namespace levee {

namespace {

/// A matrix that reads a norm's output, with the matrix's bias and that norm.
struct Reader {
    levee_tensor_kind matrix, bias, gain, shift;
};
constexpr Reader readers[] = {
    {LEVEE_TENSOR_WQ, LEVEE_TENSOR_BQ, LEVEE_TENSOR_NORM_ATTENTION,
     LEVEE_TENSOR_NORM_ATTENTION_BIAS},
    {LEVEE_TENSOR_WK, LEVEE_TENSOR_BK, LEVEE_TENSOR_NORM_ATTENTION,
     LEVEE_TENSOR_NORM_ATTENTION_BIAS},
    {LEVEE_TENSOR_WV, LEVEE_TENSOR_BV, LEVEE_TENSOR_NORM_ATTENTION,
     LEVEE_TENSOR_NORM_ATTENTION_BIAS},
    {LEVEE_TENSOR_W_UP, LEVEE_TENSOR_B_UP, LEVEE_TENSOR_NORM_FFN, LEVEE_TENSOR_NORM_FFN_BIAS}};

std::vector<float> vector_of(const ModelShape& shape, levee_tensor_kind kind, std::uint32_t layer,
                             const TensorReader& read)
{
    std::vector<float> values(shape.dim);
    read({kind, layer, TensorRole::vector, 1, shape.dim}, 0, values);
    return values;
}

void multiply_columns(std::span<float> values, std::span<const float> gain)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(static_cast<double>(values[i]) *
                                       static_cast<double>(gain[i % gain.size()]));
}

/// Adds to a bias the product of the matrix and the norm's bias.
void add_product(const TensorSpec& matrix, std::span<float> bias, std::span<const float> shift,
                 const TensorReader& read)
{
    std::vector<float> row(matrix.cols);
    for (std::uint32_t i = 0; i < bias.size(); ++i) {
        read(matrix, i, row);
        double sum = static_cast<double>(bias[i]);
        for (std::size_t j = 0; j < row.size(); ++j)
            sum += static_cast<double>(row[j]) * static_cast<double>(shift[j]);
        bias[i] = static_cast<float>(sum);
    }
}

} // namespace

void merge_norms(const ModelShape& shape, const TensorSpec& spec, std::span<float> values,
                 const TensorReader& read)
{
    if (spec.kind == LEVEE_TENSOR_NORM_ATTENTION)
        std::ranges::fill(values, 1.0F);
    else if (spec.kind == LEVEE_TENSOR_NORM_ATTENTION_BIAS)
        std::ranges::fill(values, 0.0F);
    for (const Reader& reader : readers) {
        if (spec.kind == reader.matrix)
            multiply_columns(values, vector_of(shape, reader.gain, spec.layer, read));
        else if (spec.kind == reader.bias)
            add_product({reader.matrix, spec.layer, TensorRole::matrix, spec.cols, shape.dim},
                        values, vector_of(shape, reader.shift, spec.layer, read), read);
    }
}

std::vector<TensorSpec> second_norms(const ModelShape& shape)
{
    std::vector<TensorSpec> specs;
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
        for (const auto kind : {LEVEE_TENSOR_NORM_FFN, LEVEE_TENSOR_NORM_FFN_BIAS})
            specs.push_back({kind, layer, TensorRole::vector, 1, shape.dim});
    return specs;
}

} // namespace levee
