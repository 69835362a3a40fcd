// SPDX-License-Identifier: Apache-2.0
// Imports small models of families that name their tensors differently, written as llama.cpp's
// converters write them. The results must equal those that the families' descriptions give for the
// checkpoint.
#include "test/reference/named_families.hpp"
#include "test/reference/plain_transformer.hpp"
#include "test/unit/gguf/imported.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee;
using namespace levee::test;

namespace {

const std::vector<std::uint32_t> tokens{3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11};

const std::map<std::string, std::string> architectures{{"gpt_neox", "gptneox"},
                                                       {"falcon", "falcon"},
                                                       {"exaone", "exaone"},
                                                       {"internlm2", "internlm2"},
                                                       {"minicpm", "minicpm"}};

/// Maps the part of a checkpoint's tensor name after the layer's number to the name in a GGUF file.
const std::map<std::string, std::string> layer_names{{"input_layernorm", "attn_norm"},
                                                     {"post_attention_layernorm", "ffn_norm"},
                                                     {"attention.dense", "attn_output"},
                                                     {"mlp.dense_h_to_4h", "ffn_up"},
                                                     {"mlp.dense_4h_to_h", "ffn_down"},
                                                     {"self_attention.dense", "attn_output"},
                                                     {"ln_1", "attn_norm"},
                                                     {"ln_2", "ffn_norm"},
                                                     {"attn.attention.q_proj", "attn_q"},
                                                     {"attn.attention.k_proj", "attn_k"},
                                                     {"attn.attention.v_proj", "attn_v"},
                                                     {"attn.attention.out_proj", "attn_output"},
                                                     {"mlp.c_fc_0", "ffn_gate"},
                                                     {"mlp.c_fc_1", "ffn_up"},
                                                     {"mlp.c_proj", "ffn_down"},
                                                     {"attention_norm", "attn_norm"},
                                                     {"ffn_norm", "ffn_norm"},
                                                     {"attention.wo", "attn_output"},
                                                     {"feed_forward.w1", "ffn_gate"},
                                                     {"feed_forward.w3", "ffn_up"},
                                                     {"feed_forward.w2", "ffn_down"},
                                                     {"self_attn.q_proj", "attn_q"},
                                                     {"self_attn.k_proj", "attn_k"},
                                                     {"self_attn.v_proj", "attn_v"},
                                                     {"self_attn.o_proj", "attn_output"},
                                                     {"mlp.gate_proj", "ffn_gate"},
                                                     {"mlp.up_proj", "ffn_up"},
                                                     {"mlp.down_proj", "ffn_down"},
                                                     {"attention.query_key_value", "attn_qkv"},
                                                     {"self_attention.query_key_value", "attn_qkv"},
                                                     {"attention.wqkv", "attn_qkv"}};
const std::map<std::string, std::string> top_names{{"embed_in", "token_embd"},
                                                   {"word_embeddings", "token_embd"},
                                                   {"wte", "token_embd"},
                                                   {"tok_embeddings", "token_embd"},
                                                   {"embed_tokens", "token_embd"},
                                                   {"final_layer_norm", "output_norm"},
                                                   {"ln_f", "output_norm"},
                                                   {"norm", "output_norm"},
                                                   {"lm_head", "output"},
                                                   {"embed_out", "output"},
                                                   {"output", "output"}};

std::string converted_name(const std::string& name)
{
    const auto dot = name.rfind('.');
    const std::string end = name.substr(dot), stem = name.substr(0, dot);
    for (const std::string layers : {".h.", ".layers."})
        if (const auto at = stem.find(layers); at != std::string::npos) {
            const auto number = at + layers.size(), behind = stem.find('.', number);
            return "blk." + stem.substr(number, behind - number) + "." +
                   layer_names.at(stem.substr(behind + 1)) + end;
        }
    return top_names.at(stem.substr(stem.rfind('.') + 1)) + end;
}

/// Returns the tensor's rows in the given order.
FamilyTensor ordered(const FamilyTensor& tensor, const std::vector<std::size_t>& order)
{
    const std::size_t cols = tensor.shape.size() > 1 ? tensor.shape[1] : 1;
    FamilyTensor result{tensor.shape, {}};
    result.shape[0] = order.size();
    for (const std::size_t row : order)
        result.values.insert(result.values.end(),
                             tensor.values.begin() + static_cast<std::ptrdiff_t>(row * cols),
                             tensor.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * cols));
    return result;
}

/// Returns the rows of Q, K and V in a tensor that is ordered by groups of heads.
std::vector<std::vector<std::size_t>> rows_of_groups(const FamilyCheckpoint& model)
{
    const std::size_t heads = model.count("num_attention_heads"), width = model.head_dim();
    const std::size_t groups =
        model.type() == "falcon" ? 1 : model.config.value("num_key_value_heads", heads);
    std::vector<std::vector<std::size_t>> rows(3);
    std::size_t next = 0;
    for (std::size_t group = 0; group < groups; ++group)
        for (std::size_t part = 0; part < 3; ++part)
            for (std::size_t i = 0; i < (part == 0 ? heads / groups : 1) * width; ++i)
                rows[part].push_back(next++);
    return rows;
}

/// Returns the order in which rotated pairs are neighbours.
std::vector<std::size_t> paired(const std::vector<std::size_t>& rows, std::size_t width)
{
    std::vector<std::size_t> result;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t in_head = row % width;
        result.push_back(rows[row - in_head + in_head / 2 + in_head % 2 * (width / 2)]);
    }
    return result;
}

void put(GgufWriter& writer, const std::string& name, const FamilyTensor& tensor)
{
    const std::vector<std::uint64_t> dimensions(tensor.shape.rbegin(), tensor.shape.rend());
    writer.tensor(name, dimensions, f32, encoded(tensor.values, f32));
}

void add_tensor(GgufWriter& writer, const FamilyCheckpoint& model, const std::string& name,
                const FamilyTensor& tensor)
{
    const std::string converted = converted_name(name);
    const auto rows = rows_of_groups(model);
    const std::string::size_type fused = converted.find("qkv");
    const bool pairs = model.type() == "internlm2" || model.type() == "minicpm";
    if (fused == std::string::npos) {
        std::vector<std::size_t> all(tensor.shape[0]);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        const bool rotated = converted.find("attn_q.") != std::string::npos ||
                             converted.find("attn_k.") != std::string::npos;
        put(writer, converted,
            ordered(tensor, pairs && rotated ? paired(all, model.head_dim()) : all));
    } else if (model.type() == "internlm2") {
        for (std::size_t part = 0; part < 3; ++part) {
            std::string own = converted;
            own.replace(fused, 3, std::string(1, "qkv"[part]));
            put(writer, own,
                ordered(tensor, part < 2 ? paired(rows[part], model.head_dim()) : rows[part]));
        }
    } else {
        std::vector<std::size_t> order = rows[0];
        order.insert(order.end(), rows[1].begin(), rows[1].end());
        order.insert(order.end(), rows[2].begin(), rows[2].end());
        put(writer, converted, ordered(tensor, order));
    }
}

GgufWriter converted(const FamilyCheckpoint& model)
{
    const std::string name = architectures.at(model.type());
    const nlohmann::json& config = model.config;
    const std::uint32_t dim = model.count("hidden_size"),
                        heads = model.count("num_attention_heads");
    GgufWriter writer;
    writer.text("general.architecture", name);
    writer.u32(name + ".context_length", model.count("max_position_embeddings"));
    writer.u32(name + ".embedding_length", dim);
    writer.u32(name + ".block_count", config.value("num_layers", 3U));
    writer.u32(name + ".feed_forward_length",
               config.value("intermediate_size", config.value("ffn_hidden_size", 4 * dim)));
    writer.u32(name + ".attention.head_count", heads);
    writer.u32(name + ".attention.head_count_kv",
               name == "falcon" ? 1 : config.value("num_key_value_heads", heads));
    writer.u32(name + ".attention.key_length", model.head_dim());
    writer.u32(name + ".attention.value_length", model.head_dim());
    const bool centred = name == "gptneox" || name == "falcon";
    writer.number(
        name + (centred ? ".attention.layer_norm_epsilon" : ".attention.layer_norm_rms_epsilon"),
        config.value("layer_norm_eps",
                     config.value("layer_norm_epsilon", config.value("rms_norm_eps", 1e-5F))));
    writer.u32(name + ".rope.dimension_count",
               2 * static_cast<std::uint32_t>(named_rotation(model).size()));
    writer.number(name + ".rope.freq_base", static_cast<float>(named_base(model)));
    if (name == "gptneox")
        writer.flag(name + ".use_parallel_residual", config.value("use_parallel_residual", true));
    if (name == "minicpm") {
        writer.number(name + ".embedding_scale", config.value("scale_emb", 1.0F));
        writer.number(name + ".residual_scale",
                      config.value("scale_depth", 1.0F) / std::sqrt(3.0F));
        writer.number(name + ".logit_scale",
                      static_cast<float>(dim) / config.value("dim_model_base", 1.0F));
    }
    for (const auto& [tensor_name, tensor] : model.tensors)
        add_tensor(writer, model, tensor_name, tensor);
    return writer;
}

/// Returns the largest difference at any position, relative to the logits at that position.
double difference(const FamilyCheckpoint& model, const GgufWriter& writer)
{
    const auto expected = named_logits(model, tokens);
    const auto found = plain_logits(imported(writer), tokens);
    double largest = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        double error = 0, square = 0;
        for (std::size_t i = 0; i < expected[t].size(); ++i) {
            error += std::pow(static_cast<double>(found[t].at(i)) - expected[t][i], 2);
            square += std::pow(expected[t][i], 2);
        }
        largest = std::max(largest, std::sqrt(error / square));
    }
    return largest;
}

} // namespace

TEST_CASE("Families with their own names compute from a GGUF file what their descriptions say")
{
    for (const FamilyCheckpoint& model : named_checkpoints()) {
        INFO(model.title);
        CHECK(difference(model, converted(model)) < 1e-5);
    }
}

TEST_CASE("A MiniCPM file without its factors is refused, and a second norm of Falcon-40B")
{
    for (const FamilyCheckpoint& model : named_checkpoints()) {
        GgufWriter writer = converted(model);
        if (model.title == "MiniCPM") {
            writer.drop("minicpm.residual_scale");
            CHECK(import_error(writer) == "m.gguf: key minicpm.residual_scale: absent, expected in "
                                          "a model of architecture minicpm");
        } else if (model.title == "Falcon") {
            writer.tensor("blk.0.attn_norm_2.weight", {32}, f32,
                          encoded(std::vector<float>(32), f32));
            CHECK_THAT(import_error(writer),
                       Catch::StartsWith("m.gguf: tensor blk.0.attn_norm_2.weight: not supported"));
        }
    }
}
