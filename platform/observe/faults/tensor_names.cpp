// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/tensor_names.hpp"

#include "core/abi/model_image.h"

#include <algorithm>
#include <array>

namespace levee::faults {

namespace {

struct Named {
    std::uint32_t kind;
    const char* name;
};
constexpr std::array names{
    Named{LEVEE_TENSOR_EMBEDDING, "embedding"},
    Named{LEVEE_TENSOR_POSITION, "position"},
    Named{LEVEE_TENSOR_ROPE_PHASE, "rope_phase"},
    Named{LEVEE_TENSOR_NORM_ATTENTION, "norm_attention"},
    Named{LEVEE_TENSOR_NORM_ATTENTION_BIAS, "norm_attention_bias"},
    Named{LEVEE_TENSOR_WQ, "wq"},
    Named{LEVEE_TENSOR_WK, "wk"},
    Named{LEVEE_TENSOR_WV, "wv"},
    Named{LEVEE_TENSOR_WO, "wo"},
    Named{LEVEE_TENSOR_BQ, "bq"},
    Named{LEVEE_TENSOR_BK, "bk"},
    Named{LEVEE_TENSOR_BV, "bv"},
    Named{LEVEE_TENSOR_BO, "bo"},
    Named{LEVEE_TENSOR_NORM_FFN, "norm_ffn"},
    Named{LEVEE_TENSOR_NORM_FFN_BIAS, "norm_ffn_bias"},
    Named{LEVEE_TENSOR_W_GATE, "w_gate"},
    Named{LEVEE_TENSOR_W_UP, "w_up"},
    Named{LEVEE_TENSOR_W_DOWN, "w_down"},
    Named{LEVEE_TENSOR_B_UP, "b_up"},
    Named{LEVEE_TENSOR_B_DOWN, "b_down"},
    Named{LEVEE_TENSOR_NORM_FINAL, "norm_final"},
    Named{LEVEE_TENSOR_NORM_FINAL_BIAS, "norm_final_bias"},
    Named{LEVEE_TENSOR_CLASSIFIER, "classifier"},
    Named{LEVEE_TENSOR_NORM_QUERY, "norm_query"},
    Named{LEVEE_TENSOR_NORM_KEY, "norm_key"},
    Named{LEVEE_TENSOR_NORM_ATTENTION_AFTER, "norm_attention_after"},
    Named{LEVEE_TENSOR_NORM_ATTENTION_AFTER_BIAS, "norm_attention_after_bias"},
    Named{LEVEE_TENSOR_NORM_FFN_AFTER, "norm_ffn_after"},
    Named{LEVEE_TENSOR_NORM_FFN_AFTER_BIAS, "norm_ffn_after_bias"},
    Named{LEVEE_TENSOR_LAYER_FLAGS, "layer_flags"},
    Named{LEVEE_TENSOR_ROPE_PHASE_LOCAL, "rope_phase_local"},
    Named{LEVEE_TENSOR_W_ROUTER, "w_router"},
    Named{LEVEE_TENSOR_W_EXPERTS_UP, "w_experts_up"},
    Named{LEVEE_TENSOR_W_EXPERTS_DOWN, "w_experts_down"},
    Named{LEVEE_TENSOR_B_ROUTER, "b_router"},
    Named{LEVEE_TENSOR_B_EXPERTS_UP, "b_experts_up"},
    Named{LEVEE_TENSOR_B_EXPERTS_DOWN, "b_experts_down"},
    Named{LEVEE_TENSOR_ATTENTION_SINKS, "attention_sinks"},
    Named{LEVEE_TENSOR_ROUTER_CHOICE_BIAS, "router_choice_bias"},
    Named{LEVEE_TENSOR_W_SHARED_GATE, "w_shared_gate"},
    Named{LEVEE_TENSOR_W_QUERY_LATENT, "w_query_latent"},
    Named{LEVEE_TENSOR_NORM_QUERY_LATENT, "norm_query_latent"},
    Named{LEVEE_TENSOR_W_KV_LATENT, "w_kv_latent"},
    Named{LEVEE_TENSOR_NORM_KV_LATENT, "norm_kv_latent"},
    Named{LEVEE_TENSOR_W_KEY_UP, "w_key_up"},
    Named{LEVEE_TENSOR_W_VALUE_UP, "w_value_up"},
};
static_assert(names.size() == LEVEE_TENSOR_LAST);

} // namespace

std::string tensor_name(std::uint32_t kind)
{
    const auto found = std::ranges::find(names, kind, &Named::kind);
    return found == names.end() ? "" : found->name;
}

} // namespace levee::faults
