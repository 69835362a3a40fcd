// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_shape.hpp"

#include "core/numerics/element_names.hpp"
#include "platform/input/model/most_layers.hpp"
#include "platform/input/model/shape_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace levee {

namespace {

constexpr std::uint32_t max_dimension = 1U << 20;
constexpr std::uint32_t most_heads_together = 255; // limit of levee_sfu_operation.group
constexpr std::uint32_t max_experts = 4096;
constexpr std::uint64_t max_expert_rows = std::uint64_t{1} << 31; // limits of a tensor

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
                                  "W_EXPERTS_DOWN",
                                  "B_ROUTER",
                                  "B_EXPERTS_UP",
                                  "B_EXPERTS_DOWN",
                                  "ATTENTION_SINKS",
                                  "ROUTER_CHOICE_BIAS",
                                  "W_SHARED_GATE",
                                  "W_QUERY_LATENT",
                                  "NORM_QUERY_LATENT",
                                  "W_KV_LATENT",
                                  "NORM_KV_LATENT",
                                  "W_KEY_UP",
                                  "W_VALUE_UP"};
static_assert(tensor_names.size() == LEVEE_TENSOR_LAST + 1);

/// Adds a norm's gain and, if norms have biases, its bias. The number of the bias's kind follows
/// the number of the gain's kind.
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

/// Adds the matrices for queries and latent vectors.
void add_latent(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    const std::uint32_t from = shape.query_latent != 0 ? shape.query_latent : shape.dim;
    if (shape.query_latent != 0) {
        groups.push_back({{LEVEE_TENSOR_W_QUERY_LATENT, layer, matrix, from, shape.dim}});
        groups.push_back({{LEVEE_TENSOR_NORM_QUERY_LATENT, layer, vector, 1, from}});
    }
    groups.push_back({{LEVEE_TENSOR_WQ, layer, matrix, shape.heads * shape.raw_query(), from}});
    groups.push_back({{LEVEE_TENSOR_W_KV_LATENT, layer, matrix, shape.head_dim, shape.dim}});
    groups.push_back({{LEVEE_TENSOR_NORM_KV_LATENT, layer, vector, 1, shape.kv_latent}});
    groups.push_back(
        {{LEVEE_TENSOR_W_KEY_UP, layer, matrix, shape.heads * shape.kv_latent, shape.nope_dim}});
    groups.push_back(
        {{LEVEE_TENSOR_W_VALUE_UP, layer, matrix, shape.heads * shape.value_dim, shape.kv_latent}});
}

/// Adds the matrices for queries, keys and values of heads.
void add_heads(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    const std::uint32_t q_rows = shape.heads * shape.head_dim;
    const std::uint32_t kv_rows = shape.kv_heads * shape.head_dim;
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    groups.push_back({{LEVEE_TENSOR_WQ, layer, matrix, q_rows, shape.dim},
                      {LEVEE_TENSOR_WK, layer, matrix, kv_rows, shape.dim},
                      {LEVEE_TENSOR_WV, layer, matrix, kv_rows, shape.dim}});
    if (shape.biased_qkv()) {
        groups.push_back({{LEVEE_TENSOR_BQ, layer, vector, 1, q_rows},
                          {LEVEE_TENSOR_BK, layer, vector, 1, kv_rows},
                          {LEVEE_TENSOR_BV, layer, vector, 1, kv_rows}});
    }
    add_head_norms(groups, shape, layer);
}

void add_attention(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    const auto vector = TensorRole::vector;
    const std::uint32_t results = shape.heads * shape.head_result();
    if (shape.has_norms_before())
        add_norm(groups, shape, LEVEE_TENSOR_NORM_ATTENTION, layer);
    if (shape.kv_latent != 0)
        add_latent(groups, shape, layer);
    else
        add_heads(groups, shape, layer);
    if (shape.sinks)
        groups.push_back({{LEVEE_TENSOR_ATTENTION_SINKS, layer, vector, 1, shape.heads}});
    groups.push_back({{LEVEE_TENSOR_WO, layer, TensorRole::matrix, shape.dim, results}});
    if (shape.biased_output()) {
        groups.push_back({{LEVEE_TENSOR_BO, layer, vector, 1, shape.dim}});
    }
    if (shape.has_norms_after())
        add_norm(groups, shape, LEVEE_TENSOR_NORM_ATTENTION_AFTER, layer);
}

/// Adds one network with the width `hidden`.
void add_network(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer,
                 std::uint32_t hidden)
{
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    TensorGroup up;
    if (shape.gated()) {
        up.push_back({LEVEE_TENSOR_W_GATE, layer, matrix, hidden, shape.dim});
    }
    up.push_back({LEVEE_TENSOR_W_UP, layer, matrix, hidden, shape.dim});
    groups.push_back(up);
    if (shape.biases) {
        groups.push_back({{LEVEE_TENSOR_B_UP, layer, vector, 1, hidden}});
    }
    groups.push_back({{LEVEE_TENSOR_W_DOWN, layer, matrix, shape.dim, hidden}});
    if (shape.biases) {
        groups.push_back({{LEVEE_TENSOR_B_DOWN, layer, vector, 1, shape.dim}});
    }
}

void add_experts(std::vector<TensorGroup>& groups, const ModelShape& shape, std::uint32_t layer)
{
    const auto matrix = TensorRole::matrix;
    const auto vector = TensorRole::vector;
    const std::uint32_t count = shape.experts;
    const std::uint32_t rows = count * (shape.gated() ? 2 : 1) * shape.hidden;
    groups.push_back({{LEVEE_TENSOR_W_ROUTER, layer, matrix, count, shape.dim}});
    if (shape.router_bias)
        groups.push_back({{LEVEE_TENSOR_B_ROUTER, layer, vector, 1, count}});
    if (shape.choice_bias)
        groups.push_back({{LEVEE_TENSOR_ROUTER_CHOICE_BIAS, layer, vector, 1, count}});
    groups.push_back({{LEVEE_TENSOR_W_EXPERTS_UP, layer, matrix, rows, shape.dim}});
    if (shape.expert_biases)
        groups.push_back({{LEVEE_TENSOR_B_EXPERTS_UP, layer, vector, 1, rows}});
    groups.push_back(
        {{LEVEE_TENSOR_W_EXPERTS_DOWN, layer, matrix, count * shape.dim, shape.hidden}});
    if (shape.expert_biases)
        groups.push_back({{LEVEE_TENSOR_B_EXPERTS_DOWN, layer, vector, 1, count * shape.dim}});
    if (shape.shared_hidden != 0)
        add_network(groups, shape, layer, shape.shared_hidden);
    if (shape.shared_gate)
        groups.push_back({{LEVEE_TENSOR_W_SHARED_GATE, layer, matrix, 1, shape.dim}});
}

void add_feed_forward(std::vector<TensorGroup>& groups, const ModelShape& shape,
                      std::uint32_t layer)
{
    if (shape.has_norms_before() && !shape.parallel)
        add_norm(groups, shape, LEVEE_TENSOR_NORM_FFN, layer);
    if (shape.has_experts(layer))
        add_experts(groups, shape, layer);
    else
        add_network(groups, shape, layer, shape.experts != 0 ? shape.dense_hidden : shape.hidden);
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
        throw ShapeError(source_, place, field, found + ", expected " + expected);
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
    constexpr std::uint32_t known = LEVEE_LAYER_UNROTATED | LEVEE_LAYER_LOCAL | LEVEE_LAYER_DENSE;
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
        check.fail("layer_flags", "no local layer",
                   "at least one, as rotary phases of local layers are given");
    if (!shape.rotated() && (shape.local_phases || (all & LEVEE_LAYER_UNROTATED) != 0))
        check.fail("position", "learned positions",
                   "rotary positions, as layers differ in their rotation");
}

void check_experts(const ModelShape& shape, const ShapeChecker& check)
{
    if (shape.experts == 0 ? shape.chosen != 0 || shape.among_chosen
                           : shape.chosen == 0 || shape.chosen > shape.experts)
        check.fail("chosen", std::to_string(shape.chosen),
                   shape.experts == 0
                       ? "0 without experts"
                       : "1 to " + std::to_string(shape.experts) + ", the number of experts");
    if (shape.experts > max_experts)
        check.fail("experts", std::to_string(shape.experts),
                   "at most " + std::to_string(max_experts));
    if (shape.experts > shape.dim)
        check.fail("experts", std::to_string(shape.experts),
                   "at most " + check.name("dim") + ", " + std::to_string(shape.dim));
    if (shape.experts != 0 && shape.biases)
        check.fail("biases", "all matrices",
                   "none, or only biases of attention; experts' biases are given by expert_biases");
    if (std::uint64_t{shape.experts} * std::max(2 * shape.hidden, shape.dim) > max_expert_rows)
        check.fail("experts",
                   std::to_string(shape.experts) + " of width " + std::to_string(shape.hidden),
                   "at most " + std::to_string(max_expert_rows) +
                       " rows in the matrices of all experts together");
}

/// Checks fields that only models with experts have.
void check_mixture(const ModelShape& shape, const ShapeChecker& check)
{
    const std::pair<const char*, bool> properties[] = {{"routing", shape.sigmoid},
                                                       {"router_bias", shape.router_bias},
                                                       {"choice_bias", shape.choice_bias},
                                                       {"expert_bias", shape.expert_biases},
                                                       {"shared_hidden", shape.shared_hidden != 0},
                                                       {"dense_hidden", shape.dense_hidden != 0}};
    for (const auto& [field, is_there] : properties)
        if (is_there && shape.experts == 0)
            check.fail(field, "given without experts",
                       "no such field: it applies only with " + check.name("experts") + " above 0");
    if (shape.shared_gate && shape.shared_hidden == 0)
        check.fail("shared_gate", "a gate without a shared expert",
                   check.name("shared_hidden") + " as well");
    for (const auto& [field, width] : {std::pair{"shared_hidden", shape.shared_hidden},
                                       std::pair{"dense_hidden", shape.dense_hidden}})
        if (width != 0)
            check.range(field, width, max_dimension);
    const auto is_dense = [](std::uint32_t flags) { return (flags & LEVEE_LAYER_DENSE) != 0; };
    const bool dense = std::ranges::any_of(shape.layer_flags, is_dense);
    if (dense != (shape.dense_hidden != 0))
        check.fail("dense_hidden", std::to_string(shape.dense_hidden),
                   dense ? "the width of the layers without experts"
                         : "0, as all layers have experts");
    if (dense && std::ranges::all_of(shape.layer_flags, is_dense))
        check.fail("experts", std::to_string(shape.experts), "0, as no layer has experts");
}

void check_clamp(const ModelShape& shape, const ShapeChecker& check)
{
    const bool clamped = shape.activation == LEVEE_ACTIVATION_CLAMPED_GLU;
    for (const auto& [field, value] :
         {std::pair{"glu_limit", shape.glu_limit}, std::pair{"glu_alpha", shape.glu_alpha}})
        if (clamped ? !(value > 0.0F && std::isfinite(value)) : value != 0.0F)
            check.fail(field, std::to_string(value),
                       clamped ? "a number above 0, as the activation is clamped_glu"
                               : "0, as the activation is not clamped_glu");
}

/// Checks latent attention, which has one key for all heads, and neither biases nor norms of heads.
void check_latent(const ModelShape& shape, const ShapeChecker& check)
{
    for (const auto& [field, width] :
         {std::pair{"query_latent", shape.query_latent}, std::pair{"nope_dim", shape.nope_dim},
          std::pair{"value_dim", shape.value_dim}})
        if (shape.kv_latent == 0 && width != 0)
            check.fail(field, std::to_string(width),
                       "0: this size applies only with " + check.name("kv_latent") + " above 0");
    if (shape.kv_latent == 0)
        return;
    check.range("kv_latent", shape.kv_latent, max_dimension);
    check.range("nope_dim", shape.nope_dim, max_dimension / shape.heads);
    check.range("value_dim", shape.value_dim, max_dimension / shape.heads);
    if (shape.query_latent != 0)
        check.range("query_latent", shape.query_latent, max_dimension);
    if (shape.kv_heads != 1)
        check.fail("kv_heads", std::to_string(shape.kv_heads),
                   "1, as all heads share the latent vector as key and value");
    if (!shape.rotated() || shape.rotary_dim == 0)
        check.fail("rotary_dim", std::to_string(shape.rotary_dim),
                   "2 or more rotated elements in addition to the latent vector");
    if (shape.head_dim != std::uint64_t{shape.kv_latent} + shape.rotary_dim)
        check.fail("head_dim", std::to_string(shape.head_dim),
                   check.name("kv_latent") + " and " + check.name("rotary_dim") + " together, " +
                       std::to_string(std::uint64_t{shape.kv_latent} + shape.rotary_dim));
    if (shape.biased_qkv())
        check.fail("biases", "queries, keys and values", "none with latent attention");
    if (shape.head_norm != HeadNorm::none)
        check.fail("head_norm", "norms of queries and keys", "none with latent attention");
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
        check.fail("parallel", "with norms after attention and the feed-forward network",
                   "norms only before both");
    check_latent(shape, check);
    check_experts(shape, check);
    check_mixture(shape, check);
    check_clamp(shape, check);
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
    check.range("layers", shape.layers, most_layers);
    check.range("heads", shape.heads, max_dimension);
    check.range("kv_heads", shape.kv_heads, shape.heads);
    check.range("head_dim", shape.head_dim, max_dimension / shape.heads);
    check.range("vocab", shape.vocab, max_dimension);
    check.range("max_context", shape.max_context, max_dimension);
    if (shape.heads % shape.kv_heads != 0) {
        check.fail("kv_heads", std::to_string(shape.kv_heads),
                   "a divisor of " + check.name("heads") + ", " + std::to_string(shape.heads));
    }
    if (shape.heads / shape.kv_heads > most_heads_together) {
        check.fail("kv_heads", std::to_string(shape.kv_heads),
                   "a number that gives each KV head at most " +
                       std::to_string(most_heads_together) +
                       " query heads, the most that function units process together");
    }
    if (shape.head_dim % 2 != 0) {
        check.fail("head_dim", std::to_string(shape.head_dim),
                   "an even number, as elements are rotated in pairs and rows are word-aligned");
    }
    if (!(shape.norm_epsilon > 0.0F && shape.norm_epsilon < 1.0F)) {
        check.fail("norm_epsilon", std::to_string(shape.norm_epsilon), "between 0 and 1");
    }
    if (shape.biases && shape.gated()) {
        check.fail("activation", "a gated network with biases",
                   "none, or only those of attention: the image has no bias for W_GATE");
    }
    if (shape.biases + shape.qkv_biases + shape.attention_biases > 1)
        check.fail("biases", "several kinds of biases", "one kind");
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
    if (!format.has_scales() && format.scales != ScaleRule::Largest)
        throw ModelError(place + ": a rule for scales of weights of type " +
                         type_name(format.type) +
                         ", expected none: only INT3, INT4 and INT8 have scales");
    if (format.group != 0 && format.scales == ScaleRule::Tensor)
        throw ModelError(place + ": groups of " + std::to_string(format.group) +
                         " weights with one scale for each matrix, expected no groups");
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
