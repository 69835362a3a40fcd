// SPDX-License-Identifier: Apache-2.0
/* Boot information for firmware: the blocks of the system, its memories, and the workload. It is
 * a read-only page at LEVEE_BOOT_INFO_ADDRESS, little endian. This header is plain C, and the
 * platform includes it, too. */
#pragma once

#include "core/abi/model_image.h"

#include <stdint.h>

#define LEVEE_BOOT_INFO_ADDRESS 0x00001000u
#define LEVEE_BOOT_INFO_BYTES 0x4000u
#define LEVEE_BOOT_INFO_MAGIC 0x42564C21u
#define LEVEE_BOOT_INFO_VERSION 4u
/* Name of the C object in which a program may keep a copy of the page. When several runs continue
 * from one prefill, the platform also updates this copy (docs/reproduce.md, shared_prefill). */
#define LEVEE_BOOT_INFO_COPY "boot_info_copy"
#define LEVEE_MAX_BLOCKS 32u
#define LEVEE_MAX_MEMORIES 16u
#define LEVEE_NAME_BYTES 16u

/* Fixed addresses in the core's map. boot_info contains all other addresses. */
#define LEVEE_CLINT_BASE 0x02000000u
#define LEVEE_PLIC_BASE 0x0C000000u
#define LEVEE_UART_BASE 0x10000000u
#define LEVEE_HOSTLINK_BASE 0x10010000u
#define LEVEE_TCM_BASE 0x80000000u
#define LEVEE_UART_IRQ 1u

struct levee_block_info {
    uint32_t type;   /* the component's unique number, LEVEE_BLOCK_* in its regs.h */
    uint32_t base;   /* address of the block's registers */
    uint32_t irq;    /* PLIC source; 0: none */
    uint32_t shares; /* 0, or 1 + the index of the block whose execution units this queue shares */
    char name[LEVEE_NAME_BYTES]; /* name in the scenario, zero-terminated */
};

/* Uses of a memory (levee_memory_info.roles). The names match the roles in scenarios. */
#define LEVEE_ROLE_MODEL 0x1u /* the model image is here */
#define LEVEE_ROLE_KV                                                                              \
    0x2u /* the KV cache; the first memory with this role is filled before the next */
#define LEVEE_ROLE_ACTIVATIONS 0x4u /* activations go here while they fit */
#define LEVEE_ROLE_SPILL 0x8u       /* activations that do not fit under ROLE_ACTIVATIONS */
#define LEVEE_ROLE_CODE 0x10u       /* the core's tightly coupled memory */
#define LEVEE_ROLE_STATE                                                                           \
    0x20u /* scales, importance and slot tables of the KV cache, while they fit */
#define LEVEE_ROLE_WEIGHTS_RING                                                                    \
    0x40u /* weights pass through here from their memory to the array (ip/rsa/regs.h) */
#define LEVEE_ROLE_KV_RING 0x80u /* keys and values pass through here in the same way */
#define LEVEE_ROLE_WEIGHTS                                                                         \
    0x100u /* matrices of layers, stored in the component's own format (model_image.h) */
#define LEVEE_ROLE_EXPERTS 0x200u /* matrices of experts are here, in the format of the image */

struct levee_memory_info {
    uint64_t base;             /* address in the accelerators' map */
    uint64_t size;             /* bytes */
    uint64_t free_base;        /* first byte that the platform has not used, aligned to 4 KiB */
    uint64_t bytes_per_second; /* peak rate */
    uint32_t core_base;        /* address of the first core_size bytes in the core's map; 0: none */
    uint32_t core_size;
    uint32_t roles;
    uint32_t reserved;
    char name[LEVEE_NAME_BYTES];
};

enum levee_sampling { LEVEE_SAMPLING_GREEDY = 0, LEVEE_SAMPLING_TEMPERATURE = 1 };

/* A sequence of the workload. Its token ids are uint32 at token_address. */
struct levee_sequence {
    uint64_t token_address; /* address in the accelerators' map, even if the core sees the memory
                             * in its window */
    uint32_t token_count;
    uint32_t prefill_count; /* the first prefill_count tokens are prefilled; decode steps process
                               the others */
    union {
        uint32_t answer_index; /* recall: index of the first token of the answer to predict; 0: no
                                  answer */
        float temperature;     /* used with LEVEE_SAMPLING_TEMPERATURE; 0: the most probable token
                                  is always picked */
    };
    uint32_t seed; /* seed of the random draws with LEVEE_SAMPLING_TEMPERATURE */
};

/* A turn of a conversation: its prompt, and the length of its answer. */
struct levee_turn {
    uint64_t token_address; /* address of the prompt's tokens, in memory that the core can also
                             * reach */
    uint64_t pause_ticks;   /* pause after the previous answer, in ticks of boot_info.timebase_hz */
    uint32_t token_count;
    uint32_t max_new_tokens;
    uint32_t end_token; /* token that ends the previous answer; if the answer ends without it,
                         * the next prompt begins with it; LEVEE_NO_TOKEN: none */
    uint32_t reserved;
};

/* A request for the answer to one sequence. */
struct levee_request {
    uint64_t arrival_ticks; /* arrival after the start of the run, in ticks of
                             * boot_info.timebase_hz */
    uint32_t max_new_tokens;
    /* Number of tokens in a prefix block. Whole blocks that a prompt shares with an earlier one
     * are not prefilled again; 0: everything is prefilled. All requests have the same number. */
    uint32_t prefix_block;
};

#define LEVEE_DRAFT_ALWAYS 65536u

struct levee_workload {
    uint64_t model_address;    /* struct levee_model_header, in the accelerators' map */
    uint64_t sequence_address; /* address of an array of struct levee_sequence, in memory that the
                                * core can also reach */
    uint32_t sequence_count;
    uint32_t batch;          /* sequences that run together */
    uint32_t max_new_tokens; /* generate: new tokens per sequence */
    uint32_t context;        /* KV slots per sequence, at most the model's max_context */
    uint32_t prefill_chunk;  /* tokens of one prefill pass; 0: firmware chooses */
    uint32_t sampling;       /* enum levee_sampling */
    float temperature;
    uint32_t seed;
    uint32_t stop_token; /* token that ends a sequence, like the tokens in `stops`; 0xFFFFFFFF:
                          * none */
    uint32_t no_logits;  /* 1: decode steps end after the last layer, so they compute no logits,
                          * and picked tokens mean nothing */
    /* Samples (`sampling:` of a timing-only scenario): only the listed prefill chunks and decode
     * steps run; 0: all run. The lists are arrays of ascending uint32 indices in the core's window.
     * Only the first two entries and the last one are prefilled. All sequences then have the same
     * lengths. */
    uint32_t sample_chunks, sample_steps; /* number of listed samples */
    uint64_t sample_chunk_address, sample_step_address;
    /* Number of layers, out of many identical ones, that a pass executes: 1 to 8. Each pass also
     * runs with twice as many layers, and the platform extrapolates from the difference. 0: passes
     * execute all layers. */
    uint32_t sample_layers;
    /* Number of turns of a conversation that share one cache; 0: no conversation. The only sequence
     * has the first turn's prompt, and space for all later tokens. */
    uint32_t turn_count;
    uint64_t turn_address; /* address of an array of struct levee_turn, in memory that the core
                            * can also reach */
    /* Address of an array of struct levee_request, in memory that the core can also reach: one
     * request for each sequence, ordered by arrival. 0: all sequences are present from the
     * start. */
    uint64_t request_address;
    /* Speculative decoding: number of tokens to guess in advance; 0: none. The guesses are the
     * tokens that followed an earlier occurrence of the last draft_match tokens. One pass
     * verifies them. The sequence then has space for all generated tokens and guesses. */
    uint32_t draft_tokens;
    uint32_t draft_match;      /* 0: a second model, the draft, makes the guesses. One more
                                * levee_sequence then follows the last one; its token_address is
                                * the address of the draft's header */
    uint32_t draft_acceptance; /* fraction of correct guesses, in units of LEVEE_DRAFT_ALWAYS, for
                                * runs that have no tokens to compare */
    uint32_t forgets; /* LEVEE_PAUSE_*. Nonzero: one more levee_turn follows the last turn; its
                       * pause is the longest after which the cache is still kept */
};

/* Policies of the KV cache. Each is also a row of the table in firmware/policies/policies.c. */
enum levee_kv_policy_kind {
    LEVEE_KV_FULL = 0,      /* keeps everything */
    LEVEE_KV_STREAMING = 1, /* keeps sinks and the most recent tokens (StreamingLLM) */
    LEVEE_KV_H2O = 2,       /* keeps recent tokens and those with the greatest accumulated
                               attention */
    LEVEE_KV_RANDOM = 3,    /* like AEP, but evicts at random */
    LEVEE_KV_AEP = 4,       /* attention-based eviction (Kelle, section 4.1.1) */
    LEVEE_KV_AERP = 5,      /* eviction with recomputation (section 4.1.2) */
    LEVEE_KV_VOTING = 6,    /* keeps tokens with the fewest votes against them (VEDA, section
                               III) */
    LEVEE_KV_CPQ = 7,       /* keeps everything, pruned and quantised (Titanus, section IV) */
    LEVEE_KV_RETRIEVAL = 8  /* keeps everything, but a decode step reads only the nearest tokens */
};

/* Numbers of stream ports. By convention, the scenario's first port carries the array's output, the
 * second carries the function unit's output, and the third carries weights to the array. */
enum levee_port { LEVEE_PORT_ARRAY = 0, LEVEE_PORT_FUNCTIONS = 1, LEVEE_PORT_WEIGHTS = 2 };

/* Which attention scores are added to a token's importance. */
enum levee_kv_score {
    LEVEE_KV_SCORE_SOFTMAX = 0, /* scores after the softmax */
    LEVEE_KV_SCORE_LOGIT = 1    /* scores before the softmax */
};

enum levee_kv_recompute {
    LEVEE_KV_RECOMPUTE_OFF = 0,
    LEVEE_KV_RECOMPUTE_HIDDEN = 1, /* recomputes as many tokens as possible without making the pass
                                    * longer */
    LEVEE_KV_RECOMPUTE_ALL = 2,    /* every popular token */
    LEVEE_KV_RECOMPUTE_FREE = 3    /* every popular token, in zero time; only in timing-only runs */
};

/* When the evictor searches for its victims. */
enum levee_kv_search {
    LEVEE_KV_SEARCH_BESIDE = 0, /* while scores are computed (Kelle, section 5.3) */
    LEVEE_KV_SEARCH_AFTER = 1   /* after attention, before the projection of its output */
};

struct levee_kv_policy {
    uint32_t kind;          /* enum levee_kv_policy_kind */
    uint32_t budget;        /* N': tokens kept per layer, batch entry and KV head; unused by FULL */
    uint32_t window;        /* number of most recent tokens that are protected */
    uint32_t sinks;         /* number of first tokens that are protected */
    uint32_t score;         /* enum levee_kv_score */
    uint32_t view_bits;     /* bits of an importance score in the eDRAM's register file */
    uint32_t recompute;     /* enum levee_kv_recompute; AERP only */
    uint32_t staging_bytes; /* bytes that cache slices leave free in an eDRAM with the role kv */
    uint32_t recent_high;   /* nonzero: recent tokens are refreshed at the rate of high-score
                             * tokens */
    uint32_t search;        /* enum levee_kv_search */
    uint64_t refresh_ps[4]; /* refresh intervals of the eDRAM with the role kv, by enum
                               levee_edram_group; 0: unchanged */
    uint64_t activation_refresh_ps; /* refresh interval of an eDRAM with the role activations; 0:
                                       unchanged */
};

/* Settings of LEVEE_KV_VOTING (ip/voting_engine/regs.h). */
struct levee_kv_voting {
    float mean_factor, deviation_factor; /* factors of the threshold */
    uint32_t reserved;                   /* the first `reserved` tokens cast no votes */
    uint32_t protect;                    /* the first `protect` tokens are never evicted */
};

/* Settings of LEVEE_KV_RETRIEVAL, with which a decode step attends to only some cached tokens
 * (ip/cam/regs.h). */
struct levee_kv_retrieval {
    uint32_t bits;     /* bits of a memory cell; 0: no search, all tokens are read */
    uint32_t distance; /* enum levee_cam_distance */
    uint32_t merge;    /* enum levee_cam_merge */
    float range;       /* largest magnitude of keys; 0: each vector has its own */
    uint32_t top_k;    /* number of tokens; 0: `share` applies */
    uint32_t share;    /* fraction of the cached tokens, in units of 2^-31; the number of tokens is
                        * rounded up */
};

#define LEVEE_KV_MAX_LAYERS 128u

/* Settings of LEVEE_KV_CPQ (ip/cpq/regs.h). */
struct levee_kv_cpq {
    uint32_t key_bits, value_bits, max_levels;
    float tolerance;
    uint32_t key_layers, value_layers; /* number of thresholds in the arrays; 1: one threshold for
                                        * all layers */
    float key_threshold[LEVEE_KV_MAX_LAYERS];
    float value_threshold[LEVEE_KV_MAX_LAYERS];
};

/* Which layers follow the policy `kv_cache.policy`. */
enum levee_kv_layers {
    LEVEE_KV_LAYERS_FULL = 0, /* layers that attend to all tokens; the others keep their window */
    LEVEE_KV_LAYERS_ALL = 1   /* all layers: local layers keep only some tokens of their window */
};

/* The format of stored keys and values, and the layers that follow the policy. Both apply to
 * every policy. */
struct levee_kv_codes {
    uint32_t bits;   /* bits of an element; 0: default of the machine that the scheduler is for */
    uint32_t layers; /* enum levee_kv_layers */
};

/* How LEVEE_KV_RANDOM chooses, separately for each layer, batch entry and KV head. */
enum levee_kv_draw {
    LEVEE_KV_DRAW_VICTIM = 0, /* draws a victim at each eviction; all tokens are equally likely */
    LEVEE_KV_DRAW_RANK = 1    /* draws a permanent rank when a token arrives; the lowest rank is
                                 evicted */
};

/* Settings of LEVEE_KV_RANDOM. */
struct levee_kv_random {
    uint32_t draw; /* enum levee_kv_draw */
    uint32_t reserved;
};

/* Order of operations on a machine that the scenario composes of parts
 * (firmware/target/compositions.c). */
#define LEVEE_ORDER_SEPARATE 1u /* one product each for Q, K and V */
#define LEVEE_ORDER_STAGED 2u   /* new keys and values stay outside the cache until they are used */
#define LEVEE_ORDER_KV_QUEUE 4u /* products with keys and values use a separate queue */
struct levee_machine_parts {
    char names[3][LEVEE_NAME_BYTES]; /* blocks for weights, functions and attention; "": the
                                        scheduler's default */
    uint32_t order;                  /* LEVEE_ORDER_* */
    uint32_t reserved;
};

/* Rotation of keys, queries and values before they are stored. */
struct levee_kv_rotation {
    uint32_t hadamard; /* nonzero: each head's vectors are multiplied by a Hadamard matrix */
    uint32_t reserved;
};

struct levee_boot_info {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes; /* number of valid bytes: up to the last part that is in use, so that older
                     * programs accept the page */
    uint32_t core_hz;
    uint32_t timebase_hz; /* frequency of mtime */
    uint32_t block_count;
    uint32_t memory_count;
    uint32_t stream_ports; /* number of stream ports; older platforms leave it 0 */
    struct levee_block_info blocks[LEVEE_MAX_BLOCKS];
    struct levee_memory_info memories[LEVEE_MAX_MEMORIES];
    struct levee_workload workload;
    struct levee_kv_policy kv;
    char scheduler[LEVEE_NAME_BYTES]; /* for example "baseline" */
    struct levee_kv_voting voting;
    struct levee_kv_retrieval retrieval;
    struct levee_kv_cpq cpq;
    struct levee_kv_codes codes;
    struct levee_kv_random random;
    struct levee_machine_parts parts;
    struct levee_stops stops; /* tokens that end a text in this model */
    struct levee_kv_rotation rotation;
};
