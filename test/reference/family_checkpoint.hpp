// SPDX-License-Identifier: Apache-2.0
// Small checkpoints of published families in the form of Hugging Face's transformers, with a
// config.json and named tensors. Shares no code with an importer.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace levee::test {

struct FamilyTensor {
    std::vector<std::uint64_t> shape;
    std::vector<float> values;
};

struct FamilyCheckpoint {
    std::string title;
    nlohmann::json config;
    std::map<std::string, FamilyTensor> tensors{};

    std::string type() const { return config.at("model_type"); }
    std::uint32_t count(const char* key) const { return config.at(key); }
    bool has_experts() const;
    std::uint32_t experts() const; ///< Number of experts; requires has_experts().
    std::uint32_t chosen() const
    {
        return count(config.contains("moe_k") ? "moe_k" : "num_experts_per_tok");
    }
    /// Returns whether this layer of a mixture has experts.
    bool is_sparse(std::uint32_t layer) const;
    /// Returns the width of the shared expert, which all tokens use; 0: none.
    std::uint32_t shared_width() const;
    std::uint32_t expert_width() const
    {
        return count(config.contains("moe_intermediate_size") ? "moe_intermediate_size"
                                                              : "intermediate_size");
    }
    /// Returns whether keys and values are computed from one latent vector.
    bool is_latent() const { return config.contains("kv_lora_rank"); }
    /// Returns the config's value or transformers' default. With latent attention, this is the
    /// width of a query.
    std::uint32_t head_dim() const
    {
        if (is_latent())
            return count("qk_nope_head_dim") + count("qk_rope_head_dim");
        return config.value("head_dim", count("hidden_size") / count("num_attention_heads"));
    }
};

/// Returns every family that is imported completely, and variants of each that differ in one key. A
/// variant's title is its family's title, ": " and more.
std::vector<FamilyCheckpoint> family_checkpoints();

/// Returns checkpoints of families with mixtures of experts.
std::vector<FamilyCheckpoint> mixture_checkpoints();

/// Returns checkpoints of families with latent attention.
std::vector<FamilyCheckpoint> latent_checkpoints();

} // namespace levee::test
