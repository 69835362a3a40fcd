// SPDX-License-Identifier: Apache-2.0
// Small shapes that each differ from a plain one in one property, and some that differ in several.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <string>
#include <utility>
#include <vector>

namespace levee::test {

struct NamedShape {
    std::string name;
    ModelShape shape;
};

inline ModelShape plain_shape()
{
    ModelShape shape = llama_shape(64, 96, 4, 4, 2, 300, 64);
    shape.position = LEVEE_POSITION_ROPE_HALVES;
    return shape;
}

template <typename Change> NamedShape changed(std::string name, Change change)
{
    NamedShape named{std::move(name), plain_shape()};
    change(named.shape);
    return named;
}

// Returns shapes that differ in one property each.
inline std::vector<NamedShape> structured_shapes()
{
    std::vector<NamedShape> shapes{
        changed("norms of heads", [](ModelShape& s) { s.head_norm = HeadNorm::head; }),
        changed("a norm of all heads", [](ModelShape& s) { s.head_norm = HeadNorm::all; }),
        changed("norms after", [](ModelShape& s) { s.norm_place = NormPlace::after; }),
        changed("norms before and after", [](ModelShape& s) { s.norm_place = NormPlace::both; }),
        changed("layer norms after",
                [](ModelShape& s) {
                    s.norm_place = NormPlace::both;
                    s.norm = LEVEE_NORM_LAYER;
                }),
        changed("parallel halves", [](ModelShape& s) { s.parallel = true; }),
        changed("half a head rotated", [](ModelShape& s) { s.rotary_dim = 8; }),
        changed("pairs of half a head rotated",
                [](ModelShape& s) {
                    s.rotary_dim = 6;
                    s.position = LEVEE_POSITION_ROPE_PAIRS;
                }),
        changed("some layers not rotated",
                [](ModelShape& s) {
                    s.layer_flags = {0, LEVEE_LAYER_UNROTATED, 0, 1};
                }),
        changed("local layers with phases of their own",
                [](ModelShape& s) {
                    s.layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 0};
                    s.window = 64;
                    s.local_phases = true;
                }),
        changed("capped scores", [](ModelShape& s) { s.score_cap = 0.5F; }),
        changed("capped logits", [](ModelShape& s) { s.logit_cap = 2.0F; }),
        changed("experts",
                [](ModelShape& s) {
                    s.experts = 6;
                    s.chosen = 2;
                }),
        changed("experts weighed among those chosen",
                [](ModelShape& s) {
                    s.experts = 5;
                    s.chosen = 3;
                    s.among_chosen = true;
                }),
        changed("one expert",
                [](ModelShape& s) {
                    s.experts = 1;
                    s.chosen = 1;
                    s.hidden = 40;
                }),
        changed("all experts, without a gate",
                [](ModelShape& s) {
                    s.experts = 4;
                    s.chosen = 4;
                    s.activation = LEVEE_ACTIVATION_RELU;
                }),
        changed("sinks", [](ModelShape& s) { s.sinks = true; }),
        changed("biases of all of attention", [](ModelShape& s) { s.attention_biases = true; }),
        changed("heads wider than the model",
                [](ModelShape& s) {
                    s.head_dim = 48;
                    s.head_norm = HeadNorm::head;
                }),
    };
    shapes.push_back(changed("a clamped gate", [](ModelShape& s) {
        s.activation = LEVEE_ACTIVATION_CLAMPED_GLU;
        s.glu_limit = 1.5F;
        s.glu_alpha = 1.702F;
    }));
    for (const auto& [name, activation] :
         {std::pair{"gated GELU", LEVEE_ACTIVATION_GELU_GLU},
          std::pair{"GELU by tanh", LEVEE_ACTIVATION_GELU_TANH},
          std::pair{"gated GELU by tanh", LEVEE_ACTIVATION_GELU_TANH_GLU},
          std::pair{"squared ReLU", LEVEE_ACTIVATION_RELU_SQUARED},
          std::pair{"gated ReLU", LEVEE_ACTIVATION_RELU_GLU}})
        shapes.push_back(
            changed(name, [activation = activation](ModelShape& s) { s.activation = activation; }));
    return shapes;
}

inline ModelShape mixture_shape()
{
    ModelShape shape = plain_shape();
    shape.hidden = 40;
    shape.experts = 6;
    shape.chosen = 2;
    return shape;
}

template <typename Change> NamedShape changed_mixture(std::string name, Change change)
{
    NamedShape named{std::move(name), mixture_shape()};
    change(named.shape);
    return named;
}

// Returns mixtures of experts that differ from mixture_shape() in one property each.
inline std::vector<NamedShape> mixture_shapes()
{
    return {
        changed_mixture("a router with a bias", [](ModelShape& s) { s.router_bias = true; }),
        changed_mixture("experts with biases", [](ModelShape& s) { s.expert_biases = true; }),
        changed_mixture("experts with biases, without a gate",
                        [](ModelShape& s) {
                            s.expert_biases = true;
                            s.activation = LEVEE_ACTIVATION_RELU_SQUARED;
                        }),
        changed_mixture("experts scored by sigmoids", [](ModelShape& s) { s.sigmoid = true; }),
        changed_mixture("experts scored by sigmoids and weighed among those chosen",
                        [](ModelShape& s) {
                            s.sigmoid = true;
                            s.among_chosen = true;
                        }),
        changed_mixture("a bias of the choice by softmax",
                        [](ModelShape& s) { s.choice_bias = true; }),
        changed_mixture("a bias of the choice by softmax, weighed among those chosen",
                        [](ModelShape& s) {
                            s.choice_bias = true;
                            s.among_chosen = true;
                        }),
        changed_mixture("a bias of the choice by sigmoid",
                        [](ModelShape& s) {
                            s.sigmoid = true;
                            s.choice_bias = true;
                        }),
        changed_mixture("a shared expert wider than the others",
                        [](ModelShape& s) { s.shared_hidden = 120; }),
        changed_mixture("a narrow shared expert, with a gate",
                        [](ModelShape& s) {
                            s.shared_hidden = 16;
                            s.shared_gate = true;
                        }),
        changed_mixture("a shared expert beside all experts, with norms after",
                        [](ModelShape& s) {
                            s.chosen = s.experts;
                            s.shared_hidden = 40;
                            s.shared_gate = true;
                            s.norm_place = NormPlace::both;
                        }),
        changed_mixture("a shared expert in parallel with attention",
                        [](ModelShape& s) {
                            s.shared_hidden = 40;
                            s.parallel = true;
                        }),
        changed_mixture("first layers without experts, wider",
                        [](ModelShape& s) {
                            s.layer_flags = {LEVEE_LAYER_DENSE, LEVEE_LAYER_DENSE, 0, 0};
                            s.dense_hidden = 300;
                        }),
        changed_mixture("every other layer without experts, narrower",
                        [](ModelShape& s) {
                            s.layer_flags = {0, LEVEE_LAYER_DENSE, 0, LEVEE_LAYER_DENSE};
                            s.dense_hidden = 24;
                        }),
        changed_mixture("clamped experts",
                        [](ModelShape& s) {
                            s.activation = LEVEE_ACTIVATION_CLAMPED_GLU;
                            s.glu_limit = 0.75F;
                            s.glu_alpha = 1.702F;
                        }),
    };
}

inline ModelShape latent_shape()
{
    ModelShape shape = plain_shape();
    shape.position = LEVEE_POSITION_ROPE_PAIRS;
    shape.kv_heads = 1;
    shape.rotary_dim = 8;
    shape.kv_latent = 40;
    shape.head_dim = 48;
    shape.nope_dim = 16;
    shape.value_dim = 24;
    return shape;
}

template <typename Change> NamedShape changed_latent(std::string name, Change change)
{
    NamedShape named{std::move(name), latent_shape()};
    change(named.shape);
    return named;
}

// Returns latent_shape(), and shapes that differ from it in one or several properties.
inline std::vector<NamedShape> latent_shapes()
{
    return {
        {"latent attention", latent_shape()},
        changed_latent("queries of a latent vector", [](ModelShape& s) { s.query_latent = 20; }),
        changed_latent("queries of a latent vector that is wider than the model",
                       [](ModelShape& s) { s.query_latent = 144; }),
        changed_latent("halves rotated, one head",
                       [](ModelShape& s) {
                           s.position = LEVEE_POSITION_ROPE_HALVES;
                           s.heads = 1;
                       }),
        changed_latent("results wider than latent vectors",
                       [](ModelShape& s) {
                           s.value_dim = 56;
                           s.nope_dim = 2;
                       }),
        changed_latent("more heads, capped scores and sinks",
                       [](ModelShape& s) {
                           s.heads = 9;
                           s.score_cap = 0.5F;
                           s.sinks = true;
                       }),
        changed_latent("layer norms in parallel halves",
                       [](ModelShape& s) {
                           s.norm = LEVEE_NORM_LAYER;
                           s.parallel = true;
                           s.query_latent = 24;
                       }),
        changed_latent("local layers, some not rotated",
                       [](ModelShape& s) {
                           s.layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 1};
                           s.window = 16;
                       }),
        changed_latent("as DeepSeek V2 Lite",
                       [](ModelShape& s) {
                           s.experts = 6;
                           s.chosen = 2;
                           s.hidden = 24;
                           s.shared_hidden = 48;
                           s.layer_flags = {LEVEE_LAYER_DENSE, 0, 0, 0};
                           s.dense_hidden = 160;
                           s.tied = false;
                       }),
        changed_latent("as DeepSeek V3",
                       [](ModelShape& s) {
                           s.query_latent = 24;
                           s.experts = 8;
                           s.chosen = 3;
                           s.hidden = 24;
                           s.shared_hidden = 24;
                           s.sigmoid = true;
                           s.choice_bias = true;
                           s.among_chosen = true;
                           s.layer_flags = {LEVEE_LAYER_DENSE, 0, 0, 0};
                           s.dense_hidden = 160;
                           s.tied = false;
                       }),
    };
}

// Returns shapes of real families.
inline std::vector<NamedShape> family_shapes()
{
    return {
        changed("as Gemma 2",
                [](ModelShape& s) {
                    s.activation = LEVEE_ACTIVATION_GELU_TANH_GLU;
                    s.norm_place = NormPlace::both;
                    s.score_cap = 2.0F;
                    s.logit_cap = 3.0F;
                    s.layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 0};
                    s.window = 64;
                }),
        changed("as Gemma 3",
                [](ModelShape& s) {
                    s.activation = LEVEE_ACTIVATION_GELU_TANH_GLU;
                    s.norm_place = NormPlace::both;
                    s.head_norm = HeadNorm::head;
                    s.layer_flags = {LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL, 0};
                    s.window = 64;
                    s.local_phases = true;
                }),
        changed("as Qwen3's mixture",
                [](ModelShape& s) {
                    s.head_norm = HeadNorm::head;
                    s.experts = 16;
                    s.chosen = 4;
                    s.hidden = 48;
                    s.among_chosen = true;
                    s.tied = false;
                }),
        changed("as gpt-oss",
                [](ModelShape& s) {
                    s.attention_biases = true;
                    s.sinks = true;
                    s.layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 0};
                    s.window = 16;
                    s.experts = 8;
                    s.chosen = 4;
                    s.hidden = 64;
                    s.among_chosen = true;
                    s.router_bias = true;
                    s.expert_biases = true;
                    s.activation = LEVEE_ACTIVATION_CLAMPED_GLU;
                    s.glu_limit = 2.0F;
                    s.glu_alpha = 1.702F;
                    s.tied = false;
                }),
        changed("as Qwen2's mixture",
                [](ModelShape& s) {
                    s.qkv_biases = true;
                    s.experts = 6;
                    s.chosen = 2;
                    s.hidden = 24;
                    s.shared_hidden = 88;
                    s.shared_gate = true;
                    s.tied = false;
                }),
        changed("as GLM 4.5",
                [](ModelShape& s) {
                    s.qkv_biases = true;
                    s.rotary_dim = 8;
                    s.layer_flags = {LEVEE_LAYER_DENSE, 0, 0, 0};
                    s.dense_hidden = 160;
                    s.experts = 8;
                    s.chosen = 3;
                    s.hidden = 24;
                    s.shared_hidden = 24;
                    s.sigmoid = true;
                    s.choice_bias = true;
                    s.among_chosen = true;
                    s.tied = false;
                }),
        changed("as OLMo 2",
                [](ModelShape& s) {
                    s.norm_place = NormPlace::after;
                    s.head_norm = HeadNorm::all;
                    s.tied = false;
                }),
        changed("as Phi-2",
                [](ModelShape& s) {
                    s = opt_shape(64, 96, 3, 4, 300, 64);
                    s.position = LEVEE_POSITION_ROPE_HALVES;
                    s.activation = LEVEE_ACTIVATION_GELU_TANH;
                    s.parallel = true;
                    s.rotary_dim = 6;
                }),
        changed("as Cohere 2",
                [](ModelShape& s) {
                    s.position = LEVEE_POSITION_ROPE_PAIRS;
                    s.norm = LEVEE_NORM_LAYER;
                    s.parallel = true;
                    s.layer_flags = {LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL,
                                     LEVEE_LAYER_UNROTATED};
                    s.window = 64;
                }),
    };
}

} // namespace levee::test
