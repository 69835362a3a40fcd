// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/families.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace levee::hf {

namespace {

constexpr KindName llama_names[] = {
    {LEVEE_TENSOR_EMBEDDING, "embed_tokens.weight"},
    {LEVEE_TENSOR_NORM_ATTENTION, "input_layernorm.weight"},
    {LEVEE_TENSOR_NORM_ATTENTION_BIAS, "input_layernorm.bias"},
    {LEVEE_TENSOR_WQ, "self_attn.q_proj.weight"},
    {LEVEE_TENSOR_WK, "self_attn.k_proj.weight"},
    {LEVEE_TENSOR_WV, "self_attn.v_proj.weight"},
    {LEVEE_TENSOR_WO, "self_attn.o_proj.weight"},
    {LEVEE_TENSOR_BQ, "self_attn.q_proj.bias"},
    {LEVEE_TENSOR_BK, "self_attn.k_proj.bias"},
    {LEVEE_TENSOR_BV, "self_attn.v_proj.bias"},
    {LEVEE_TENSOR_BO, "self_attn.o_proj.bias"},
    {LEVEE_TENSOR_B_UP, "mlp.up_proj.bias"},
    {LEVEE_TENSOR_B_DOWN, "mlp.down_proj.bias"},
    {LEVEE_TENSOR_NORM_QUERY, "self_attn.q_norm.weight"},
    {LEVEE_TENSOR_NORM_KEY, "self_attn.k_norm.weight"},
    {LEVEE_TENSOR_NORM_FFN, "post_attention_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN_BIAS, "post_attention_layernorm.bias"},
    {LEVEE_TENSOR_W_GATE, "mlp.gate_proj.weight"},
    {LEVEE_TENSOR_W_UP, "mlp.up_proj.weight"},
    {LEVEE_TENSOR_W_DOWN, "mlp.down_proj.weight"},
    {LEVEE_TENSOR_NORM_FINAL, "norm.weight"},
    {LEVEE_TENSOR_NORM_FINAL_BIAS, "norm.bias"},
    {LEVEE_TENSOR_W_ROUTER, "mlp.gate.weight"},
    {LEVEE_TENSOR_W_EXPERTS_UP, "mlp.experts"},
    {LEVEE_TENSOR_W_EXPERTS_DOWN, "mlp.experts"},
    {LEVEE_TENSOR_W_SHARED_GATE, "mlp.shared_expert_gate.weight"},
    {LEVEE_TENSOR_ROUTER_CHOICE_BIAS, "mlp.gate.e_score_correction_bias"},
    {LEVEE_TENSOR_W_QUERY_LATENT, "self_attn.q_a_proj.weight"},
    {LEVEE_TENSOR_NORM_QUERY_LATENT, "self_attn.q_a_layernorm.weight"},
    {LEVEE_TENSOR_W_KV_LATENT, "self_attn.kv_a_proj_with_mqa.weight"},
    {LEVEE_TENSOR_NORM_KV_LATENT, "self_attn.kv_a_layernorm.weight"},
    {LEVEE_TENSOR_W_KEY_UP, "self_attn.kv_b_proj.weight"},
    {LEVEE_TENSOR_W_VALUE_UP, "self_attn.kv_b_proj.weight"}};

constexpr KindName opt_names[] = {{LEVEE_TENSOR_POSITION, "embed_positions.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION, "self_attn_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_ATTENTION_BIAS, "self_attn_layer_norm.bias"},
                                  {LEVEE_TENSOR_WO, "self_attn.out_proj.weight"},
                                  {LEVEE_TENSOR_BO, "self_attn.out_proj.bias"},
                                  {LEVEE_TENSOR_NORM_FFN, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FFN_BIAS, "final_layer_norm.bias"},
                                  {LEVEE_TENSOR_W_UP, "fc1.weight"},
                                  {LEVEE_TENSOR_W_DOWN, "fc2.weight"},
                                  {LEVEE_TENSOR_B_UP, "fc1.bias"},
                                  {LEVEE_TENSOR_B_DOWN, "fc2.bias"},
                                  {LEVEE_TENSOR_NORM_FINAL, "final_layer_norm.weight"},
                                  {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layer_norm.bias"}};

/// Norms before and after attention and feed-forward network (Gemma 2, 3), or only after (OLMo 2).
constexpr KindName sandwich_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_attention_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN, "pre_feedforward_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN_AFTER, "post_feedforward_layernorm.weight"}};

constexpr KindName glm4_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION_AFTER, "post_self_attn_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN, "post_attention_layernorm.weight"},
    {LEVEE_TENSOR_NORM_FFN_AFTER, "post_mlp_layernorm.weight"}};

constexpr KindName starcoder2_names[] = {{LEVEE_TENSOR_W_UP, "mlp.c_fc.weight"},
                                         {LEVEE_TENSOR_B_UP, "mlp.c_fc.bias"},
                                         {LEVEE_TENSOR_W_DOWN, "mlp.c_proj.weight"},
                                         {LEVEE_TENSOR_B_DOWN, "mlp.c_proj.bias"}};

constexpr KindName phi_names[] = {{LEVEE_TENSOR_WO, "self_attn.dense.weight"},
                                  {LEVEE_TENSOR_BO, "self_attn.dense.bias"},
                                  {LEVEE_TENSOR_W_UP, "mlp.fc1.weight"},
                                  {LEVEE_TENSOR_B_UP, "mlp.fc1.bias"},
                                  {LEVEE_TENSOR_W_DOWN, "mlp.fc2.weight"},
                                  {LEVEE_TENSOR_B_DOWN, "mlp.fc2.bias"},
                                  {LEVEE_TENSOR_NORM_FINAL, "final_layernorm.weight"},
                                  {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layernorm.bias"}};

constexpr KindName mixtral_names[] = {{LEVEE_TENSOR_W_ROUTER, "block_sparse_moe.gate.weight"},
                                      {LEVEE_TENSOR_W_EXPERTS_UP, "block_sparse_moe.experts"},
                                      {LEVEE_TENSOR_W_EXPERTS_DOWN, "block_sparse_moe.experts"}};
constexpr ExpertNames mixtral_experts{"block_sparse_moe.experts.", ".w1.weight", ".w3.weight",
                                      ".w2.weight"};
constexpr ExpertNames qwen_experts{"mlp.experts.", ".gate_proj.weight", ".up_proj.weight",
                                   ".down_proj.weight"};

constexpr KindName granite_moe_names[] = {
    {LEVEE_TENSOR_W_ROUTER, "block_sparse_moe.router.layer.weight"},
    {LEVEE_TENSOR_W_EXPERTS_UP, "block_sparse_moe.input_linear.weight"},
    {LEVEE_TENSOR_W_EXPERTS_DOWN, "block_sparse_moe.output_linear.weight"}};

/// Names for a model with one shared network for all tokens, with or without
/// experts.
constexpr KindName granite_shared_names[] = {
    {LEVEE_TENSOR_W_ROUTER, "block_sparse_moe.router.layer.weight"},
    {LEVEE_TENSOR_W_EXPERTS_UP, "block_sparse_moe.input_linear.weight"},
    {LEVEE_TENSOR_W_EXPERTS_DOWN, "block_sparse_moe.output_linear.weight"},
    {LEVEE_TENSOR_W_DOWN, "shared_mlp.output_linear.weight"}};
/// Keys of state-space layers, without effect in models that have attention in all layers.
constexpr const char* granite_hybrid_silent[] = {
    "mamba_chunk_size", "mamba_conv_bias", "mamba_d_conv",  "mamba_d_head",    "mamba_d_state",
    "mamba_expand",     "mamba_n_groups",  "mamba_n_heads", "mamba_proj_bias", "init_method",
    "time_step_limit",  "time_step_max",   "time_step_min"};
constexpr KeptValue granite_hybrid_kept[] = {{"normalization_function", "\"rmsnorm\""}};
constexpr const char* positions_or_none[] = {"rope", "nope"};
constexpr NeededWord granite_hybrid_words[] = {{"position_embedding_type", positions_or_none}};

constexpr KindName gpt_oss_names[] = {{LEVEE_TENSOR_ATTENTION_SINKS, "self_attn.sinks"},
                                      {LEVEE_TENSOR_W_ROUTER, "mlp.router.weight"},
                                      {LEVEE_TENSOR_B_ROUTER, "mlp.router.bias"},
                                      {LEVEE_TENSOR_W_EXPERTS_UP, "mlp.experts.gate_up_proj"},
                                      {LEVEE_TENSOR_B_EXPERTS_UP, "mlp.experts.gate_up_proj_bias"},
                                      {LEVEE_TENSOR_W_EXPERTS_DOWN, "mlp.experts.down_proj"},
                                      {LEVEE_TENSOR_B_EXPERTS_DOWN, "mlp.experts.down_proj_bias"}};

constexpr KindName ernie_names[] = {
    {LEVEE_TENSOR_ROUTER_CHOICE_BIAS, "mlp.moe_statics.e_score_correction_bias"}};

constexpr ExpertNames qwen_shared{"mlp.shared_expert.", "gate_proj.weight", "up_proj.weight",
                                  "down_proj.weight"};
constexpr ExpertNames deepseek_shared{"mlp.shared_experts.", "gate_proj.weight", "up_proj.weight",
                                      "down_proj.weight"};

/// Layer norms without a bias.
constexpr KindName cohere_names[] = {{LEVEE_TENSOR_NORM_ATTENTION_BIAS, nullptr},
                                     {LEVEE_TENSOR_NORM_FINAL_BIAS, nullptr}};
/// Layer norms without gain or bias.
constexpr KindName olmo_names[] = {
    {LEVEE_TENSOR_NORM_ATTENTION, nullptr}, {LEVEE_TENSOR_NORM_ATTENTION_BIAS, nullptr},
    {LEVEE_TENSOR_NORM_FFN, nullptr},       {LEVEE_TENSOR_NORM_FFN_BIAS, nullptr},
    {LEVEE_TENSOR_NORM_FINAL, nullptr},     {LEVEE_TENSOR_NORM_FINAL_BIAS, nullptr}};

constexpr KindName neox_names[] = {{LEVEE_TENSOR_EMBEDDING, "embed_in.weight"},
                                   {LEVEE_TENSOR_WO, "attention.dense.weight"},
                                   {LEVEE_TENSOR_BO, "attention.dense.bias"},
                                   {LEVEE_TENSOR_W_UP, "mlp.dense_h_to_4h.weight"},
                                   {LEVEE_TENSOR_B_UP, "mlp.dense_h_to_4h.bias"},
                                   {LEVEE_TENSOR_W_DOWN, "mlp.dense_4h_to_h.weight"},
                                   {LEVEE_TENSOR_B_DOWN, "mlp.dense_4h_to_h.bias"},
                                   {LEVEE_TENSOR_NORM_FINAL, "final_layer_norm.weight"},
                                   {LEVEE_TENSOR_NORM_FINAL_BIAS, "final_layer_norm.bias"}};
/// Masks of attention, which earlier versions of transformers stored as tensors.
constexpr const char* neox_idle[] = {".attention.bias", ".attention.masked_bias"};
constexpr NeededFlag neox_flags[] = {{"attention_bias", true, true}};

constexpr KindName falcon_names[] = {{LEVEE_TENSOR_EMBEDDING, "word_embeddings.weight"},
                                     {LEVEE_TENSOR_WO, "self_attention.dense.weight"},
                                     {LEVEE_TENSOR_W_UP, "mlp.dense_h_to_4h.weight"},
                                     {LEVEE_TENSOR_W_DOWN, "mlp.dense_4h_to_h.weight"},
                                     {LEVEE_TENSOR_NORM_FINAL, "ln_f.weight"},
                                     {LEVEE_TENSOR_NORM_FINAL_BIAS, "ln_f.bias"}};
/// Flags of Falcon-7B. With other values, heads share keys in another way, attention and network
/// have separate norms, or positions are computed differently.
constexpr NeededFlag falcon_flags[] = {{"multi_query", true, true},
                                       {"parallel_attn", true, true},
                                       {"new_decoder_architecture", false, false},
                                       {"bias", false, false}};

constexpr KindName exaone_names[] = {{LEVEE_TENSOR_EMBEDDING, "wte.weight"},
                                     {LEVEE_TENSOR_NORM_ATTENTION, "ln_1.weight"},
                                     {LEVEE_TENSOR_WQ, "attn.attention.q_proj.weight"},
                                     {LEVEE_TENSOR_WK, "attn.attention.k_proj.weight"},
                                     {LEVEE_TENSOR_WV, "attn.attention.v_proj.weight"},
                                     {LEVEE_TENSOR_WO, "attn.attention.out_proj.weight"},
                                     {LEVEE_TENSOR_NORM_FFN, "ln_2.weight"},
                                     {LEVEE_TENSOR_W_GATE, "mlp.c_fc_0.weight"},
                                     {LEVEE_TENSOR_W_UP, "mlp.c_fc_1.weight"},
                                     {LEVEE_TENSOR_W_DOWN, "mlp.c_proj.weight"},
                                     {LEVEE_TENSOR_NORM_FINAL, "ln_f.weight"}};

constexpr KindName internlm2_names[] = {{LEVEE_TENSOR_EMBEDDING, "tok_embeddings.weight"},
                                        {LEVEE_TENSOR_NORM_ATTENTION, "attention_norm.weight"},
                                        {LEVEE_TENSOR_WO, "attention.wo.weight"},
                                        {LEVEE_TENSOR_NORM_FFN, "ffn_norm.weight"},
                                        {LEVEE_TENSOR_W_GATE, "feed_forward.w1.weight"},
                                        {LEVEE_TENSOR_W_UP, "feed_forward.w3.weight"},
                                        {LEVEE_TENSOR_W_DOWN, "feed_forward.w2.weight"}};
constexpr NeededFlag internlm2_flags[] = {{"bias", false, true}};
constexpr NeededFlag internlm3_flags[] = {{"bias", false, false}};

constexpr FamilyKeys latent_keys{.experts = "n_routed_experts",
                                 .chosen = "num_experts_per_tok",
                                 .expert_hidden = "moe_intermediate_size",
                                 .among_chosen = "norm_topk_prob",
                                 .expert_scale = "routed_scaling_factor",
                                 .shared_count = "n_shared_experts",
                                 .first_sparse = "first_k_dense_replace",
                                 .further_layers = "num_nextn_predict_layers",
                                 .kv_latent = "kv_lora_rank",
                                 .query_latent = "q_lora_rank",
                                 .rope_dim = "qk_rope_head_dim",
                                 .nope_dim = "qk_nope_head_dim",
                                 .value_dim = "v_head_dim"};
constexpr NeededFlag latent_flags[] = {{"rope_interleave", true, true}};
constexpr const char* choices_by_score[] = {"greedy", "group_limited_greedy"};
constexpr const char* choices_by_bias[] = {"noaux_tc"};
constexpr NeededWord deepseek_v2_words[] = {{"topk_method", choices_by_score}};
constexpr NeededWord deepseek_v3_words[] = {{"topk_method", choices_by_bias}};

// Keys of published files that the family's code in transformers does not read.
constexpr const char* cohere2_silent[] = {"layer_switch", "use_embedding_sharing",
                                          "use_parallel_embedding"};
constexpr KeptValue cohere2_kept[] = {{"order_of_interleaved_layers", "\"local_attn_first\""},
                                      {"position_embedding_type", "\"rope_gptj\""},
                                      {"use_gated_activation", "true"},
                                      {"use_parallel_block", "true"}};
constexpr const char* deepseek_silent[] = {"ep_size"};
constexpr const char* ernie_silent[] = {"fuse_rope", "moe_aux_loss_lambda", "moe_capacity"};
constexpr KeptValue ernie_kept[] = {{"compression_ratio", "1.0"},
                                    {"moe_gate", "\"topk\""},
                                    {"moe_use_aux_free", "true"},
                                    {"use_rmsnorm", "true"}};
constexpr const char* nemotron_silent[] = {"kv_channels", "rope_percent"};
constexpr const char* starcoder2_silent[] = {"activation_function"};
constexpr KeptValue starcoder2_kept[] = {
    {"mlp_type", "\"default\""}, {"norm_type", "\"layer_norm\""}, {"scale_attn_weights", "true"}};

constexpr const char* minicpm_silent[] = {"mup_denominator"}; // read by draft heads only
constexpr const char* llama_silent[] = {"activation"};        // in Falcon 3's files
// A key that confirms that queries and keys have norms, which they have in all these models.
constexpr const char* qwen3_moe_silent[] = {"use_qk_norm"};

constexpr Family families[] = {
    {.architecture = "LlamaForCausalLM",
     .model_type = "llama",
     .bias_keys = BiasKeys::both,
     .silent_keys = llama_silent},
    {.architecture = "MistralForCausalLM",
     .model_type = "mistral",
     .kv_heads = 8,
     .slides = true,
     .window = 4096},
    {.architecture = "Qwen2ForCausalLM",
     .model_type = "qwen2",
     .biases = FamilyBiases::qkv,
     .kv_heads = 32,
     .window = 4096,
     .local_from = 28},
    {.architecture = "Ministral3ForCausalLM",
     .model_type = "ministral3",
     .kv_heads = 8,
     .head_dim = 128,
     .slides = true,
     .scaled_positions = true,
     .epsilon = 1e-5,
     .theta = 1e6},
    {.architecture = "ArceeForCausalLM",
     .model_type = "arcee",
     .gated = false,
     .bias_keys = BiasKeys::both,
     .epsilon = 1e-5,
     .activation = "relu2"},
    {.architecture = "SeedOssForCausalLM",
     .model_type = "seed_oss",
     .biases = FamilyBiases::qkv,
     .kv_heads = 8,
     .head_dim = 128,
     .keys = {.qkv_biases = "attention_bias"}},
    {.architecture = "HeliumForCausalLM",
     .model_type = "helium",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .bias_keys = BiasKeys::both,
     .kv_heads = 20,
     .head_dim = 128,
     .epsilon = 1e-8,
     .theta = 100000.0,
     .keys = {.qkv_biases = "attention_bias"}},
    {.architecture = "Ernie4_5ForCausalLM",
     .model_type = "ernie4_5",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .silent_keys = ernie_silent,
     .kept = ernie_kept,
     .kv_heads = 2,
     .head_dim = 128,
     .tied = true,
     .epsilon = 1e-5,
     .theta = 500000.0},
    {.architecture = "OPTForCausalLM",
     .model_type = "opt",
     .gated = false,
     .prefix = "model.decoder.",
     .headless_prefix = "decoder.",
     .names = opt_names},
    {.architecture = "Qwen3ForCausalLM",
     .model_type = "qwen3",
     .head_norm = HeadNorm::head,
     .bias_keys = BiasKeys::attention,
     .kv_heads = 32,
     .head_dim = 128,
     .window = 4096,
     .local_from = 28},
    {.architecture = "Phi3ForCausalLM",
     .model_type = "phi3",
     .slides = true,
     .epsilon = 1e-5,
     .keys = {.rotary_share = "partial_rotary_factor"}},
    {.architecture = "GemmaForCausalLM",
     .model_type = "gemma",
     .bias_keys = BiasKeys::attention,
     .gain_offset = true,
     .root_embedding = true,
     .kv_heads = 16,
     .head_dim = 256,
     .tied = true,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation"}},
    {.architecture = "Gemma2ForCausalLM",
     .model_type = "gemma2",
     .place = NormPlace::both,
     .bias_keys = BiasKeys::attention,
     .gain_offset = true,
     .root_embedding = true,
     .kv_heads = 4,
     .head_dim = 256,
     .slides = true,
     .window = 4096,
     .global_every = 2,
     .tied = true,
     .score_width = 256.0,
     .score_cap = 50.0,
     .logit_cap = 30.0,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation",
              .score_cap = "attn_logit_softcapping",
              .logit_cap = "final_logit_softcapping",
              .score_width = "query_pre_attn_scalar"},
     .names = sandwich_names},
    {.architecture = "Gemma3ForCausalLM",
     .model_type = "gemma3_text",
     .place = NormPlace::both,
     .head_norm = HeadNorm::head,
     .bias_keys = BiasKeys::attention,
     .gain_offset = true,
     .root_embedding = true,
     .vocab = 262208,
     .heads = 8,
     .max_context = 131072,
     .kv_heads = 4,
     .head_dim = 256,
     .slides = true,
     .window = 4096,
     .global_every = 6,
     .tied = true,
     .theta = 1e6,
     .score_width = 256.0,
     .activation = "gelu_pytorch_tanh",
     .keys = {.activation = "hidden_activation",
              .score_cap = "attn_logit_softcapping",
              .logit_cap = "final_logit_softcapping",
              .score_width = "query_pre_attn_scalar",
              .pattern = "sliding_window_pattern",
              .local_theta = "rope_local_base_freq"},
     .names = sandwich_names},
    {.architecture = "SmolLM3ForCausalLM",
     .model_type = "smollm3",
     .bias_keys = BiasKeys::both,
     .kv_heads = 4,
     .unrotated_every = 4,
     .tied = true,
     .theta = 2e6,
     .keys = {.rotated_layers = "no_rope_layers", .unrotated_every = "no_rope_layer_interval"}},
    {.architecture = "Olmo2ForCausalLM",
     .model_type = "olmo2",
     .place = NormPlace::after,
     .head_norm = HeadNorm::all,
     .bias_keys = BiasKeys::attention,
     .epsilon = 1e-5,
     .names = sandwich_names},
    {.architecture = "Olmo3ForCausalLM",
     .model_type = "olmo3",
     .place = NormPlace::after,
     .head_norm = HeadNorm::all,
     .bias_keys = BiasKeys::attention,
     .local_unscaled = true,
     .slides = true,
     .window = 4096,
     .global_every = 4,
     .epsilon = 1e-5,
     .names = sandwich_names},
    {.architecture = "Exaone4ForCausalLM",
     .model_type = "exaone4",
     .place = NormPlace::after,
     .head_norm = HeadNorm::head,
     .global_unrotated = true,
     .rotated_alone = true,
     .kv_heads = 32,
     .slides = true,
     .window = 4096,
     .global_every = 4,
     .epsilon = 1e-5,
     .keys = {.pattern = "sliding_window_pattern"},
     .names = sandwich_names},
    {.architecture = "OlmoForCausalLM",
     .model_type = "olmo",
     .norm = LEVEE_NORM_LAYER,
     .bias_keys = BiasKeys::attention,
     .epsilon = 1e-5,
     .keys = {.epsilon = nullptr},
     .names = olmo_names},
    {.architecture = "GraniteForCausalLM",
     .model_type = "granite",
     .bias_keys = BiasKeys::both,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling"}},
    {.architecture = "Starcoder2ForCausalLM",
     .model_type = "starcoder2",
     .norm = LEVEE_NORM_LAYER,
     .gated = false,
     .silent_keys = starcoder2_silent,
     .kept = starcoder2_kept,
     .kv_heads = 2,
     .slides = true,
     .tied = true,
     .epsilon = 1e-5,
     .activation = "gelu_pytorch_tanh",
     .keys = {.epsilon = "norm_epsilon", .all_biases = "use_bias"},
     .names = starcoder2_names},
    {.architecture = "NemotronForCausalLM",
     .model_type = "nemotron",
     .norm = LEVEE_NORM_LAYER,
     .gated = false,
     .bias_keys = BiasKeys::both,
     .gain_offset = true,
     .silent_keys = nemotron_silent,
     .epsilon = 1e-5,
     .rotary_share = 0.5,
     .activation = "relu2",
     .keys = {.epsilon = "norm_eps", .rotary_share = "partial_rotary_factor"}},
    {.architecture = "StableLmForCausalLM",
     .model_type = "stablelm",
     .norm = LEVEE_NORM_LAYER,
     .kv_heads = 32,
     .epsilon = 1e-5,
     .rotary_share = 0.25,
     .keys = {.epsilon = "layer_norm_eps",
              .qkv_biases = "use_qkv_bias",
              .parallel = "use_parallel_residual",
              .rotary_share = "partial_rotary_factor"}},
    {.architecture = "CohereForCausalLM",
     .model_type = "cohere",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .parallel = true,
     .bias_keys = BiasKeys::attention,
     .tied = true,
     .epsilon = 1e-5,
     .logit_scale = 0.0625,
     .keys = {.epsilon = "layer_norm_eps", .logit_scale = "logit_scale"},
     .names = cohere_names},
    {.architecture = "Cohere2ForCausalLM",
     .model_type = "cohere2",
     .norm = LEVEE_NORM_LAYER,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .parallel = true,
     .bias_keys = BiasKeys::attention,
     .global_unrotated = true,
     .silent_keys = cohere2_silent,
     .kept = cohere2_kept,
     .slides = true,
     .window = 4096,
     .global_every = 4,
     .tied = true,
     .epsilon = 1e-5,
     .logit_scale = 0.0625,
     .keys = {.epsilon = "layer_norm_eps",
              .logit_scale = "logit_scale",
              .pattern = "sliding_window_pattern"},
     .names = cohere_names},
    {.architecture = "GlmForCausalLM",
     .model_type = "glm",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .kv_heads = 2,
     .head_dim = 128,
     .epsilon = 1.5625e-7,
     .rotary_share = 0.5,
     .keys = {.qkv_biases = "attention_bias", .rotary_share = "partial_rotary_factor"}},
    {.architecture = "Glm4ForCausalLM",
     .model_type = "glm4",
     .place = NormPlace::both,
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .kv_heads = 2,
     .head_dim = 128,
     .epsilon = 1.5625e-7,
     .rotary_share = 0.5,
     .keys = {.qkv_biases = "attention_bias", .rotary_share = "partial_rotary_factor"},
     .names = glm4_names},
    {.architecture = "MixtralForCausalLM",
     .model_type = "mixtral",
     .kv_heads = 8,
     .slides = true,
     .among_chosen = true,
     .epsilon = 1e-5,
     .theta = 1e6,
     .keys = {.experts = "num_local_experts", .chosen = "num_experts_per_tok"},
     .names = mixtral_names,
     .experts = mixtral_experts},
    {.architecture = "Qwen3MoeForCausalLM",
     .model_type = "qwen3_moe",
     .head_norm = HeadNorm::head,
     .bias_keys = BiasKeys::attention,
     .silent_keys = qwen3_moe_silent,
     .kv_heads = 4,
     .window = 4096,
     .lists_local = true,
     .keys = {.experts = "num_experts",
              .chosen = "num_experts_per_tok",
              .expert_hidden = "moe_intermediate_size",
              .among_chosen = "norm_topk_prob",
              .sparse_every = "decoder_sparse_step",
              .dense_layers = "mlp_only_layers"},
     .experts = qwen_experts},
    {.architecture = "Qwen2MoeForCausalLM",
     .model_type = "qwen2_moe",
     .biases = FamilyBiases::qkv,
     .kv_heads = 16,
     .window = 4096,
     .lists_local = true,
     .shared_gate = true,
     .keys = {.experts = "num_experts",
              .chosen = "num_experts_per_tok",
              .expert_hidden = "moe_intermediate_size",
              .among_chosen = "norm_topk_prob",
              .shared_hidden = "shared_expert_intermediate_size",
              .sparse_every = "decoder_sparse_step",
              .dense_layers = "mlp_only_layers"},
     .experts = qwen_experts,
     .shared = qwen_shared},
    {.architecture = "DeepseekForCausalLM",
     .model_type = "deepseek",
     .bias_keys = BiasKeys::attention,
     .silent_keys = deepseek_silent,
     .maybe_dense = true,
     .alone_as_scored = true,
     .keys = {.experts = "n_routed_experts",
              .chosen = "num_experts_per_tok",
              .expert_hidden = "moe_intermediate_size",
              .among_chosen = "norm_topk_prob",
              .scoring = "scoring_func",
              .shared_count = "n_shared_experts",
              .first_sparse = "first_k_dense_replace"},
     .experts = qwen_experts,
     .shared = deepseek_shared},
    {.architecture = "DeepseekV2ForCausalLM",
     .model_type = "deepseek_v2",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .bias_keys = BiasKeys::attention,
     .silent_keys = deepseek_silent,
     .needed = latent_flags,
     .needed_words = deepseek_v2_words,
     .maybe_dense = true,
     .alone_as_scored = true,
     .scaled_or_shared = true,
     .keys = latent_keys,
     .experts = qwen_experts,
     .shared = deepseek_shared},
    {.architecture = "DeepseekV3ForCausalLM",
     .model_type = "deepseek_v3",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .bias_keys = BiasKeys::attention,
     .silent_keys = deepseek_silent,
     .needed = latent_flags,
     .needed_words = deepseek_v3_words,
     .among_chosen = true,
     .maybe_dense = true,
     .alone_as_scored = true,
     .sigmoid = true,
     .choice_bias = true,
     .first_sparse = 3,
     .shared_count = 1,
     .keys = latent_keys,
     .experts = qwen_experts,
     .shared = deepseek_shared},
    {.architecture = "Glm4MoeForCausalLM",
     .model_type = "glm4_moe",
     .kv_heads = 8,
     .among_chosen = true,
     .sigmoid = true,
     .choice_bias = true,
     .first_sparse = 1,
     .shared_count = 1,
     .epsilon = 1e-5,
     .rotary_share = 0.5,
     .keys = {.qkv_biases = "attention_bias",
              .head_norm = "use_qk_norm",
              .rotary_share = "partial_rotary_factor",
              .experts = "n_routed_experts",
              .chosen = "num_experts_per_tok",
              .expert_hidden = "moe_intermediate_size",
              .among_chosen = "norm_topk_prob",
              .expert_scale = "routed_scaling_factor",
              .shared_count = "n_shared_experts",
              .first_sparse = "first_k_dense_replace",
              .further_layers = "num_nextn_predict_layers"},
     .experts = qwen_experts,
     .shared = deepseek_shared},
    {.architecture = "Ernie4_5_MoeForCausalLM",
     .model_type = "ernie4_5_moe",
     .position = LEVEE_POSITION_ROPE_PAIRS,
     .silent_keys = ernie_silent,
     .kept = ernie_kept,
     .kv_heads = 4,
     .among_chosen = true,
     .choice_bias = true,
     .first_sparse = 1,
     .shared_count = 2,
     .tied = true,
     .epsilon = 1e-5,
     .theta = 500000.0,
     .keys = {.experts = "moe_num_experts",
              .chosen = "moe_k",
              .expert_hidden = "moe_intermediate_size",
              .shared_count = "moe_num_shared_experts",
              .first_sparse = "moe_layer_start_index",
              .last_sparse = "moe_layer_end_index",
              .sparse_every = "moe_layer_interval"},
     .names = ernie_names,
     .experts = qwen_experts,
     .shared = deepseek_shared},
    {.architecture = "GptOssForCausalLM",
     .model_type = "gpt_oss",
     .kv_heads = 8,
     .head_dim = 64,
     .slides = true,
     .window = 128,
     .global_every = 2,
     .among_chosen = true,
     .router_bias = true,
     .expert_biases = true,
     .sinks = true,
     .scaled_positions = true,
     .glu_limit = 7.0,
     .glu_alpha = 1.702,
     .epsilon = 1e-5,
     .theta = 150000.0,
     .keys = {.attention_biases = "attention_bias",
              .experts = "num_local_experts",
              .chosen = "num_experts_per_tok",
              .glu_limit = "swiglu_limit",
              .glu_alpha = "swiglu_alpha"},
     .names = gpt_oss_names,
     .order = ExpertOrder::columns_in_turn},
    {.architecture = "OlmoeForCausalLM",
     .model_type = "olmoe",
     .head_norm = HeadNorm::all,
     .bias_keys = BiasKeys::attention,
     .epsilon = 1e-5,
     .keys = {.experts = "num_experts",
              .chosen = "num_experts_per_tok",
              .among_chosen = "norm_topk_prob"},
     .experts = qwen_experts},
    {.architecture = "GraniteMoeForCausalLM",
     .model_type = "granitemoe",
     .bias_keys = BiasKeys::attention,
     .among_chosen = true,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling",
              .experts = "num_local_experts",
              .chosen = "num_experts_per_tok"},
     .names = granite_moe_names},
    {.architecture = "GraniteMoeSharedForCausalLM",
     .model_type = "granitemoeshared",
     .bias_keys = BiasKeys::attention,
     .among_chosen = true,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling",
              .experts = "num_local_experts",
              .chosen = "num_experts_per_tok",
              .shared_hidden = "shared_intermediate_size"},
     .names = granite_shared_names},
    {.architecture = "GraniteMoeHybridForCausalLM",
     .model_type = "granitemoehybrid",
     .bias_keys = BiasKeys::attention,
     .silent_keys = granite_hybrid_silent,
     .needed_words = granite_hybrid_words,
     .kept = granite_hybrid_kept,
     .lists_attention = true,
     .among_chosen = true,
     .maybe_dense = true,
     .keys = {.score_scale = "attention_multiplier",
              .embedding_scale = "embedding_multiplier",
              .sum_scale = "residual_multiplier",
              .logit_divisor = "logits_scaling",
              .position_kind = "position_embedding_type",
              .experts = "num_local_experts",
              .chosen = "num_experts_per_tok",
              .shared_hidden = "shared_intermediate_size"},
     .names = granite_shared_names},
    {.architecture = "GPTNeoXForCausalLM",
     .model_type = "gpt_neox",
     .norm = LEVEE_NORM_LAYER,
     .biases = FamilyBiases::all,
     .gated = false,
     .parallel = true,
     .own_norms = true,
     .prefix = "gpt_neox.",
     .classifier = "embed_out.weight",
     .grouped_qkv = "attention.query_key_value",
     .idle = neox_idle,
     .needed = neox_flags,
     .epsilon = 1e-5,
     .rotary_share = 0.25,
     .activation = "gelu",
     .keys = {.theta = "rotary_emb_base",
              .epsilon = "layer_norm_eps",
              .parallel = "use_parallel_residual",
              .rotary_share = "rotary_pct"},
     .names = neox_names},
    {.architecture = "FalconForCausalLM",
     .model_type = "falcon",
     .norm = LEVEE_NORM_LAYER,
     .gated = false,
     .parallel = true,
     .prefix = "transformer.",
     .layer_prefix = "h.",
     .grouped_qkv = "self_attention.query_key_value",
     .needed = falcon_flags,
     .hidden_of_dim = 4,
     .max_context = 2048,
     .kv_heads = 1,
     .tied = true,
     .epsilon = 1e-5,
     .activation = "gelu",
     .keys = {.hidden = "ffn_hidden_size",
              .kv_heads = nullptr,
              .activation = "activation",
              .epsilon = "layer_norm_epsilon"},
     .names = falcon_names},
    {.architecture = "ExaoneForCausalLM",
     .model_type = "exaone",
     .prefix = "transformer.",
     .layer_prefix = "h.",
     .epsilon = 1e-5,
     .keys = {.layers = "num_layers",
              .activation = "activation_function",
              .epsilon = "layer_norm_epsilon"},
     .names = exaone_names},
    {.architecture = "InternLM2ForCausalLM",
     .model_type = "internlm2",
     .classifier = "output.weight",
     .grouped_qkv = "attention.wqkv",
     .needed = internlm2_flags,
     .names = internlm2_names},
    {.architecture = "InternLM3ForCausalLM",
     .model_type = "internlm3",
     .needed = internlm3_flags,
     .keys = {.qkv_biases = "qkv_bias"}},
    {.architecture = "MiniCPMForCausalLM",
     .model_type = "minicpm",
     .silent_keys = minicpm_silent,
     .tied = true,
     .keys = {.embedding_scale = "scale_emb",
              .depth_scale = "scale_depth",
              .logit_base = "dim_model_base"}},
    {.architecture = "PhiForCausalLM",
     .model_type = "phi",
     .norm = LEVEE_NORM_LAYER,
     .biases = FamilyBiases::all,
     .gated = false,
     .parallel = true,
     .whole = false,
     .why_not_whole = "its classifier has a bias, which no machine adds",
     .epsilon = 1e-5,
     .rotary_share = 0.5,
     .activation = "gelu_new",
     .keys = {.epsilon = "layer_norm_eps", .rotary_share = "partial_rotary_factor"},
     .names = phi_names},
};

/// Families that no machine can execute.
struct RefusedFamily {
    const char* architecture;
    const char* model_type;
    const char* why;
};
constexpr const char* has_states = "it has recurrent or state-space layers";
constexpr const char* norms_turned = "it normalises queries and keys after their rotation";
constexpr const char* linear = "it has layers of linear attention";
constexpr const char* mixes =
    "its router leaves out experts whose scores are far below the best one";
constexpr const char* convolutions = "most of its layers are convolutions";
constexpr const char* shares = "its layers share keys and values, and each layer has an embedding";
constexpr const char* chunks =
    "its attention is chunked, and router scores multiply the experts' inputs";
constexpr const char* indexes = "an indexer chooses the tokens of its attention";
constexpr RefusedFamily refused_families[] = {
    {"ApertusForCausalLM", "apertus", "its activation has trained parameters (xIELU)"},
    {"BitNetForCausalLM", "bitnet",
     "it has a norm before the last matrix of attention and of the feed-forward network"},
    {"DeepseekV32ForCausalLM", "deepseek_v32", indexes},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", indexes},
    {"PhiMoEForCausalLM", "phimoe", mixes},
    {"PhimoeForCausalLM", "phimoe", mixes},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", norms_turned},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", norms_turned},
    {"Lfm2ForCausalLM", "lfm2", convolutions},
    {"Lfm2MoeForCausalLM", "lfm2_moe", convolutions},
    {"MambaForCausalLM", "mamba", has_states},
    {"Mamba2ForCausalLM", "mamba2", has_states},
    {"JambaForCausalLM", "jamba", has_states},
    {"BambaForCausalLM", "bamba", has_states},
    {"Zamba2ForCausalLM", "zamba2", has_states},
    {"FalconH1ForCausalLM", "falcon_h1", has_states},
    {"NemotronHForCausalLM", "nemotron_h", has_states},
    {"Qwen3NextForCausalLM", "qwen3_next", linear},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5_text", linear},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe_text", linear},
    {"Gemma3nForConditionalGeneration", "gemma3n", shares},
    {"Gemma3nForCausalLM", "gemma3n_text", shares},
    {"Llama4ForConditionalGeneration", "llama4", chunks},
    {"Llama4ForCausalLM", "llama4_text", chunks}};

} // namespace

const char* why_refused(std::string_view name)
{
    for (const RefusedFamily& family : refused_families)
        if (name == family.architecture || name == family.model_type)
            return family.why;
    return nullptr;
}

const Family* find_family(std::string_view name)
{
    const auto* const found = std::ranges::find_if(families, [name](const Family& family) {
        return name == family.architecture || name == family.model_type;
    });
    return found == std::end(families) ? nullptr : found;
}

std::string family_names(bool whole_only)
{
    std::string names;
    for (const Family& family : families)
        if (family.whole || !whole_only)
            names += (names.empty() ? "" : ", ") + std::string(family.architecture);
    return names;
}

bool is_opt(const Family& family)
{
    return std::string_view(family.model_type) == "opt";
}

std::vector<std::string_view> keys_of(const Family& family)
{
    const FamilyKeys& keys = family.keys;
    std::vector<std::string_view> read;
    for (const char* const key :
         {keys.layers,          keys.hidden,           keys.kv_heads,       keys.theta,
          keys.depth_scale,     keys.logit_base,       keys.activation,     keys.epsilon,
          keys.qkv_biases,      keys.all_biases,       keys.parallel,       keys.rotary_share,
          keys.score_cap,       keys.logit_cap,        keys.score_scale,    keys.score_width,
          keys.embedding_scale, keys.sum_scale,        keys.logit_scale,    keys.logit_divisor,
          keys.pattern,         keys.local_theta,      keys.rotated_layers, keys.unrotated_every,
          keys.position_kind,   keys.experts,          keys.chosen,         keys.expert_hidden,
          keys.among_chosen,    keys.attention_biases, keys.head_norm,      keys.scoring,
          keys.expert_scale,    keys.shared_hidden,    keys.shared_count,   keys.first_sparse,
          keys.last_sparse,     keys.sparse_every,     keys.dense_layers,   keys.glu_limit,
          keys.further_layers,  keys.kv_latent,        keys.query_latent,   keys.rope_dim,
          keys.nope_dim,        keys.value_dim,        keys.glu_alpha})
        if (key != nullptr)
            read.emplace_back(key);
    read.insert(read.end(), family.silent_keys.begin(), family.silent_keys.end());
    for (const NeededFlag& flag : family.needed)
        read.emplace_back(flag.key);
    for (const NeededWord& word : family.needed_words)
        read.emplace_back(word.key);
    for (const KeptValue& kept : family.kept)
        read.emplace_back(kept.key);
    return read;
}

std::string name_of_shared(const Family& family, levee_tensor_kind kind)
{
    const ExpertNames& names = family.shared;
    const char* const name = kind == LEVEE_TENSOR_W_GATE   ? names.gate
                             : kind == LEVEE_TENSOR_W_UP   ? names.up
                             : kind == LEVEE_TENSOR_W_DOWN ? names.down
                                                           : nullptr;
    return name == nullptr ? "" : std::string(names.before) + name;
}

const char* name_of_kind(const Family& family, levee_tensor_kind kind)
{
    for (const std::span<const KindName> names :
         {family.names, std::span<const KindName>(llama_names)})
        for (const KindName& known : names)
            if (known.kind == kind)
                return known.name;
    return nullptr;
}

} // namespace levee::hf
