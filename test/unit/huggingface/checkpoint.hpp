// SPDX-License-Identifier: Apache-2.0
// Writes folders as Hugging Face's transformers does, from the formats' specifications. Computes
// the models' results by transformers' formulas. Shares no code with the importer.
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
    std::string architecture; ///< such as "LlamaForCausalLM"
    std::uint32_t dim, hidden, layers, heads, kv_heads, head_dim, vocab, context;
    double theta = 10000.0;
    double epsilon = 1e-5;
    bool tied = false;
    std::vector<RawTensor> tensors{};

    bool is_opt() const { return architecture == "OPTForCausalLM"; }
    bool has_qkv_biases() const { return architecture == "Qwen2ForCausalLM" || is_opt(); }
    const std::vector<float>& values(const std::string& name) const;
    std::string config() const; ///< Returns the content of config.json.
};

/// Returns the model with every tensor of its architecture. Weights are codes of at most 127, drawn
/// by a hash, times a power of two for each row. FP16, BF16 and INT8 represent these exactly.
RawModel drawn_model(RawModel sizes, std::uint32_t seed);

struct SafetensorsStyle {
    std::string type = "F32";     ///< "F32", "F16" or "BF16"
    bool table_backwards = false; ///< The header lists the last tensor first.
    std::size_t padding = 0;      ///< number of blanks after the header
    std::string more{};           ///< Entries before the tensors, such as "\"__metadata__\": {},".
};

/// Returns a file's bytes, with the tensors' data in their order.
std::string safetensors(std::span<const RawTensor> tensors, const SafetensorsStyle& style = {});

/// Returns a file with any header and any data.
std::string safetensors(const std::string& header, const std::string& data);

/// Writes config.json and model.safetensors.
void write_model(const std::filesystem::path& folder, const RawModel& model,
                 const SafetensorsStyle& style = {});

/// Returns the logits after each token in double precision. Positions start at 0.
std::vector<std::vector<double>> transformers_logits(const RawModel& model,
                                                     std::span<const std::uint32_t> tokens);

/// Returns the tokens that greedy decoding appends. Sets `margin` to the smallest lead of a chosen
/// token over the next best, relative to the largest logit.
std::vector<std::uint32_t> greedy(const RawModel& model, std::vector<std::uint32_t> tokens,
                                  std::size_t count, double& margin);

} // namespace levee::test
