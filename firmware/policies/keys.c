// SPDX-License-Identifier: Apache-2.0
#include "firmware/policies/keys.h"

#include "ip/cam/regs.h"
#include "ip/cpq/regs.h"
#include "ip/edram/regs.h"
#include "ip/voting_engine/regs.h"

#include <stddef.h>

#define FIELD(member) offsetof(struct levee_boot_info, member)

#define MOST_PROTECTED 0xFFFF /* the field of an eviction operation has 16 bits */
#define MOST_KEPT 0xFFFE      /* one less, because of the spare slot */
#define HOUR_PS 3.6e15        /* the longest interval; an eDRAM has the same limit */
#define LEAST_SHARE (1 / 2147483648.0)

static const char* const scores[] = {
    [LEVEE_KV_SCORE_SOFTMAX] = "softmax", [LEVEE_KV_SCORE_LOGIT] = "logit", NULL};
static const char* const searches[] = {
    [LEVEE_KV_SEARCH_BESIDE] = "beside", [LEVEE_KV_SEARCH_AFTER] = "after", NULL};
static const char* const recomputations[] = {[LEVEE_KV_RECOMPUTE_OFF] = "off",
                                             [LEVEE_KV_RECOMPUTE_HIDDEN] = "hidden",
                                             [LEVEE_KV_RECOMPUTE_ALL] = "all",
                                             [LEVEE_KV_RECOMPUTE_FREE] = "free",
                                             NULL};
static const char* const layers[] = {
    [LEVEE_KV_LAYERS_FULL] = "full", [LEVEE_KV_LAYERS_ALL] = "all", NULL};
static const char* const draws[] = {
    [LEVEE_KV_DRAW_VICTIM] = "victim", [LEVEE_KV_DRAW_RANK] = "rank", NULL};
static const char* const distances[] = {[LEVEE_CAM_HAMMING] = "hamming",
                                        [LEVEE_CAM_L2] = "l2",
                                        [LEVEE_CAM_L2_PRODUCT] = "product",
                                        NULL};
static const char* const merges[] = {[LEVEE_CAM_LEAST] = "least", [LEVEE_CAM_SUM] = "sum", NULL};

#define INTERVAL(key, group)                                                                       \
    {                                                                                              \
        .name = key, .meaning = "Refresh interval of this group of cells.",                        \
        .type = LEVEE_KV_TYPE_TIME, .field = FIELD(kv.refresh_ps[group]), .least = 1,              \
        .most = HOUR_PS                                                                            \
    }
static const struct levee_kv_key refresh[] = {INTERVAL("high_msb", LEVEE_EDRAM_HIGH_MSB),
                                              INTERVAL("high_lsb", LEVEE_EDRAM_HIGH_LSB),
                                              INTERVAL("low_msb", LEVEE_EDRAM_LOW_MSB),
                                              INTERVAL("low_lsb", LEVEE_EDRAM_LOW_LSB),
                                              {.name = NULL}};

#define FACTOR(key, member, means)                                                                 \
    {                                                                                              \
        .name = key, .meaning = means, .type = LEVEE_KV_TYPE_REAL, .required = 1,                  \
        .field = FIELD(voting.member), .most = LEVEE_VE_GREATEST_FACTOR,                           \
        .smallest = LEVEE_VE_LEAST_FACTOR                                                          \
    }
static const struct levee_kv_key threshold[] = {
    FACTOR("mean", mean_factor, "Factor a in the threshold a * mean - b * deviation."),
    FACTOR("deviation", deviation_factor, "Factor b in the threshold a * mean - b * deviation."),
    {.name = NULL}};

static const struct levee_kv_key retrieval[] = {
    {.name = "bits",
     .meaning = "Bits of a memory cell, which holds one element of a proxy.",
     .type = LEVEE_KV_TYPE_COUNT,
     .required = 1,
     .field = FIELD(retrieval.bits),
     .least = 1,
     .most = LEVEE_CAM_MAX_BITS},
    {.name = "distance",
     .meaning = "Measure of the distance between a proxy and the query.",
     .type = LEVEE_KV_TYPE_WORD,
     .field = FIELD(retrieval.distance),
     .otherwise = LEVEE_CAM_L2_PRODUCT,
     .words = distances},
    {.name = "merge",
     .meaning = "Rule that combines the distances from the queries of a group into one.",
     .type = LEVEE_KV_TYPE_WORD,
     .field = FIELD(retrieval.merge),
     .otherwise = LEVEE_CAM_SUM,
     .words = merges},
    {.name = "range",
     .meaning =
         "Largest magnitude of keys that cells represent; 0: each vector's own largest magnitude.",
     .type = LEVEE_KV_TYPE_REAL,
     .field = FIELD(retrieval.range),
     .most = 1e6,
     .smallest = 1e-6},
    {.name = "top_k",
     .meaning = "Number of tokens that a decode step attends to.",
     .type = LEVEE_KV_TYPE_COUNT,
     .field = FIELD(retrieval.top_k),
     .least = 1,
     .most = MOST_KEPT},
    {.name = "ratio",
     .meaning = "Fraction of the cached tokens that a decode step attends to.",
     .type = LEVEE_KV_TYPE_SHARE,
     .field = FIELD(retrieval.share),
     .most = 1,
     .smallest = LEAST_SHARE},
    {.name = NULL}};

#define CPQ_COUNT(key, member, limit, means)                                                       \
    {                                                                                              \
        .name = key, .meaning = means, .type = LEVEE_KV_TYPE_COUNT, .required = 1,                 \
        .field = FIELD(cpq.member), .least = 1, .most = limit                                      \
    }
#define CPQ_THRESHOLD(key, member, count, means)                                                   \
    {                                                                                              \
        .name = key, .meaning = means, .type = LEVEE_KV_TYPE_LAYERS, .required = 1,                \
        .field = FIELD(cpq.member), .most = 1e18, .counts = FIELD(cpq.count)                       \
    }
static const struct levee_kv_key cpq[] = {
    CPQ_COUNT("key_bits", key_bits, LEVEE_CPQ_MOST_BITS, "Bits of a packed key's element."),
    CPQ_COUNT("value_bits", value_bits, LEVEE_CPQ_MOST_BITS, "Bits of a packed value's element."),
    CPQ_COUNT("max_levels", max_levels, LEVEE_CPQ_MOST_LEVELS,
              "Maximum number of quantisation levels of a channel."),
    {.name = "tolerance",
     .meaning = "Fraction of a level's range by which an element may be outside that range.",
     .type = LEVEE_KV_TYPE_REAL,
     .field = FIELD(cpq.tolerance),
     .most = 1048576,
     .smallest = 1 / 1048576.0},
    CPQ_THRESHOLD("key_threshold", key_threshold, key_layers,
                  "Magnitude below which elements of keys are pruned."),
    CPQ_THRESHOLD("value_threshold", value_threshold, value_layers,
                  "Magnitude below which elements of values are pruned."),
    {.name = NULL}};

const struct levee_kv_key levee_kv_keys[LEVEE_KV_KEYS] = {
    [LEVEE_KV_KEY_BUDGET] = {.name = "budget",
                             .meaning = "Tokens kept per layer, sequence and KV head.",
                             .type = LEVEE_KV_TYPE_COUNT,
                             .field = FIELD(kv.budget),
                             .least = 1,
                             .most = MOST_KEPT},
    [LEVEE_KV_KEY_RECENT_WINDOW] = {.name = "recent_window",
                                    .meaning =
                                        "Number of most recent tokens that are never evicted.",
                                    .type = LEVEE_KV_TYPE_COUNT,
                                    .field = FIELD(kv.window),
                                    .least = 1,
                                    .most = MOST_PROTECTED,
                                    .otherwise = 1},
    [LEVEE_KV_KEY_SINKS] = {.name = "sinks",
                            .meaning = "Number of first tokens that are never evicted.",
                            .type = LEVEE_KV_TYPE_COUNT,
                            .field = FIELD(kv.sinks),
                            .most = MOST_PROTECTED},
    [LEVEE_KV_KEY_SCORE] =
        {.name = "score",
         .meaning =
             "Attention scores whose sum is a token's importance: before or after the softmax.",
         .type = LEVEE_KV_TYPE_WORD,
         .field = FIELD(kv.score),
         .words = scores},
    [LEVEE_KV_KEY_SEARCH] = {.name = "search",
                             .meaning = "When the evictor searches for the victim: while scores "
                                        "are computed, or after attention.",
                             .type = LEVEE_KV_TYPE_WORD,
                             .field = FIELD(kv.search),
                             .words = searches},
    [LEVEE_KV_KEY_VIEW_BITS] = {.name = "view_bits",
                                .meaning = "Bits of a token's importance in the eDRAM's register "
                                           "file.",
                                .type = LEVEE_KV_TYPE_COUNT,
                                .field = FIELD(kv.view_bits),
                                .least = 1,
                                .most = 7,
                                .otherwise = 4},
    [LEVEE_KV_KEY_RECENT_HIGH] =
        {.name = "recent_high",
         .meaning = "Tokens of the recent window are refreshed as often as high-score tokens.",
         .type = LEVEE_KV_TYPE_FLAG,
         .field = FIELD(kv.recent_high)},
    [LEVEE_KV_KEY_RECOMPUTE] =
        {.name = "recompute",
         .meaning = "Which popular tokens are stored as layer inputs and recomputed.",
         .type = LEVEE_KV_TYPE_WORD,
         .field = FIELD(kv.recompute),
         .otherwise = LEVEE_KV_RECOMPUTE_HIDDEN,
         .words = recomputations},
    [LEVEE_KV_KEY_STAGING] = {.name = "staging",
                              .meaning = "Bytes of the KV eDRAM that cache slices leave free.",
                              .type = LEVEE_KV_TYPE_SIZE,
                              .field = FIELD(kv.staging_bytes),
                              .most = 1u << 30},
    [LEVEE_KV_KEY_ACTIVATION_REFRESH] =
        {.name = "activation_refresh",
         .meaning = "Refresh interval of the eDRAM that holds activations.",
         .type = LEVEE_KV_TYPE_TIME,
         .field = FIELD(kv.activation_refresh_ps),
         .least = 1,
         .most = HOUR_PS,
         .decides_nothing = 1},
    [LEVEE_KV_KEY_REFRESH] = {.name = "refresh",
                              .meaning = "Refresh intervals of eDRAMs with the role kv.",
                              .type = LEVEE_KV_TYPE_SECTION,
                              .keys = refresh,
                              .decides_nothing = 1},
    [LEVEE_KV_KEY_RATIO] = {.name = "ratio",
                            .meaning =
                                "Fraction of a prompt's tokens that is kept; replaces `budget`.",
                            .type = LEVEE_KV_TYPE_OWN,
                            .most = 1,
                            .decides_nothing = 1}, /* `ratio` sets the budget, and only the
                                                      budget affects results */
    [LEVEE_KV_KEY_THRESHOLD] = {.name = "threshold",
                                .meaning = "Probability below which a token gets a vote.",
                                .type = LEVEE_KV_TYPE_SECTION,
                                .keys = threshold},
    [LEVEE_KV_KEY_RESERVED] = {.name = "reserved",
                               .meaning = "Number of first tokens that cast no votes.",
                               .type = LEVEE_KV_TYPE_COUNT,
                               .field = FIELD(voting.reserved),
                               .most = MOST_PROTECTED},
    [LEVEE_KV_KEY_PROTECT] = {.name = "protect",
                              .meaning = "Number of first tokens that are never evicted.",
                              .type = LEVEE_KV_TYPE_COUNT,
                              .field = FIELD(voting.protect),
                              .most = MOST_PROTECTED},
    [LEVEE_KV_KEY_RETRIEVAL] = {.name = "retrieval",
                                .meaning = "Search for the tokens that a decode step attends to.",
                                .type = LEVEE_KV_TYPE_SECTION,
                                .keys = retrieval,
                                .announced = 1,
                                .beside = "proxies"},
    [LEVEE_KV_KEY_CPQ] = {.name = "cpq",
                          .meaning = "Pruning and quantisation of keys and values.",
                          .type = LEVEE_KV_TYPE_SECTION,
                          .keys = cpq,
                          .announced = 1,
                          .beside = "packed rows"},
    [LEVEE_KV_KEY_BITS] = {.name = "bits",
                           .meaning = "Bits of each stored element of keys and values.",
                           .type = LEVEE_KV_TYPE_OWN,
                           .field = FIELD(codes.bits),
                           .least = 4,
                           .most = 16,
                           .otherwise = 16},
    [LEVEE_KV_KEY_DRAW] =
        {.name = "draw",
         .meaning = "Random draw: a victim at each eviction, or a fixed rank when a token arrives.",
         .type = LEVEE_KV_TYPE_WORD,
         .field = FIELD(random.draw),
         .words = draws,
         .announced = 1},
    [LEVEE_KV_KEY_LAYERS] =
        {.name = "layers",
         .meaning =
             "Layers that follow the policy: only those that attend to all tokens, or all layers.",
         .type = LEVEE_KV_TYPE_WORD,
         .field = FIELD(codes.layers),
         .words = layers},
    [LEVEE_KV_KEY_HADAMARD] = {.name = "hadamard",
                               .meaning = "The vectors of each head are multiplied by a Hadamard "
                                          "matrix before they are stored (QuaRot, section 4).",
                               .type = LEVEE_KV_TYPE_FLAG,
                               .field = FIELD(rotation.hadamard)},
};
