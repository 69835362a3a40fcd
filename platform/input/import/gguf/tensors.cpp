// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/tensors.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/positions.hpp"
#include "platform/input/import/merged_norms.hpp"
#include "platform/input/import/stored_values.hpp"
#include "platform/input/import/transposed_heads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

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
    KindName{LEVEE_TENSOR_B_ROUTER, "ffn_gate_inp.bias"},
    KindName{LEVEE_TENSOR_ROUTER_CHOICE_BIAS, "exp_probs_b.bias"},
    KindName{LEVEE_TENSOR_B_EXPERTS_UP, "ffn_gate_exps.bias"},
    KindName{LEVEE_TENSOR_B_EXPERTS_DOWN, "ffn_down_exps.bias"},
    KindName{LEVEE_TENSOR_W_SHARED_GATE, "ffn_gate_inp_shexp.weight"},
    KindName{LEVEE_TENSOR_ATTENTION_SINKS, "attn_sinks.weight"},
    KindName{LEVEE_TENSOR_NORM_QUERY, "attn_q_norm.weight"},
    KindName{LEVEE_TENSOR_W_QUERY_LATENT, "attn_q_a.weight"},
    KindName{LEVEE_TENSOR_NORM_QUERY_LATENT, "attn_q_a_norm.weight"},
    KindName{LEVEE_TENSOR_W_KV_LATENT, "attn_kv_a_mqa.weight"},
    KindName{LEVEE_TENSOR_NORM_KV_LATENT, "attn_kv_a_norm.weight"},
    KindName{LEVEE_TENSOR_W_KEY_UP, "attn_k_b.weight"},
    KindName{LEVEE_TENSOR_W_VALUE_UP, "attn_v_b.weight"},
    KindName{LEVEE_TENSOR_NORM_KEY, "attn_k_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_attention_norm.weight"},
    KindName{LEVEE_TENSOR_NORM_FFN_AFTER, "post_ffw_norm.weight"}};

/// Names of a shared expert's tensors.
constexpr std::array shared_names{KindName{LEVEE_TENSOR_W_GATE, "ffn_gate_shexp.weight"},
                                  KindName{LEVEE_TENSOR_W_UP, "ffn_up_shexp.weight"},
                                  KindName{LEVEE_TENSOR_W_DOWN, "ffn_down_shexp.weight"}};

/// Kinds of tensors that a family's files lack if the family's norms have no gain or no bias.
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
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_W_EXPERTS_DOWN ||
           kind == LEVEE_TENSOR_B_EXPERTS_UP || kind == LEVEE_TENSOR_B_EXPERTS_DOWN;
}

bool is_of_gates(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_W_EXPERTS_UP || kind == LEVEE_TENSOR_B_EXPERTS_UP;
}

/// Returns whether a file may store this matrix of latent attention in another order, or in a
/// tensor that it shares with another matrix.
bool is_of_latent(levee_tensor_kind kind)
{
    return kind == LEVEE_TENSOR_W_KV_LATENT || kind == LEVEE_TENSOR_W_KEY_UP ||
           kind == LEVEE_TENSOR_W_VALUE_UP;
}

/// Returns whether a tensor is a table that is not read, because keys state the same values.
bool is_idle(const std::string& name)
{
    return name.ends_with(".attn_rot_embd");
}

/// Returns whether a tensor belongs to a block that predicts more than the next token.
bool is_further(const Architecture& architecture, const std::string& name)
{
    const std::string before = "blk.";
    std::uint32_t block = 0;
    return architecture.family->predicts && name.starts_with(before) &&
           std::from_chars(name.data() + before.size(), name.data() + name.size(), block).ec ==
               std::errc() &&
           block >= architecture.shape.layers;
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

std::string tensor_name(const Architecture& architecture, const TensorSpec& spec)
{
    const bool in_layer = spec.layer != LEVEE_NO_LAYER;
    const std::string before = in_layer ? "blk." + std::to_string(spec.layer) + "." : "";
    if (spec.kind == LEVEE_TENSOR_WQ && architecture.shape.query_latent != 0) {
        return before + "attn_q_b.weight";
    }
    if (spec.kind == LEVEE_TENSOR_NORM_FFN) {
        return before + architecture.family->ffn_norm;
    }
    if (in_layer && architecture.shape.has_experts(spec.layer)) {
        for (const KindName& kind : shared_names) {
            if (kind.kind == spec.kind) {
                return before + kind.name;
            }
        }
    }
    for (const KindName& kind : kind_names) {
        if (kind.kind == spec.kind) {
            return before + kind.name;
        }
    }
    return before;
}

std::optional<std::string> fused_name(const File& file, const Architecture& architecture,
                                      const TensorGroup& group)
{
    const TensorSpec& first = group.front();
    const char* name = first.kind == LEVEE_TENSOR_WQ       ? "attn_qkv.weight"
                       : first.kind == LEVEE_TENSOR_BQ     ? "attn_qkv.bias"
                       : first.kind == LEVEE_TENSOR_W_GATE ? "ffn_up.weight"
                                                           : nullptr;
    if (name == nullptr || file.tensors().contains(tensor_name(architecture, first))) {
        return std::nullopt;
    }
    const std::string whole = "blk." + std::to_string(first.layer) + "." + name;
    return file.tensors().contains(whole) ? std::optional(whole) : std::nullopt;
}

Tensors::Tensors(const File& file, const Architecture& architecture)
{
    std::set<std::string> expected(frequency_tensors.begin(), frequency_tensors.end());
    for (const TensorGroup& group : required_tensors(architecture.shape)) {
        if (const auto fused = fused_name(file, architecture, group)) {
            place_parts(file, group, *fused);
            expected.insert(*fused);
            continue;
        }
        for (const TensorSpec& spec : group) {
            if (const auto constant = constant_of(*architecture.family, spec.kind)) {
                places_.emplace(std::pair(spec.layer, spec.kind), Place{nullptr, 0, *constant});
            } else if (is_of_experts(spec.kind)) {
                place_experts(file, architecture, spec, expected);
            } else if (is_of_latent(spec.kind)) {
                place_latent(file, architecture, spec, expected);
            } else if (spec.role != TensorRole::words) {
                place(file, architecture, spec);
                expected.insert(tensor_name(architecture, spec));
            }
        }
    }
    for (const TensorSpec& norm :
         architecture.merges_norms ? second_norms(architecture.shape) : std::vector<TensorSpec>()) {
        place(file, architecture, norm);
        expected.insert(tensor_name(architecture, norm));
    }
    for (const auto& [name, tensor] : file.tensors()) {
        if (!expected.contains(name) && !is_idle(name) && !is_further(architecture, name)) {
            file.fail_tensor(name, "not supported, expected none in a model of architecture " +
                                       architecture.name +
                                       (architecture.shape.tied ? " without output.weight" : ""));
        }
    }
}

/// Finds the tensor with the matrices of all experts, one after another: [columns, rows of one
/// expert, experts]. Biases are [rows of one expert, experts].
const Tensor& Tensors::experts_tensor(const File& file, const std::string& name, std::uint64_t rows,
                                      const TensorSpec& spec, std::uint32_t experts) const
{
    const auto found = file.tensors().find(name);
    const bool is_bias = spec.role == TensorRole::vector;
    const std::uint64_t cols = is_bias ? rows / experts : spec.cols;
    rows = is_bias ? experts : rows;
    const std::string text = is_bias
                                 ? "[" + std::to_string(cols) + ", " + std::to_string(experts) + "]"
                                 : "[" + std::to_string(cols) + ", rows, experts] of " +
                                       std::to_string(rows) + " rows in all";
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected " + text);
    }
    const Tensor& tensor = found->second;
    if (dimension(tensor, 0) != cols || dimension(tensor, 1) * dimension(tensor, 2) != rows ||
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
        return &experts_tensor(file, layer + name, rows, spec, architecture.shape.experts);
    };
    const bool is_bias = spec.role == TensorRole::vector;
    const std::string end = is_bias ? ".bias" : ".weight";
    const std::uint64_t rows = is_bias ? spec.cols : spec.rows;
    if (!is_of_gates(spec.kind)) {
        place.tensor = take("ffn_down_exps" + end, rows);
    } else {
        place.part_rows = is_bias ? 1 : architecture.shape.hidden;
        place.tensor = take("ffn_gate_exps" + end, rows / 2);
        place.second = take("ffn_up_exps" + end, rows / 2);
    }
    places_.emplace(std::pair(spec.layer, spec.kind), place);
}

void Tensors::place(const File& file, const Architecture& architecture, const TensorSpec& spec)
{
    const std::string name = tensor_name(architecture, spec);
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected " + expected_dimensions(spec) +
                                   " in a model of architecture " + architecture.name);
    }
    const Tensor& tensor = found->second;
    // llama.cpp does not support OPT, so converters differ: some keep the padding rows, which are
    // skipped.
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

/// Places latent vectors. Files store their rotated part last. The matrices of heads have one of
/// two layouts. Keys and values are separate, with keys transposed as in images; or they are
/// together for each head, as in checkpoints.
void Tensors::place_latent(const File& file, const Architecture& architecture,
                           const TensorSpec& spec, std::set<std::string>& expected)
{
    const ModelShape& shape = architecture.shape;
    const std::string both = "blk." + std::to_string(spec.layer) + ".attn_kv_b.weight";
    const bool of_heads = spec.kind != LEVEE_TENSOR_W_KV_LATENT;
    const bool together = of_heads && file.tensors().contains(both);
    const std::string name = together ? both : tensor_name(architecture, spec);
    const std::uint32_t of_head = shape.nope_dim + shape.value_dim;
    const std::uint64_t cols = together ? shape.kv_latent : spec.cols;
    const std::uint64_t rows = together ? std::uint64_t{shape.heads} * of_head : spec.rows;
    const std::string text =
        "[" + std::to_string(cols) + ", " + std::to_string(rows) + (of_heads ? " in all]" : "]");
    const auto found = file.tensors().find(name);
    expected.insert(name);
    if (found == file.tensors().end()) {
        file.fail_tensor(name, "absent, expected " + text + " in a model of architecture " +
                                   architecture.name);
    }
    const Tensor& tensor = found->second;
    const std::uint64_t heads = of_heads ? dimension(tensor, 2) : 1;
    if (dimension(tensor, 0) != cols || dimension(tensor, 1) * heads != rows ||
        (!of_heads && dimension(tensor, 2) != 1) || dimension(tensor, 3) != 1) {
        file.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected " + text);
    }
    Place place{&tensor, 0, 0.0F};
    if (!of_heads) {
        place.turn = shape.kv_latent;
    } else if (together) {
        place.transposed = spec.kind == LEVEE_TENSOR_W_KEY_UP;
        place.skipped_rows = place.transposed ? 0 : shape.nope_dim;
        place.part_rows = place.transposed ? shape.nope_dim : shape.value_dim;
        place.of_head = of_head;
    }
    places_.emplace(std::pair(spec.layer, spec.kind), place);
}

void Tensors::place_parts(const File& file, const TensorGroup& group, const std::string& name)
{
    const Tensor& tensor = file.tensors().at(name);
    const bool vectors = group.front().role == TensorRole::vector; // vectors follow one another in
                                                                   // one row
    std::uint64_t rows = 0, values = 0;
    for (const TensorSpec& spec : group) {
        places_.emplace(std::pair(spec.layer, spec.kind), Place{.tensor = &tensor,
                                                                .skipped_rows = rows,
                                                                .constant = 0.0F,
                                                                .is_part = vectors,
                                                                .skipped_values = values});
        rows += vectors ? 0 : spec.rows;
        values += vectors ? spec.cols : 0;
    }
    rows += vectors ? 1 : 0;
    const std::uint64_t cols = vectors ? values : group.front().cols;
    if (dimension(tensor, 0) != cols || dimension(tensor, 1) != rows || dimension(tensor, 2) != 1 ||
        dimension(tensor, 3) != 1) {
        file.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected [" +
                                   std::to_string(cols) + ", " + std::to_string(rows) +
                                   "], or its " + std::to_string(group.size()) +
                                   " matrices in separate tensors");
    }
}

RowPlace Tensors::row_place(const File& file, const TensorSpec& spec, std::uint32_t row) const
{
    const Place& place = places_.at(std::pair(spec.layer, spec.kind));
    if (place.tensor == nullptr) {
        return {file.tensor_title(tensor_place(spec.kind, spec.layer)), row};
    }
    if (place.second == nullptr || spec.role == TensorRole::vector) {
        return {file.tensor_title(place.tensor->name), place.skipped_rows + row};
    }
    const std::uint32_t part = row / place.part_rows, in_part = row % place.part_rows;
    const Tensor& tensor = part % 2 == 0 ? *place.tensor : *place.second;
    return {file.tensor_title(tensor.name), std::uint64_t{part / 2} * place.part_rows + in_part,
            place.part_rows - in_part};
}

/// Reads rows that alternate between two tensors, in groups of `part_rows` rows. A bias is a single
/// row in the image, but one row per expert in the file.
void Tensors::read_in_turn(const File& file, const Place& place, std::uint32_t first,
                           std::span<float> out)
{
    const std::size_t cols = dimension(*place.tensor, 0);
    while (!out.empty()) {
        const std::uint32_t part = first / place.part_rows, row = first % place.part_rows;
        const auto left = static_cast<std::uint32_t>(out.size() / cols);
        const std::uint32_t count = std::min(left, place.part_rows - row);
        const std::size_t values = std::size_t{count} * cols;
        const Tensor& tensor = part % 2 == 0 ? *place.tensor : *place.second;
        file.read_rows(tensor, std::uint64_t{part / 2} * place.part_rows + row, out.first(values));
        out = out.subspan(values);
        first += count;
    }
}

/// Reads the rows from `turn` to the last, and then the rows before `turn`.
void Tensors::read_turned(const File& file, const Place& place, std::uint32_t first,
                          std::span<float> out)
{
    const std::uint64_t cols = dimension(*place.tensor, 0), rows = dimension(*place.tensor, 1);
    while (!out.empty()) {
        const std::uint64_t row = (first + place.turn) % rows;
        const std::uint64_t count = std::min<std::uint64_t>(out.size() / cols, rows - row);
        file.read_rows(*place.tensor, row, out.first(count * cols));
        out = out.subspan(count * cols);
        first += static_cast<std::uint32_t>(count);
    }
}

/// Reads some rows of each head.
void Tensors::read_of_heads(const File& file, const Place& place, std::uint32_t first,
                            std::span<float> out)
{
    const std::uint64_t cols = dimension(*place.tensor, 0);
    while (!out.empty()) {
        const std::uint32_t head = first / place.part_rows, row = first % place.part_rows;
        const std::uint64_t count =
            std::min<std::uint64_t>(out.size() / cols, place.part_rows - row);
        file.read_rows(*place.tensor,
                       std::uint64_t{head} * place.of_head + place.skipped_rows + row,
                       out.first(count * cols));
        out = out.subspan(count * cols);
        first += static_cast<std::uint32_t>(count);
    }
}

/// Reads some rows of each head, if the file stores each head's matrix transposed.
void Tensors::read_transposed(const File& file, const Place& place, std::uint32_t first,
                              std::span<float> out)
{
    const auto cols = static_cast<std::uint32_t>(dimension(*place.tensor, 0));
    TransposedHeads({place.of_head, place.part_rows, cols}, [&](std::uint64_t row,
                                                                std::span<float> rows) {
        file.read_rows(*place.tensor, row, rows);
    }).read(first, out);
}

/// Reads some of the values of one row.
void Tensors::read_part(const File& file, const Place& place, std::span<float> out)
{
    std::vector<float> row(dimension(*place.tensor, 0));
    file.read_rows(*place.tensor, 0, row);
    std::ranges::copy(std::span(row).subspan(place.skipped_values, out.size()), out.begin());
}

void Tensors::read(const File& file, const TensorSpec& spec, std::uint32_t first,
                   std::span<float> out) const
{
    const Place& place = places_.at(std::pair(spec.layer, spec.kind));
    if (place.tensor == nullptr) {
        std::ranges::fill(out, place.constant);
    } else if (place.second != nullptr) {
        read_in_turn(file, place, first, out);
    } else if (place.is_part) {
        read_part(file, place, out);
    } else if (place.turn != 0) {
        read_turned(file, place, first, out);
    } else if (place.transposed) {
        read_transposed(file, place, first, out);
    } else if (place.of_head != 0) {
        read_of_heads(file, place, first, out);
    } else {
        file.read_rows(*place.tensor, first + place.skipped_rows, out);
    }
}

} // namespace levee::gguf
