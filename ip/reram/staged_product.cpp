// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/staged_product.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace levee::reram {

/// Sends one vector through one stage.
void StagedProduct::pass_stage(std::size_t number, std::uint32_t o0, std::uint32_t o1,
                               std::span<const std::int32_t> inputs, std::span<double> sums)
{
    const levee_reram_stage& stage = staged_.stages()[number];
    const bool is_signed = number != 0 || !staged_.is_unsigned();
    crossbars_.multiply(staged_.place_of(stage, o0, o1),
                        stage.access == LEVEE_RERAM_COLUMNS_SENSED ? Access::Columns : Access::Rows,
                        stage.drive + o1 * stage.drive_stride, inputs,
                        {staged_.input_bits(number), is_signed},
                        stage.sense + o1 * stage.sense_stride, sums);
}

/// Sends a vector through all stages. Returns the scale of the last sums.
float StagedProduct::pass_stages(std::uint32_t o0, std::uint32_t o1,
                                 std::vector<std::int32_t> inputs, float scale,
                                 std::vector<double>& sums)
{
    const levee_reram_operation& op = staged_.op();
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    std::vector<float> reals;
    for (std::size_t s = 0;; ++s) {
        const bool last = s + 1 == staged_.stages().size();
        sums.resize(last ? staged_.n(std::size_t{o0} * op.outer[1] + o1)
                         : staged_.stages()[s].lines);
        pass_stage(s, o0, o1, inputs, sums);
        if (last)
            return scale;
        if (staged_.stages()[s].result_bits == 0) {
            inputs.resize(sums.size());
            std::transform(sums.begin(), sums.end(), inputs.begin(), [=](double sum) {
                return static_cast<std::int32_t>(std::clamp(std::nearbyint(sum), -most, most));
            });
            continue;
        }
        reals.resize(sums.size());
        std::transform(sums.begin(), sums.end(), reals.begin(),
                       [&](double sum) { return static_cast<float>(sum) * scale; });
        scale = quantise(reals, staged_.stages()[s].result_bits, inputs);
    }
}

/// Appends a vector's results in their final format, with the systolic array's order of operations
/// (ip/rsa/regs.h). A missing scale counts as 1.
void StagedProduct::append_results(const Vectors& vectors, float scale,
                                   std::span<const double> sums,
                                   std::vector<std::uint8_t>& results) const
{
    const levee_reram_operation& op = staged_.op();
    const auto append = [&](const auto& value) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value); // little endian
        results.insert(results.end(), bytes, bytes + sizeof value);
    };
    for (std::size_t j = 0; j < sums.size(); ++j) {
        if (op.out_type == LEVEE_TYPE_NONE) {
            append(static_cast<std::int64_t>(std::nearbyint(sums[j])));
            continue;
        }
        float value = static_cast<float>(sums[j]) * scale;
        if (op.b_scale != 0)
            value *= vectors.b_scale[j];
        if (op.alpha != 1.0f)
            value *= op.alpha;
        if (op.bias != 0)
            value += vectors.bias[j];
        append(canonical(value));
    }
    if (StreamPorts::is_stream(op.out)) // Streams carry rows of the full width.
        results.insert(results.end(), (op.n - sums.size()) * sizeof(float), 0);
}

void StagedProduct::multiply(std::uint32_t o0, std::uint32_t o1, const Vectors& vectors,
                             std::vector<std::uint8_t>& results)
{
    std::vector<double> sums;
    for (std::size_t i = 0; i < staged_.vectors(); ++i) {
        const auto codes = std::span(vectors.codes).subspan(i * vectors.width, vectors.width);
        const float scale = vectors.scales.empty() ? 1.0f : vectors.scales[i];
        const float last = pass_stages(o0, o1, {codes.begin(), codes.end()}, scale, sums);
        append_results(vectors, last, sums, results);
    }
}

} // namespace levee::reram
