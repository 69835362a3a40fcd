// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_shape.hpp"

#include "core/numerics/element_names.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace levee {

namespace {

constexpr std::uint32_t max_dimension = 1U << 20;
constexpr std::uint32_t max_layers = 4096;
constexpr std::uint32_t max_experts = 4096;

constexpr std::array tensor_names{"unknown",
                                  "EMBEDDING",
                                  "POSITION",
                                  "ROPE_PHASE",
                                  "NORM_ATTENTION",
                                  "NORM_ATTENTION_BIAS",
                                  "WQ",
                                  "WK",
                                  "WV",
                                  "WO",
                                  "BQ",
                                  "BK",
                                  "BV",
                                  "BO",
                                  "NORM_FFN",
                                  "NORM_FFN_BIAS",
                                  "W_GATE",
                                  "W_UP",
                                  "W_DOWN",
                                  "B_UP",
                                  "B_DOWN",
                                  "NORM_FINAL",
                                  "NORM_FINAL_BIAS",
                                  "CLASSIFIER",
                                  "NORM_QUERY",
                                  "NORM_KEY",
                                  "NORM_ATTENTION_AFTER",
                                  "NORM_ATTENTION_AFTER_BIAS",
                                  "NORM_FFN_AFTER",
                                  "NORM_FFN_AFTER_BIAS",
                                  "LAYER_FLAGS",
                                  "ROPE_PHASE_LOCAL",
                                  "W_ROUTER",
                                  "W_EXPERTS_UP",
                                  "W_EXPERTS_DOWN"};
static_assert(tensor_names.size() == LEVEE_TENSOR_LAST + 1);

/// A gain, and a bias, whose kind follows, where norms have one.
void add_norm(std::vector<TensorGroup>& groups, const ModelShape& shape, levee_tensor_kind gain,
              std::uint32_t layer)
{
    groups.push_back({{gain, layer, TensorRole::vector, 1, shape.dim}});
    if (shape.norm == LEVEE_NORM_LAYER)
        groups.push_back(
            {{static_cast<levee_tensor_kind>(gain + 1), layer, TensorRole::vector, 1, shape.dim}});
}

void add_head_norms(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    if (shape.head_norm == HeadNorm::none)
        return;
    const bool all = shape.head_norm == HeadNorm::all;
    const std::uint32_t query = (all ? shape.heads : 1) * shape.head_dim;
    const std::uint32_t key = (all ? shape.kv_heads : 1) * shape.head_dim;
    groups.push_back({{LEVEE_TENSOR_NORM_QUERY, layer, TensorRole::vector, 1, query}});
    groups.push_back({{LEVEE_TENSOR_NORM_KEY, layer, TensorRole::vector, 1, key}});
}

void add_attention(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    const std::uint32_t q_rows = shape.heads * shape.head_dim;
    const std::uint32_t kv_rows = shape.kv_heads * shape.head_dim;
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    if (shape.has_norms_before())
        add_norm(groups, shape, LEVEE_TENSOR_NORM_ATTENTION, layer);
    groups.push_back({{LEVEE_TENSOR_WQ, layer, matrix, q_rows, shape.dim},
                      {LEVEE_TENSOR_WK, layer, matrix, kv_rows, shape.dim},
                      {LEVEE_TENSOR_WV, layer, matrix, kv_rows, shape.dim}});
    if (shape.biased_qkv()) {
        groups.push_back({{LEVEE_TENSOR_BQ, layer, vector, 1, q_rows},
                          {LEVEE_TENSOR_BK, layer, vector, 1, kv_rows},
                          {LEVEE_TENSOR_BV, layer, vector, 1, kv_rows}});
    }
    add_head_norms(groups, shape, layer);
    groups.push_back({{LEVEE_TENSOR_WO, layer, matrix, shape.dim, q_rows}});
    if (shape.biases) {
        groups.push_back({{LEVEE_TENSOR_BO, layer, vector, 1, shape.dim}});
    }
    if (shape.has_norms_after())
        add_norm(groups, shape, LEVEE_TENSOR_NORM_ATTENTION_AFTER, layer);
}

void add_feed_forward(std::vector<TensorGroup>& groups, const ModelShape& shape,
                      std::uint32_t layer)
{
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    if (shape.has_norms_before() && !shape.parallel)
        add_norm(groups, shape, LEVEE_TENSOR_NORM_FFN, layer);
    if (shape.experts != 0) {
        const std::uint32_t halves = shape.gated() ? 2 : 1;
        groups.push_back({{LEVEE_TENSOR_W_ROUTER, layer, matrix, shape.experts, shape.dim}});
        groups.push_back({{LEVEE_TENSOR_W_EXPERTS_UP, layer, matrix,
                           shape.experts * halves * shape.hidden, shape.dim}});
        groups.push_back({{LEVEE_TENSOR_W_EXPERTS_DOWN, layer, matrix, shape.experts * shape.dim,
                           shape.hidden}});
        if (shape.has_norms_after())
            add_norm(groups, shape, LEVEE_TENSOR_NORM_FFN_AFTER, layer);
        return;
    }
    TensorGroup up;
    if (shape.gated()) {
        up.push_back({LEVEE_TENSOR_W_GATE, layer, matrix, shape.hidden, shape.dim});
    }
    up.push_back({LEVEE_TENSOR_W_UP, layer, matrix, shape.hidden, shape.dim});
    groups.push_back(up);
    if (shape.biases) {
        groups.push_back({{LEVEE_TENSOR_B_UP, layer, vector, 1, shape.hidden}});
    }
    groups.push_back({{LEVEE_TENSOR_W_DOWN, layer, matrix, shape.dim, shape.hidden}});
    if (shape.biases) {
        groups.push_back({{LEVEE_TENSOR_B_DOWN, layer, vector, 1, shape.dim}});
    }
    if (shape.has_norms_after())
        add_norm(groups, shape, LEVEE_TENSOR_NORM_FFN_AFTER, layer);
}

class ShapeChecker {
public:
    ShapeChecker(const std::string& source, const ShapeKeys& keys) : source_(source), keys_(keys) {}

    void range(const char* field, std::uint32_t value, std::uint32_t most) const
    {
        if (value < 1 || value > most) {
            fail(field, std::to_string(value), "1 to " + std::to_string(most));
        }
    }

    [[noreturn]] void fail(const char* field, const std::string& found,
                           const std::string& expected) const
    {
        const std::string place = keys_.contains(field) ? name(field) : "header." + name(field);
        throw ModelError(source_ + ": " + place + ": " + found + ", expected " + expected);
    }

    std::string name(const char* field) const
    {
        const auto known = keys_.find(field);
        return known != keys_.end() ? known->second : field;
    }

private:
    const std::string& source_;
    const ShapeKeys& keys_;
};

void check_cap(const char* field, float cap, const ShapeChecker& check)
{
    if (!(cap >= 0.0F && std::isfinite(cap)))
        check.fail(field, std::to_string(cap), "a number above 0, or 0 for none");
}

void check_layers(const ModelShape& shape, const ShapeChecker& check)
{
    constexpr std::uint32_t known = LEVEE_LAYER_UNROTATED | LEVEE_LAYER_LOCAL;
    std::uint32_t all = 0;
    for (const std::uint32_t flags : shape.layer_flags)
        all |= flags;
    if (!shape.layer_flags.empty() && shape.layer_flags.size() != shape.layers)
        check.fail("layer_flags", std::to_string(shape.layer_flags.size()) + " layers",
                   std::to_string(shape.layers));
    if ((all & ~known) != 0)
        check.fail("layer_flags", std::to_string(all), "bits up to " + std::to_string(known));
    const bool local = (all & LEVEE_LAYER_LOCAL) != 0;
    if (local != (shape.window != 0))
        check.fail("window", std::to_string(shape.window),
                   local ? "1 or more tokens, as layers are local" : "0, as no layer is local");
    if (shape.local_phases && !local)
        check.fail("layer_flags", "no local layer", "one, as there are phases of local layers");
    if (!shape.rotated() && (shape.local_phases || (all & LEVEE_LAYER_UNROTATED) != 0))
        check.fail("position", "learned positions", "rotated ones, as layers differ in them");
}

void check_experts(const ModelShape& shape, const ShapeChecker& check)
{
    if (shape.experts == 0 ? shape.chosen != 0 || shape.among_chosen
                           : shape.chosen == 0 || shape.chosen > shape.experts)
        check.fail("chosen", std::to_string(shape.chosen),
                   shape.experts == 0 ? "0 without experts"
                                      : "1 to " + std::to_string(shape.experts) + ", the experts");
    if (shape.experts > max_experts)
        check.fail("experts", std::to_string(shape.experts),
                   "at most " + std::to_string(max_experts));
    if (shape.experts > shape.dim)
        check.fail("experts", std::to_string(shape.experts),
                   "at most " + check.name("dim") + ", " + std::to_string(shape.dim));
    if (shape.experts != 0 && shape.biases)
        check.fail("biases", "those of experts", "none, or those of WQ, WK and WV alone");
}

void check_structure(const ModelShape& shape, const ShapeChecker& check)
{
    if (shape.rotary_dim % 2 != 0 || shape.rotary_dim > shape.head_dim)
        check.fail("rotary_dim", std::to_string(shape.rotary_dim),
                   "an even number up to " + check.name("head_dim") + ", " +
                       std::to_string(shape.head_dim));
    if (!shape.rotated() && shape.rotary_dim != 0)
        check.fail("rotary_dim", std::to_string(shape.rotary_dim), "0 with learned positions");
    if (shape.parallel && shape.norm_place != NormPlace::before)
        check.fail("parallel", "with norms after its halves", "norms before them alone");
    check_experts(shape, check);
    check_cap("score_cap", shape.score_cap, check);
    check_cap("logit_cap", shape.logit_cap, check);
    check_layers(shape, check);
}

} // namespace

ModelShape llama_shape(std::uint32_t dim, std::uint32_t hidden, std::uint32_t layers,
                       std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t vocab,
                       std::uint32_t max_context)
{
    ModelShape shape;
    shape.dim = dim;
    shape.hidden = hidden;
    shape.layers = layers;
    shape.heads = heads;
    shape.kv_heads = kv_heads;
    shape.head_dim = heads == 0 ? 0 : dim / heads;
    shape.vocab = vocab;
    shape.max_context = max_context;
    return shape;
}

ModelShape opt_shape(std::uint32_t dim, std::uint32_t hidden, std::uint32_t layers,
                     std::uint32_t heads, std::uint32_t vocab, std::uint32_t max_context)
{
    ModelShape shape = llama_shape(dim, hidden, layers, heads, heads, vocab, max_context);
    shape.norm = LEVEE_NORM_LAYER;
    shape.activation = LEVEE_ACTIVATION_RELU;
    shape.position = LEVEE_POSITION_LEARNED;
    shape.biases = true;
    return shape;
}

void check_shape(const ModelShape& shape, const std::string& source)
{
    check_shape(shape, source, {});
}

void check_shape(const ModelShape& shape, const std::string& source, const ShapeKeys& keys)
{
    const ShapeChecker check(source, keys);
    check.range("dim", shape.dim, max_dimension);
    check.range("hidden", shape.hidden, max_dimension);
    check.range("layers", shape.layers, max_layers);
    check.range("heads", shape.heads, max_dimension);
    check.range("kv_heads", shape.kv_heads, shape.heads);
    check.range("head_dim", shape.head_dim, max_dimension / shape.heads);
    check.range("vocab", shape.vocab, max_dimension);
    check.range("max_context", shape.max_context, max_dimension);
    if (shape.heads % shape.kv_heads != 0) {
        check.fail("kv_heads", std::to_string(shape.kv_heads),
                   "a divisor of " + check.name("heads") + ", " + std::to_string(shape.heads));
    }
    if (shape.head_dim % 2 != 0) {
        check.fail("head_dim", std::to_string(shape.head_dim),
                   "an even number, as positions are rotated in pairs and rows begin at words");
    }
    if (!(shape.norm_epsilon > 0.0F && shape.norm_epsilon < 1.0F)) {
        check.fail("norm_epsilon", std::to_string(shape.norm_epsilon), "between 0 and 1");
    }
    if (shape.biases && shape.gated()) {
        check.fail("activation", "a gated network with biases",
                   "none, or those of WQ, WK and WV alone: the image has no bias for W_GATE");
    }
    check_structure(shape, check);
}

std::vector<TensorGroup> required_tensors(const ModelShape& shape)
{
    std::vector<TensorGroup> groups;
    const std::uint32_t own = LEVEE_NO_LAYER;
    if (!shape.layer_flags.empty())
        groups.push_back({{LEVEE_TENSOR_LAYER_FLAGS, own, TensorRole::words, 1, shape.layers}});
    groups.push_back({{LEVEE_TENSOR_EMBEDDING, own, TensorRole::matrix, shape.vocab, shape.dim}});
    if (shape.rotated()) {
        const std::uint32_t pairs = shape.rotary() / 2;
        groups.push_back({{LEVEE_TENSOR_ROPE_PHASE, own, TensorRole::words, 1, pairs}});
        if (shape.local_phases)
            groups.push_back({{LEVEE_TENSOR_ROPE_PHASE_LOCAL, own, TensorRole::words, 1, pairs}});
    } else {
        groups.push_back(
            {{LEVEE_TENSOR_POSITION, own, TensorRole::vector, shape.max_context, shape.dim}});
    }
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
        add_attention(groups, shape, layer);
        add_feed_forward(groups, shape, layer);
    }
    add_norm(groups, shape, LEVEE_TENSOR_NORM_FINAL, own);
    if (!shape.tied) {
        groups.push_back(
            {{LEVEE_TENSOR_CLASSIFIER, own, TensorRole::matrix, shape.vocab, shape.dim}});
    }
    return groups;
}

const char* tensor_name(std::uint32_t kind)
{
    return kind < tensor_names.size() ? tensor_names[kind] : tensor_names[0];
}

std::string tensor_place(std::uint32_t kind, std::uint32_t layer)
{
    const std::string name = tensor_name(kind);
    return layer == LEVEE_NO_LAYER ? name : name + " of layer " + std::to_string(layer);
}

std::string format_name(const WeightFormat& format)
{
    const std::string type = type_name(format.type);
    return format.group == 0 ? type : type + " in groups of " + std::to_string(format.group);
}

void check_format(const WeightFormat& format, const std::string& place)
{
    if (!format.has_scales() && format.type != LEVEE_TYPE_FP16 && format.type != LEVEE_TYPE_FP32)
        throw ModelError(place + ": weights of type " + type_name(format.type) +
                         ", expected INT3, INT4, INT8, FP16 or FP32");
    if (format.group == 0)
        return;
    if (!format.has_scales())
        throw ModelError(place + ": groups of " + std::to_string(format.group) +
                         " weights of type " + type_name(format.type) +
                         ", expected none: only INT3, INT4 and INT8 have scales");
    if (format.group < LEVEE_MODEL_MIN_GROUP || format.group > LEVEE_MODEL_MAX_GROUP ||
        !std::has_single_bit(format.group))
        throw ModelError(place + ": groups of " + std::to_string(format.group) +
                         " weights, expected a power of 2 from " +
                         std::to_string(LEVEE_MODEL_MIN_GROUP) + " to " +
                         std::to_string(LEVEE_MODEL_MAX_GROUP));
}

const char* type_name(std::uint32_t type)
{
    return type < std::size(element_type_names) ? element_type_names[type] : "unknown";
}

} // namespace levee
