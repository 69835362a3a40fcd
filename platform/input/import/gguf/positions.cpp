// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/positions.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <algorithm>
#include <cmath>

namespace levee::gguf {

namespace {

constexpr double default_base = 10000.0; // the specification's

/// What all positions are divided by.
double linear_factor(const File& file, const std::string& name)
{
    const std::string type_key = name + ".rope.scaling.type";
    const std::string type = file.text(type_key).value_or("linear"); // of older files
    if (type == "none") {
        return 1.0;
    }
    if (type != "linear") {
        file.fail_key(type_key,
                      "'" + printable(type) + "': not supported, expected none or linear");
    }
    const std::string key = name + (file.has(name + ".rope.scaling.factor") ? ".rope.scaling.factor"
                                                                            : ".rope.scale_linear");
    const double factor = file.number(key).value_or(0);
    if (factor < 0 || (factor > 0 && factor < 1)) {
        file.fail_key(key, number_text(factor) + ", expected 1 or more, or 0 for none");
    }
    return factor == 0 ? 1.0 : factor;
}

std::vector<float> frequency_divisors(const File& file, std::uint32_t pairs)
{
    const auto found = file.tensors().find(frequency_tensor);
    if (found == file.tensors().end()) {
        return std::vector<float>(pairs, 1.0F);
    }
    if (found->second.dimensions != std::vector<std::uint64_t>{pairs}) {
        file.fail_tensor(frequency_tensor, "dimensions " + found->second.dimensions_text() +
                                               ", expected [" + std::to_string(pairs) + "]");
    }
    std::vector<float> divisors(pairs);
    file.read_rows(found->second, 0, divisors);
    for (std::uint32_t i = 0; i < pairs; ++i) {
        if (!std::isfinite(divisors[i]) || divisors[i] <= 0.0F) {
            file.fail_tensor(frequency_tensor, "value " + std::to_string(i) + ": " +
                                                   std::to_string(divisors[i]) +
                                                   ", expected a number above 0");
        }
    }
    return divisors;
}

/// Values of a head that are rotated.
std::uint32_t rotated_values(const File& file, const std::string& name, const ModelShape& shape)
{
    const std::string key = name + ".rope.dimension_count";
    const std::uint64_t count = file.whole(key).value_or(shape.head_dim);
    const bool fits = count >= 2 && count % 2 == 0 && count <= shape.head_dim;
    if (!fits || (count < shape.head_dim && shape.position == LEVEE_POSITION_ROPE_HALVES)) {
        file.fail_key(
            key,
            std::to_string(count) + ", expected " + std::to_string(shape.head_dim) +
                ", the length of a head" +
                (shape.position == LEVEE_POSITION_ROPE_PAIRS ? ", or an even number below" : ""));
    }
    return static_cast<std::uint32_t>(count);
}

} // namespace

std::vector<std::uint32_t> read_phases(const File& file, const std::string& name,
                                       const ModelShape& shape, std::vector<std::string>& notes)
{
    if (!shape.rotated()) {
        return {};
    }
    const std::string base_key = name + ".rope.freq_base";
    const double base = file.number(base_key).value_or(default_base);
    if (!(base > 1.0)) {
        file.fail_key(base_key, number_text(base) + ", expected more than 1");
    }
    const std::uint32_t rotated = rotated_values(file, name, shape);
    const double factor = linear_factor(file, name);
    const std::vector<float> divisors = frequency_divisors(file, rotated / 2);
    std::vector<std::uint32_t> phases =
        rope_phases(rotated, base, [&](std::uint32_t pair, double turns) {
            const double scaled = turns / factor / static_cast<double>(divisors[pair]);
            return std::min(scaled - std::floor(scaled), 1.0 - 0x1p-32); // whole turns are none
        });
    if (rotated < shape.head_dim) {
        notes.push_back("of each head " + std::to_string(rotated) +
                        " values are rotated, the other " +
                        std::to_string(shape.head_dim - rotated) + " are not");
    }
    phases.resize(shape.head_dim / 2); // pairs that stay: no turns per position
    return phases;
}

} // namespace levee::gguf
