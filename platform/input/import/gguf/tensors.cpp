// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/tensors.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/positions.hpp"
#include "platform/input/import/stored_values.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace levee::gguf {

namespace {

struct KindName {
    levee_tensor_kind kind;
    const char* name;
};
constexpr std::array kind_names{
    KindName{LEVEE_TENSOR_EMBEDDING, "token_embd.weight"},
    KindName{LEVEE_TENSOR_POSITION, "position_embd.weight"},
    KindName{LEVEE_TENSOR_NORM_ATTENTION, "attn_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_ATTENTION_BIAS, "attn_norm.bias"},
    KindName{LEVEE_TENSOR_WQ, "attn_q.weight"},
    KindName{LEVEE_TENSOR_WK, "attn_k.weight"},
    KindName{LEVEE_TENSOR_WV, "attn_v.weight"},
    KindName{LEVEE_TENSOR_WO, "attn_output.weight"},
    KindName{LEVEE_TENSOR_BQ, "attn_q.bias"},
    KindName{LEVEE_TENSOR_BK, "attn_k.bias"},
    KindName{LEVEE_TENSOR_BV, "attn_v.bias"},
    KindName{LEVEE_TENSOR_BO, "attn_output.bias"},
    KindName{LEVEE_TENSOR_NORM_FFN, "ffn_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_FFN_BIAS, "ffn_norm.bias"},
    KindName{LEVEE_TENSOR_W_GATE, "ffn_gate.weight"},
    KindName{LEVEE_TENSOR_W_UP, "ffn_up.weight"},
    KindName{LEVEE_TENSOR_W_DOWN, "ffn_down.weight"},
    KindName{LEVEE_TENSOR_B_UP, "ffn_up.bias"},
    KindName{LEVEE_TENSOR_B_DOWN, "ffn_down.bias"},
    KindName{LEVEE_TENSOR_NORM_FINAL, "output_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_FINAL_BIAS, "output_norm.bias"},
    KindName{LEVEE_TENSOR_CLASSIFIER, "output.weight"},
    KindName{LEVEE_TENSOR_W_ROUTER, "ffn_gate_inp.weight"},
    KindName{LEVEE_TENSOR_W_EXPERTS_UP, "ffn_gate_exps.weight"},
    KindName{LEVEE_TENSOR_W_EXPERTS_DOWN, "ffn_down_exps.weight"},
    KindName{LEVEE_TENSOR_NORM_QUERY, "attn_q_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_KEY, "attn_k_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_attention_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_FFN_AFTER, "post_ffw_norm.weight"}};

/// Kinds that files of a family lack where a norm has no gain or no bias.
constexpr std::array gain_kinds{LEVEE_TENSOR_NORM_ATTENTION, LEVEE_TENSOR_NORM_FFN,
                                LEVEE_TENSOR_NORM_FINAL};
constexpr std::array bias_kinds{LEVEE_TENSOR_NORM_ATTENTION_BIAS, LEVEE_TENSOR_NORM_FFN_BIAS,
                                LEVEE_TENSOR_NORM_FINAL_BIAS};

std::optional<float> constant_of(const Family& family, levee_tensor_kind kind)
{
    if (!family.gains && std::ranges::find(gain_kinds, kind) != gain_kinds.end()) {
        return 1.0F;
    }
    if (!family.norm_biases && std::ranges::find(bias_kinds, kind) != bias_kinds.end()) {
        return 0.0F;
    }
    return std::nullopt;
}

bool is_of_experts(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN;
}

/// Tables that a reader has no use for: what they hold is in the keys.
bool is_idle(const std::string& name)
{
    return name.ends_with(".attn_rot_embd");
}

std::uint64_t dimension(const Tensor& tensor, size_t index)
{
    return index < tensor.dimensions.size() ? tensor.dimensions[index] : 1;
}

std::string expected_dimensions(const TensorSpec& spec)
{
    return "[" + std::to_string(spec.cols) +
           (spec.rows > 1 ? ", " + std::to_string(spec.rows) : "") + "]";
}

} // namespace

std::string tensor_name(const TensorSpec& spec)
{
    std::string name =
        spec.layer == LEVEE_NO_LAYER ? "" : "blk." + std::to_string(spec.layer) + ".";
    for (const KindName& kind : kind_names) {
        name += kind.kind == spec.kind ? kind.name : "";
    }
    return name;
}

std::optional<std::string> fused_name(const File& file, const TensorGroup& group)
{
    const TensorSpec& first = group.front();
    const char* name = first.kind == LEVEE_TENSOR_WQ       ? "attn_qkv.weight"
                       : first.kind == LEVEE_TENSOR_W_GATE ? "ffn_up.weight"
                                                           : nullptr;
    if (name == nullptr || file.tensors().contains(tensor_name(first))) {
        return std::nullopt;
    }
    const std::string whole = "blk." + std::to_string(first.layer) + "." + name;
    return file.tensors().contains(whole) ? std::optional(whole) : std::nullopt;
}

Tensors::Tensors(const File& file, const Architecture& architecture)
{
    std::set<std::string> expected(frequency_tensors.begin(), frequency_tensors.end());
    for (const TensorGroup& group : required_tensors(architecture.shape)) {
        if (const auto fused = fused_name(file, group)) {
            place_parts(file, group, *fused);
            expected.insert(*fused);
            continue;
        }
        for (const TensorSpec& spec : group) {
            if (const auto constant = constant_of(*architecture.family, spec.kind)) {
                places_.emplace(std::pair(spec.layer, spec.kind), Place{nullptr, 0, *constant});
            } else if (is_of_experts(spec.kind)) {
                place_experts(file, architecture, spec, expected);
            } else if (spec.role != TensorRole::words) {
                place(file, architecture, spec);
                expected.insert(tensor_name(spec));
            }
        }
    }
    for (const auto& [name, tensor] : file.tensors()) {
        if (!expected.contains(name) && !is_idle(name)) {
            file.fail_tensor(name, "not supported, expected none in a model of architecture " +
                                       architecture.name +
                                       (architecture.shape.tied ? " without output.weight" : ""));
        }
    }
}

/// Matrices of experts, one after another: [cols, rows of one, experts].
const Tensor& Tensors::experts_tensor(const File& file, const std::string& name, std::uint64_t rows,
                                      const TensorSpec& spec) const
{
    const auto found = file.tensors().find(name);
    const std::string text = "[" + std::to_string(spec.cols) + ", rows, experts] of " +
                             std::to_string(rows) + " rows in all";
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected " + text);
    }
    const Tensor& tensor = found->second;
    if (dimension(tensor, 0) != spec.cols || dimension(tensor, 1) * dimension(tensor, 2) != rows ||
        dimension(tensor, 3) != 1) {
        file.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected " + text);
    }
    return tensor;
}

void Tensors::place_experts(const File& file, const Architecture& architecture,
                            const TensorSpec& spec, std::set<std::string>& expected)
{
    const std::string layer = "blk." + std::to_string(spec.layer) + ".";
    Place place{nullptr, 0, 0.0F};
    const auto take = [&](const std::string& name, std::uint64_t rows) {
        expected.insert(layer + name);
        return &experts_tensor(file, layer + name, rows, spec);
    };
    if (spec.kind == LEVEE_TENSOR_W_EXPERTS_DOWN) {
        place.tensor = take("ffn_down_exps.weight", spec.rows);
    } else {
        place.part_rows = architecture.shape.hidden;
        place.tensor = take("ffn_gate_exps.weight", spec.rows / 2);
        place.second = take("ffn_up_exps.weight", spec.rows / 2);
    }
    places_.emplace(std::pair(spec.layer, spec.kind), place);
}

void Tensors::place(const File& file, const Architecture& architecture, const TensorSpec& spec)
{
    const std::string name = tensor_name(spec);
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected " + expected_dimensions(spec) +
                                   " in a model of architecture " + architecture.name);
    }
    const Tensor& tensor = found->second;
    // llama.cpp has no OPT, and of the converters that there are some keep the padding.
    const std::uint64_t skipped =
        spec.kind == LEVEE_TENSOR_POSITION && dimension(tensor, 1) == spec.rows + opt_padding_rows
            ? opt_padding_rows
            : 0;
    if (dimension(tensor, 0) != spec.cols || dimension(tensor, 1) != spec.rows + skipped ||
        dimension(tensor, 2) != 1 || dimension(tensor, 3) != 1) {
        file.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected " +
                                   expected_dimensions(spec));
    }
    places_.emplace(std::pair(spec.layer, spec.kind), Place{&tensor, skipped, 0.0F});
}

void Tensors::place_parts(const File& file, const TensorGroup& group, const std::string& name)
{
    const Tensor& tensor = file.tensors().at(name);
    std::uint64_t rows = 0;
    for (const TensorSpec& spec : group) {
        places_.emplace(std::pair(spec.layer, spec.kind), Place{&tensor, rows, 0.0F});
        rows += spec.rows;
    }
    const std::uint32_t cols = group.front().cols;
    if (dimension(tensor, 0) != cols || dimension(tensor, 1) != rows || dimension(tensor, 2) != 1 ||
        dimension(tensor, 3) != 1) {
        file.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected [" +
                                   std::to_string(cols) + ", " + std::to_string(rows) +
                                   "], or its " + std::to_string(group.size()) +
                                   " matrices in tensors of their own");
    }
}

std::string Tensors::title(const File& file, const TensorSpec& spec) const
{
    const Place& place = places_.at(std::pair(spec.layer, spec.kind));
    return file.tensor_title(place.tensor == nullptr ? tensor_name(spec) : place.tensor->name);
}

/// Rows of two tensors, so many of each in turn.
void Tensors::read_in_turn(const File& file, const Place& place, const TensorSpec& spec,
                           std::uint32_t first, std::span<float> out)
{
    while (!out.empty()) {
        const std::uint32_t part = first / place.part_rows, row = first % place.part_rows;
        const auto left = static_cast<std::uint32_t>(out.size() / spec.cols);
        const std::uint32_t count = std::min(left, place.part_rows - row);
        const std::size_t values = std::size_t{count} * spec.cols;
        const Tensor& tensor = part % 2 == 0 ? *place.tensor : *place.second;
        file.read_rows(tensor, std::uint64_t{part / 2} * place.part_rows + row, out.first(values));
        out = out.subspan(values);
        first += count;
    }
}

void Tensors::read(const File& file, const TensorSpec& spec, std::uint32_t first,
                   std::span<float> out) const
{
    const Place& place = places_.at(std::pair(spec.layer, spec.kind));
    if (place.tensor == nullptr) {
        std::ranges::fill(out, place.constant);
    } else if (place.second != nullptr) {
        read_in_turn(file, place, spec, first, out);
    } else {
        file.read_rows(*place.tensor, first + place.skipped_rows, out);
    }
}

} // namespace levee::gguf
