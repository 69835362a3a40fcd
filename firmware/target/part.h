// SPDX-License-Identifier: Apache-2.0
/* Parts of machines. A part implements some operations. An operation's row states the units that
 * execute it, its conversion to descriptors, and how to divide it. A machine (machine.h) has a part
 * for products with weights, one for attention, one for functions of vectors, and those that the
 * cache needs. No part refers to another. docs/extending_firmware.md explains how to add a part. */
#pragma once

#include "core/abi/descriptor.h"
#include "firmware/cache/cache.h"
#include "firmware/cache/operations.h"
#include "firmware/cache/pass.h"
#include "firmware/cache/store.h"
#include "firmware/machines/parts.h"
#include "firmware/target/extent.h"
#include "firmware/target/operations.h"

#include <stdbool.h>
#include <stdint.h>

struct common;
struct machine;
struct placement;

/* A portion of a pass. In attention it is a block of queries (some tokens in some heads) and a
 * block of cached tokens. In other operations it is a block of tokens. */
struct tile {
    uint32_t part;        /* the part of the layer's cache */
    uint32_t head, heads; /* key/value heads, counted within the part */
    uint32_t row, rows;   /* tokens of the pass */
    uint32_t key, keys;   /* the tile's first cached token, and their number */
    bool again;           /* the tile is processed again, for operations that need all keys of
                           * these queries */
    uint32_t number;      /* number of the tile among those of the same heads' queries */
};

/* The inputs of an operation's lowering. */
struct lowering {
    const struct model* model;
    const struct policy* policy;
    const struct placement* placement;
    const struct operand* values; /* the placement's values of decode steps, or of prefills */
    const struct machine* machine;
    struct common* common;   /* state that every machine has (common.h) */
    bool separate;           /* one product each for Q, K and V */
    bool tiled;              /* attention runs tile by tile */
    const struct tile* tile; /* the current tile of a tiled operation */
};

/* The part of a value that an operation accesses: [from, to), counted in heads, in columns, or in
 * blocks of columns. Slices that are counted in different units are assumed to overlap. */
#define SLICE_ALL 0u
#define SLICE_HEADS 1u
#define SLICE_COLUMNS(parts) ((parts) << 1)

struct slice {
    uint16_t measure; /* SLICE_* */
    uint8_t from, to;
};

static const struct slice slice_all = {SLICE_ALL, 0, 0};

/* One unit's share of a divided operation: the pieces [from, to), for unit `index` of `count`
 * units. */
struct share {
    uint32_t from, to, index, count;
};

/* Returns the number of ordered pieces into which a whole operation's descriptor can be divided,
 * for at most this many units; 1: it cannot be divided. */
typedef uint32_t count_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units);

/* Narrows a whole operation's descriptor to a share, and returns the slice of its results. */
typedef struct slice narrow_descriptor(const struct lowering* lowering,
                                       struct levee_descriptor* descriptor,
                                       const struct share* share);

/* How an operation is divided over the units of its class. */
struct split {
    count_pieces* pieces;
    narrow_descriptor* narrow;
};

typedef void lower_operation(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation,
                             struct levee_descriptor* descriptor);

/* Repeats operations once for each tile. */
struct tile_loop {
    /* Appends the work of a tile to `out`: the layer's operations that use this loop, in the
     * machine's order, and the operations that the loop adds. */
    void (*list)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation_list* run, struct operation_list* out);
    /* Moves on to the next tile. An all-zero tile moves on to the first. Returns false if no tile
     * is left. */
    bool (*next)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct tile* tile);
};

/* Greatest number of operations that tile_loop.list adds. */
#define TILING_MAX_OPERATIONS 3u

/* The tiled form of an operation. */
struct tiled {
    const struct tile_loop* loop;
    lower_operation* lower; /* converts the tile lowering->tile */
    /* Returns whether a tile has any work; NULL: all tiles have work except repeated ones. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct tile* tile);
    /* Whether this operation is tiled in tiled prefills; NULL: always. */
    bool (*takes)(const struct lowering* lowering, const struct operation* operation);
};

/* A class of interchangeable units: all blocks of a type that boot_info lists. A machine opens the
 * classes that its rows name. */
struct unit_class {
    uint32_t type;
    const char* name; /* name in messages */
    /* For a class of queues that share another block's units: the other block's class. It is used
     * instead, unless the machine has `kv_queue` and the system has such queues. NULL: the class
     * consists of separate blocks. */
    const struct unit_class* otherwise;
    /* Returns the speed of the unit, in any measure. Units share operations in the ratio of these
     * numbers. NULL: all units are equally fast. */
    uint32_t (*capacity)(const struct levee_block_info* block);
    bool optional; /* the system may lack units of this class */
};

/* A class of units that executes a share of an operation, together with other classes. */
struct partner {
    const struct unit_class* unit; /* class, whose first unit executes the share */
    lower_operation* lower;        /* writes the descriptor of the partner's share */
    /* Returns whether the class has a share of this operation. */
    bool (*takes)(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation);
    lower_operation* patch;    /* sets fields that differ from pass to pass; NULL: none. `narrow`
                                * must not change them */
    narrow_descriptor* narrow; /* narrows to the partner's share in one of several groups */
};

/* Units of different classes that execute one operation together, at the same time. At least one
 * class takes a share, and the cost of all shares together equals the cost of the whole operation.
 * Two units of the same class would execute their shares one after the other. */
struct partners {
    const struct partner* list;
    uint32_t count; /* number of partners, at most PARTNERS_MAX */
    /* Returns the number of pieces into which the operation can be divided over parallel groups.
     * Group i consists of the i-th unit of each class. NULL: one group executes the whole
     * operation. */
    uint32_t (*pieces)(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation);
};
#define PARTNERS_MAX 4u

/* A part's implementation of an operation. */
struct row {
    const struct unit_class* unit; /* class of the units that share the operation */
    lower_operation* lower;
    /* Returns whether the operation runs separately on each part of the layer's cache; NULL:
     * never. */
    bool (*by_part)(const struct pass* pass);
    /* Returns whether the operation has any work on a part of the cache; NULL: always. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part);
    /* Sets fields that differ from pass to pass; NULL: there are none. `split` must not change
     * these fields. */
    lower_operation* patch;
    /* Sets fields that depend on the number of recomputed rows, for operations that process such
     * rows. */
    lower_operation* patch_recomputed;
    const struct split* split; /* NULL: one unit executes the whole operation */
    const struct tiled* tiled; /* NULL: the operation is never tiled */
    /* The partners, if several classes share the operation. The members unit, lower, patches and
     * split are then unused. NULL: one class executes it. */
    const struct partners* partners;
    bool left_out;    /* no work: other operations include it */
    bool reads_twice; /* the first operand becomes two operands of the descriptor, gate and up */
};

/* Returns the function that patches an operation's descriptors; NULL: none. */
static inline lower_operation* row_patch(const struct row* row, const struct operation* operation)
{
    return operation->extra_rows ? row->patch_recomputed : row->patch;
}

/* The inputs on which the choice of a prefill's tiles depends. */
struct tiling_request {
    const struct model* model;
    uint32_t chunk;   /* tokens of a pass */
    uint32_t longest; /* cached tokens that the last of these attends to */
};

/* Rules for a tiled prefill, in which scores stay on chip. */
struct tiling_rules {
    /* most_bytes returns the bytes that the attention of a whole pass needs. `queries` returns the
     * number of queries in a tile of `bytes`; 0: too few bytes. */
    uint64_t (*most_bytes)(const struct tiling_request* request);
    uint32_t (*queries)(const struct tiling_request* request, uint64_t bytes);
    /* Returns whether a tile with one query and all keys fits into this many bytes. */
    bool (*holds_whole)(const struct tiling_request* request, uint64_t bytes);
    /* Returns the number of tokens whose ACTIVATED vectors fit into this many bytes together. It is
     * the whole chunk if a smaller number would save nothing. */
    uint32_t (*activated)(const struct tiling_request* request, uint64_t bytes);
};

/* Bounds on the number of tokens in one pass of a prefill. */
struct chunk_bounds {
    uint32_t most;   /* greatest number that the part can use */
    uint32_t enough; /* with fewer tokens, the units wait for weights; a chunk has this
                      * many tokens if they fit */
    uint32_t worth;  /* with more tokens than this, the time per token does not decrease */
};

/* Roles of parts. Units are numbered in the order of these roles, and struct levee_machine_parts
 * has the names in this order. */
enum part_role {
    PART_WEIGHTS,
    PART_FUNCTIONS,
    PART_ATTENTION,
    PART_ROLES,
    PART_CACHE = PART_ROLES
};

/* A part's implementation of an operation (enum operation_kind, cache_operation or
 * part_operation). */
struct part_row {
    uint8_t kind;
    struct row row;
};

/* The abilities of a part for attention. machine.c states which abilities a policy needs. */
enum attention_ability {
    ATTENTION_EVICTS = 1,     /* tokens may take slots in any order */
    ATTENTION_WEIGHS = 2,     /* sends each token's share of the attention to `importance_port` */
    ATTENTION_LOGITS = 4,     /* also sends scores before the softmax */
    ATTENTION_LISTS = 8,      /* reads only listed slots, and sends 0 for the others */
    ATTENTION_REDIRECTS = 16, /* some vectors may be outside the cache */
    ATTENTION_UNPACKS = 32,   /* reads compressed rows, directly or after a block has expanded
                                 them */
    ATTENTION_RINGS = 64,     /* layers may have different numbers of slots */
    ATTENTION_BANDS = 128     /* masks the tokens before a token's window in a prefill */
};

/* Initialises a part's list and its length. */
#define ROWS(list) .rows = (list), .row_count = sizeof(list) / sizeof *(list)
#define REREAD(list) .reread = (list), .reread_count = sizeof(list)
#define ACTIVATIONS(list) .activations = (list), .activation_count = sizeof(list)

struct machine_part {
    const char* name; /* name in workload.machine */
    /* Roles: bits of enum part_role. A part with several roles fills all of them. */
    uint8_t roles;
    const struct unit_class* unit; /* its own unit class, which is numbered before the others;
                                    * NULL: its rows name the classes */
    /* Unit class that a scenario must have if it names the part; NULL: the classes in the rows. */
    const struct unit_class* named_for;
    const struct part_row* rows;
    uint32_t row_count;
    uint16_t lacks; /* enum model_property: model features that the part does not support */
    const struct machine_part*
        otherwise; /* the part for operations that have no row here; NULL: another role's part */

    /* serves returns whether the policy needs this part for the cache; NULL: always. is_used
     * returns whether the part is still needed after memory has been placed; NULL: yes. */
    bool (*serves)(const struct machine* machine, const struct policy* policy);
    bool (*is_used)(const struct lowering* lowering);

    uint8_t ports;  /* stream ports below this number belong to its units */
    bool own_ports; /* its units' ports follow the others, with their own numbering */

    /* Sets the formats of the values that the part reads or writes. A value whose format another
     * part determines keeps that format. */
    void (*set_formats)(const struct model* model, struct value_format* formats);
    /* For each value, another value that hazards treat as the same, so that an operation between
     * the two may be omitted; VALUE_NONE: only itself. NULL: all values are separate. */
    const uint8_t* ordered_with;
    /* For each value, the value whose memory it uses; VALUE_NONE: it has its own memory. NULL: all
     * values have their own. */
    const uint8_t* lies_with;
    /* Operands that the part's products read again for every few outputs, in order of decreasing
     * number of reads. In memory outside the chip they would cost as much time as weights. */
    const uint8_t* reread;
    uint32_t reread_count;

    /* Members for parts for weights. */
    bool tiles;              /* prefills may be tiled (tiling_rules) */
    bool recomputes;         /* products include the rows of recomputed tokens */
    bool whole_qkv;          /* Q, K and V are rows of one matrix, which cannot be divided */
    uint8_t last_reads;      /* also for attention: descriptors may mark the last reads of inputs */
    uint32_t most_sequences; /* sequences of a batch; 0: as many as memory holds */
    uint32_t spill_role;     /* role of another on-chip memory for operands that are read
                                repeatedly */
    /* Returns the least number of on-chip bytes for partial sums, per vector of a prefill; 0 or
     * NULL: none. If a prefill does not fit on chip, partial sums take precedence over values that
     * are read once. */
    uint64_t (*sum_bytes)(void);
    /* Ends the run if the part does not support these weights. */
    void (*check_model)(const struct model* model);
    /* NULL: the units set no bounds */
    struct chunk_bounds (*chunk_bounds)(const struct model* model);
    /* NULL: nothing is recomputed */
    struct recompute_room (*recompute_room)(const struct model* model, uint32_t batch);

    /* Members for parts for attention: */
    bool separate;         /* needs one product each for Q, K and V */
    uint8_t abilities;     /* enum attention_ability */
    bool stores_by_length; /* the length determines the slots of arriving keys and values, which
                              are the last ones */
    bool keeps_vectors;    /* its units hold keys and values, which cannot be copied */
    /* Returns whether the part itself reads and writes compressed rows; NULL: never. */
    bool (*unpacks)(const struct policy* policy);
    uint8_t importance_port;        /* port on which it sends probabilities */
    const struct kv_form* kv_forms; /* the first has 16 bits, like stored inputs */
    uint32_t kv_form_count;
    bool kv_scaled; /* each vector of keys and values has an FP32 scale */
    /* Activations, in the order in which they get space on chip. */
    const uint8_t* activations;
    uint32_t activation_count;
    const struct tiling_rules* tiling;        /* NULL: prefills are never tiled */
    const struct machine_part* needs_weights; /* the only part for weights that can be combined with
                                                 this part; NULL: any */

    /* Functions for a run; any of them may be NULL. `reserve` reserves memory before anything is
     * placed. */
    void (*reserve)(struct space* space);
    /* Sets up the part's state for lowering, with the memory that is left after placement. It is
     * called once, even if the part fills several roles. */
    void (*open)(const struct machine* machine, const struct placement* placement);
    /* `start` prepares the components when everything is placed. `list_new_batch` lists operations
     * for a new batch, and `report` reports metrics. */
    void (*start)(const struct lowering* lowering);
    void (*list_new_batch)(const struct lowering* lowering, struct operation_list* list);
    void (*report)(const struct lowering* lowering);
};
