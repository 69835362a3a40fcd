// SPDX-License-Identifier: Apache-2.0
// Folders as Hugging Face's transformers writes them, made from the formats' specifications, and
// results of their models by transformers' formulas. Nothing here is shared with the importer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace levee::test {

struct RawTensor {
    std::string name;
    std::vector<std::uint64_t> shape;
    std::vector<float> values;
};

struct RawModel {
    std::string architecture; ///< "LlamaForCausalLM", ...
    std::uint32_t dim, hidden, layers, heads, kv_heads, head_dim, vocab, context;
    double theta = 10000.0;
    double epsilon = 1e-5;
    bool tied = false;
    std::vector<RawTensor> tensors{};

    bool is_opt() const { return architecture == "OPTForCausalLM"; }
    bool has_qkv_biases() const { return architecture == "Qwen2ForCausalLM" || is_opt(); }
    const std::vector<float>& values(const std::string& name) const;
    std::string config() const; ///< config.json
};

/// Weights drawn by a hash: rows of codes up to 127 times a power of two, which FP16, BF16 and INT8
/// represent exactly. Has every tensor of the architecture.
RawModel drawn_model(RawModel sizes, std::uint32_t seed);

struct SafetensorsStyle {
    std::string type = "F32";     ///< or "F16", "BF16"
    bool table_backwards = false; ///< the header lists the last tensor first
    std::size_t padding = 0;      ///< blanks behind the header
    std::string more{};           ///< entries before the tensors, as "\"__metadata__\": {},"
};

/// One file's bytes, the tensors' data in their order.
std::string safetensors(std::span<const RawTensor> tensors, const SafetensorsStyle& style = {});

/// Any header, followed by any data.
std::string safetensors(const std::string& header, const std::string& data);

/// config.json and model.safetensors.
void write_model(const std::filesystem::path& folder, const RawModel& model,
                 const SafetensorsStyle& style = {});

/// Logits after each token in double precision, positions from 0.
std::vector<std::vector<double>> transformers_logits(const RawModel& model,
                                                     std::span<const std::uint32_t> tokens);

/// Tokens that greedy decoding appends. margin: the smallest lead of a chosen token over the next
/// best, relative to the largest logit.
std::vector<std::uint32_t> greedy(const RawModel& model, std::vector<std::uint32_t> tokens,
                                  std::size_t count, double& margin);

} // namespace levee::test
