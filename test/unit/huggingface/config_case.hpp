// SPDX-License-Identifier: Apache-2.0
// The config.json files from which tests of the reader start.
#pragma once

#include "platform/input/import/huggingface/config.hpp"
#include "platform/input/import/huggingface/shape_file.hpp"
#include "platform/input/model/model_counts.hpp"
#include "platform/input/model/model_name.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

namespace levee::test {

using Notes = std::vector<std::string>;
using Edits = std::vector<std::pair<std::string, std::string>>; // Key and JSON value; "" removes
                                                                // the key.

inline const Edits small_llama{{"architectures", R"(["LlamaForCausalLM"])"},
                               {"model_type", R"("llama")"},
                               {"hidden_size", "64"},
                               {"intermediate_size", "172"},
                               {"num_hidden_layers", "5"},
                               {"num_attention_heads", "8"},
                               {"num_key_value_heads", "4"},
                               {"vocab_size", "512"},
                               {"max_position_embeddings", "512"},
                               {"rms_norm_eps", "1e-05"},
                               {"rope_theta", "10000.0"},
                               {"hidden_act", R"("silu")"},
                               {"rope_scaling", "null"},
                               {"head_dim", "8"},
                               {"tie_word_embeddings", "false"},
                               {"attention_bias", "false"},
                               {"mlp_bias", "false"},
                               {"torch_dtype", R"("float16")"}};

inline const Edits small_opt{{"architectures", R"(["OPTForCausalLM"])"},
                             {"hidden_size", "32"},
                             {"ffn_dim", "128"},
                             {"num_hidden_layers", "2"},
                             {"num_attention_heads", "4"},
                             {"vocab_size", "50272"},
                             {"max_position_embeddings", "2048"},
                             {"activation_function", R"("relu")"},
                             {"do_layer_norm_before", "true"},
                             {"word_embed_proj_dim", "32"},
                             {"enable_bias", "true"},
                             {"layer_norm_elementwise_affine", "true"},
                             {"_remove_final_layer_norm", "false"},
                             {"tie_word_embeddings", "true"}};

inline std::string text_of(Edits keys, const Edits& edits = {})
{
    for (const auto& [key, value] : edits) {
        std::erase_if(keys, [&k = key](const auto& entry) { return entry.first == k; });
        if (!value.empty())
            keys.emplace_back(key, value);
    }
    std::string text = "{";
    for (const auto& [key, value] : keys)
        text += (text.size() > 1 ? ",\n  \"" : "\"") + key + "\": " + value;
    return text + "}\n";
}

inline hf::Config read(const Edits& keys, const Edits& edits = {},
                       hf::Part part = hf::Part::weights,
                       const std::vector<std::string>& ignored_keys = {})
{
    const Folder folder;
    return hf::read_config(folder.write("config.json", text_of(keys, edits)), part, ignored_keys);
}

inline std::string refusal(const Edits& keys, const Edits& edits)
{
    try {
        (void)read(keys, edits);
    } catch (const ModelError& error) {
        const std::string what = error.what();
        return what.substr(what.find("config.json"));
    }
    return "accepted";
}

} // namespace levee::test
