// SPDX-License-Identifier: Apache-2.0
/* Boot information for firmware, a read-only page at LEVEE_BOOT_INFO_ADDRESS: the blocks of this
 * system, its memories, and its workload (plain C, shared with the platform). All little endian. */
#pragma once

#include "core/abi/model_image.h"

#include <stdint.h>

#define LEVEE_BOOT_INFO_ADDRESS 0x00001000u
#define LEVEE_BOOT_INFO_BYTES 0x4000u
#define LEVEE_BOOT_INFO_MAGIC 0x42564C21u
#define LEVEE_BOOT_INFO_VERSION 4u
/* Name of the object in which a program keeps its copy of the page, if it has one: the platform
 * writes there, too, where runs go on from one prefill (docs/reproduce.md, shared_prefill). */
#define LEVEE_BOOT_INFO_COPY "boot_info_copy"
#define LEVEE_MAX_BLOCKS 32u
#define LEVEE_MAX_MEMORIES 16u
#define LEVEE_NAME_BYTES 16u

/* Fixed addresses in the core's map; boot_info has all others. */
#define LEVEE_CLINT_BASE 0x02000000u
#define LEVEE_PLIC_BASE 0x0C000000u
#define LEVEE_UART_BASE 0x10000000u
#define LEVEE_HOSTLINK_BASE 0x10010000u
#define LEVEE_TCM_BASE 0x80000000u
#define LEVEE_UART_IRQ 1u

struct levee_block_info {
    uint32_t type;   /* the component's number, LEVEE_BLOCK_* of its regs.h: no two have the same */
    uint32_t base;   /* address of its registers */
    uint32_t irq;    /* PLIC source, 0 = none */
    uint32_t shares; /* 0, or 1 + the index of the block whose execution units this queue shares */
    char name[LEVEE_NAME_BYTES]; /* name in the scenario, zero-terminated */
};

/* Permitted uses of a memory (levee_memory_info.roles), named as in scenarios. */
#define LEVEE_ROLE_MODEL 0x1u /* the model image is here */
#define LEVEE_ROLE_KV                                                                              \
    0x2u /* the KV cache goes here, into the first such memory as far as it fits */
#define LEVEE_ROLE_ACTIVATIONS 0x4u /* activations go here while they fit */
#define LEVEE_ROLE_SPILL 0x8u       /* and here when they do not */
#define LEVEE_ROLE_CODE 0x10u       /* tightly coupled memory */
#define LEVEE_ROLE_STATE                                                                           \
    0x20u /* scales, importance and slot tables of the KV cache, while they fit */
#define LEVEE_ROLE_WEIGHTS_RING                                                                    \
    0x40u /* weights pass through here from their memory to the array (ip/rsa/regs.h) */
#define LEVEE_ROLE_KV_RING 0x80u /* ring for keys and values, likewise */
#define LEVEE_ROLE_WEIGHTS                                                                         \
    0x100u /* matrices of the layers are here, in the component's own form (model_image.h) */
#define LEVEE_ROLE_EXPERTS 0x200u /* matrices of experts are here, as in the image */

struct levee_memory_info {
    uint64_t base;             /* Address as the accelerators see it. */
    uint64_t size;             /* bytes */
    uint64_t free_base;        /* first free byte, which the platform has not used, 4 KiB aligned */
    uint64_t bytes_per_second; /* peak */
    uint32_t core_base; /* address at which the core sees the first core_size bytes; 0: nowhere */
    uint32_t core_size;
    uint32_t roles;
    uint32_t reserved;
    char name[LEVEE_NAME_BYTES];
};

enum levee_sampling { LEVEE_SAMPLING_GREEDY = 0, LEVEE_SAMPLING_TEMPERATURE = 1 };

/* One sequence of the workload; its ids are uint32 at token_address. */
struct levee_sequence {
    uint64_t token_address; /* Address as the accelerators see it, also for memories inside the
                             * core's window. */
    uint32_t token_count;
    uint32_t prefill_count; /* the first so many are prefilled, the others fed to decode */
    uint32_t answer_index; /* recall: the tokens from here on are the answer to predict; 0 = none */
    uint32_t seed;         /* seeds a request's draws (LEVEE_SAMPLING_TEMPERATURE) */
};

/* A turn of a conversation: the prompt, and the length of the answer. */
struct levee_turn {
    uint64_t token_address; /* Address of the prompt's tokens; it lies in the core's window, too. */
    uint64_t pause_ticks;   /* Think time after the previous answer, in ticks of
                             * boot_info.timebase_hz. */
    uint32_t token_count;
    uint32_t max_new_tokens;
    uint32_t end_token; /* Token that ends the previous answer. If the answer does not end with
                         * it, the next prompt begins with it. LEVEE_NO_TOKEN: no such token. */
    uint32_t reserved;
};

/* A request to answer one sequence. */
struct levee_request {
    uint64_t arrival_ticks; /* Arrival since the start of the run, in ticks of
                             * boot_info.timebase_hz. */
    uint32_t max_new_tokens;
    /* Tokens of a prefix block. Whole blocks that the prompt shares with an earlier one are not
     * prefilled again; 0: everything is prefilled. Same for all requests. */
    uint32_t prefix_block;
};

#define LEVEE_DRAFT_ALWAYS 65536u

struct levee_workload {
    uint64_t model_address;    /* struct levee_model_header, as accelerators address it */
    uint64_t sequence_address; /* Address of an array of struct levee_sequence; it lies in the
                                * core's window, too. */
    uint32_t sequence_count;
    uint32_t batch;          /* sequences that run together */
    uint32_t max_new_tokens; /* generate: per sequence */
    uint32_t context;        /* KV slots per sequence, at most the model's max_context */
    uint32_t prefill_chunk;  /* tokens a prefill pass takes at once, 0 = firmware chooses */
    uint32_t sampling;       /* enum levee_sampling */
    float temperature;
    uint32_t seed;
    uint32_t stop_token; /* ends a sequence when generated, like those of `stops`; 0xFFFFFFFF =
                          * none */
    uint32_t no_logits;  /* 1: decode steps end with the last layer, and the picked tokens have no
                            meaning */
    /* Sampling (`sampling:` of a timing-only scenario): only these are run; 0 = all are. Arrays of
     * ascending uint32 in the core's window: chunks of some entries' prefill, decode steps from
     * 0. All sequences have the same lengths then. */
    uint32_t sample_chunks, sample_steps; /* number of listed samples */
    uint64_t sample_chunk_address, sample_step_address;
    /* Number of identical layers that passes go through; they also go through twice as many, and
     * the platform extrapolates. 1 to 8; 0: passes go through all layers. */
    uint32_t sample_layers;
    /* Number of turns of a conversation over one cache; 0: no conversation. The only sequence
     * has the first turn's prompt, and room for everything that is said later. */
    uint32_t turn_count;
    uint64_t turn_address; /* Address of an array of struct levee_turn; it lies in the core's
                            * window, too. */
    /* Array of struct levee_request, one for each sequence, by arrival, in the core's window too;
     * 0: sequences are there from the start. */
    uint64_t request_address;
    /* Speculative decoding: number of tokens that are guessed ahead; 0: none. Guesses are the
     * tokens that followed an earlier occurrence of the last draft_match tokens. One pass
     * verifies them. The sequence then has room for all generated tokens and guesses. */
    uint32_t draft_tokens;
    uint32_t draft_match; /* 0: a second model guesses, the draft. One more levee_sequence follows
                           * the last; its token_address is that of the draft's header. */
    uint32_t draft_acceptance; /* Share of guesses that are right, in units of
                                * LEVEE_DRAFT_ALWAYS, for runs without tokens to compare. */
    uint32_t forgets; /* Nonzero: one more levee_turn follows the last. Its pause is the longest
                       * for which a conversation's cache is kept. */
};

/* Policies of the KV cache that code refers to; all are rows of firmware/policies/policies.c. */
enum levee_kv_policy_kind {
    LEVEE_KV_FULL = 0,      /* everything */
    LEVEE_KV_STREAMING = 1, /* sinks and the most recent tokens (StreamingLLM) */
    LEVEE_KV_H2O = 2,       /* recent tokens and those of greatest accumulated attention */
    LEVEE_KV_RANDOM = 3,    /* Like AEP, but the victim is drawn at random. */
    LEVEE_KV_AEP = 4,       /* attention-based eviction (Kelle, section 4.1.1) */
    LEVEE_KV_AERP = 5,      /* Eviction with recomputation (section 4.1.2). */
    LEVEE_KV_VOTING = 6,    /* tokens that fewest others voted against (VEDA, section III) */
    LEVEE_KV_CPQ = 7,       /* everything, pruned and quantised (Titanus, section IV) */
    LEVEE_KV_RETRIEVAL = 8  /* every token stays; a decode step reads the nearest */
};

/* Stream ports have no names here. By convention the scenario's first port carries the array's
 * output and the second the function unit's output. The third carries weights to the array. */
enum levee_port { LEVEE_PORT_ARRAY = 0, LEVEE_PORT_FUNCTIONS = 1, LEVEE_PORT_WEIGHTS = 2 };

/* Form in which a token's attention enters its score. */
enum levee_kv_score {
    LEVEE_KV_SCORE_SOFTMAX = 0, /* Scores are taken after the softmax. */
    LEVEE_KV_SCORE_LOGIT = 1    /* Scores are taken before the softmax. */
};

enum levee_kv_recompute {
    LEVEE_KV_RECOMPUTE_OFF = 0,
    LEVEE_KV_RECOMPUTE_HIDDEN = 1, /* As many tokens are recomputed as cost no time. */
    LEVEE_KV_RECOMPUTE_ALL = 2,    /* every popular token */
    LEVEE_KV_RECOMPUTE_FREE = 3 /* the same, counted as if it took no time: timing_only runs only */
};

/* Time at which the evictor selects its victims. */
enum levee_kv_search {
    LEVEE_KV_SEARCH_BESIDE = 0, /* while the scores are made (Kelle, section 5.3) */
    LEVEE_KV_SEARCH_AFTER = 1   /* once attention is done, before its output is projected */
};

struct levee_kv_policy {
    uint32_t kind;          /* enum levee_kv_policy_kind */
    uint32_t budget;        /* N': tokens kept per layer, batch entry and KV head; unless FULL */
    uint32_t window;        /* most recent tokens, protected */
    uint32_t sinks;         /* first tokens, protected */
    uint32_t score;         /* enum levee_kv_score */
    uint32_t view_bits;     /* bits of an importance score in the eDRAM's register file */
    uint32_t recompute;     /* enum levee_kv_recompute; AERP only */
    uint32_t staging_bytes; /* bytes kept free of cache slices, in an eDRAM with the role kv */
    uint32_t recent_high;   /* Nonzero: recent tokens are refreshed as often as high-score
                             * tokens. */
    uint32_t search;        /* enum levee_kv_search */
    uint64_t refresh_ps[4]; /* intervals of that eDRAM by enum levee_edram_group; 0: as it was */
    uint64_t activation_refresh_ps; /* refresh interval of an eDRAM with the role activations; 0:
                                       unchanged */
};

/* Settings of LEVEE_KV_VOTING (ip/voting_engine/regs.h). */
struct levee_kv_voting {
    float mean_factor, deviation_factor; /* factors of the threshold */
    uint32_t reserved;                   /* the first tokens, which cast no votes */
    uint32_t protect;                    /* the first tokens, which do not leave */
};

/* Settings of LEVEE_KV_RETRIEVAL, by which a decode step attends to some cached tokens
 * (ip/cam/regs.h). */
struct levee_kv_retrieval {
    uint32_t bits;     /* bits of a cell; 0: nothing is searched */
    uint32_t distance; /* enum levee_cam_distance */
    uint32_t merge;    /* enum levee_cam_merge */
    float range;       /* range of keys; 0: each vector's own */
    uint32_t top_k;    /* tokens; 0: by share */
    uint32_t share;    /* 2^-31sts of the cached tokens, rounded up */
};

#define LEVEE_KV_MAX_LAYERS 128u

/* Settings of LEVEE_KV_CPQ (ip/cpq/regs.h). */
struct levee_kv_cpq {
    uint32_t key_bits, value_bits, max_levels;
    float tolerance;
    uint32_t key_layers, value_layers; /* thresholds given; 1: the same for all layers */
    float key_threshold[LEVEE_KV_MAX_LAYERS];
    float value_threshold[LEVEE_KV_MAX_LAYERS];
};

/* Layers that follow the policy. */
enum levee_kv_layers {
    LEVEE_KV_LAYERS_FULL = 0, /* Layers that attend to all tokens; the other layers keep their
                               * window. */
    LEVEE_KV_LAYERS_ALL = 1   /* all layers: local layers keep only some tokens of their window */
};

/* Codes of stored keys and values, under every policy, and the layers that follow it. */
struct levee_kv_codes {
    uint32_t bits;   /* bits of an element; 0: the default of the scheduler's machine */
    uint32_t layers; /* enum levee_kv_layers */
};

/* The random choice of LEVEE_KV_RANDOM, separate for each layer, batch entry and KV head. */
enum levee_kv_draw {
    LEVEE_KV_DRAW_VICTIM = 0, /* a victim at each eviction, each token as likely */
    LEVEE_KV_DRAW_RANK = 1    /* a rank for life when a token arrives; the lowest leaves */
};

/* Settings of LEVEE_KV_RANDOM. */
struct levee_kv_random {
    uint32_t draw; /* enum levee_kv_draw */
    uint32_t reserved;
};

/* Order of the parts of a machine that has no name of its own (firmware/target/compositions.c). */
#define LEVEE_ORDER_SEPARATE 1u /* Q, K and V by a product each */
#define LEVEE_ORDER_STAGED 2u   /* arriving keys and values stay outside the cache until used */
#define LEVEE_ORDER_KV_QUEUE 4u /* products with keys and values use a separate queue */
struct levee_machine_parts {
    char names[3][LEVEE_NAME_BYTES]; /* weights, functions, attention; "": the scheduler's */
    uint32_t order;                  /* LEVEE_ORDER_* */
    uint32_t reserved;
};

struct levee_boot_info {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes; /* valid bytes: up to the policy's part, so that older programs accept it */
    uint32_t core_hz;
    uint32_t timebase_hz; /* frequency of mtime */
    uint32_t block_count;
    uint32_t memory_count;
    uint32_t
        stream_ports; /* Number of stream ports; also 0 from platforms that did not state it. */
    struct levee_block_info blocks[LEVEE_MAX_BLOCKS];
    struct levee_memory_info memories[LEVEE_MAX_MEMORIES];
    struct levee_workload workload;
    struct levee_kv_policy kv;
    char scheduler[LEVEE_NAME_BYTES]; /* e.g. "baseline" */
    struct levee_kv_voting voting;
    struct levee_kv_retrieval retrieval;
    struct levee_kv_cpq cpq;
    struct levee_kv_codes codes;
    struct levee_kv_random random;
    struct levee_machine_parts parts;
    struct levee_stops stops; /* the model's */
};
