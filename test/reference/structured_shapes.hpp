// SPDX-License-Identifier: Apache-2.0
// Small shapes that differ from a plain one in one property each, and some in several.
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

// One property each.
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
        changed("heads wider than the model",
                [](ModelShape& s) {
                    s.head_dim = 48;
                    s.head_norm = HeadNorm::head;
                }),
    };
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

// As families have them.
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
