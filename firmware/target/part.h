// SPDX-License-Identifier: Apache-2.0
/* Parts of machines. A part implements some operations: its rows state the units, the conversion
 * to descriptors and the division. A machine (machine.h) is made of a part for products with
 * weights, one for attention, one for functions of vectors, and those that the cache needs.
 * Parts do not know each other. To add one: docs/extending_firmware.md. */
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

/* The part of a pass that is done at a time: in attention, queries of some tokens in some heads by
 * some cached tokens; elsewhere, some tokens. */
struct tile {
    uint32_t part;        /* part of the layer's cache */
    uint32_t head, heads; /* key/value heads, of the part */
    uint32_t row, rows;   /* tokens of the pass */
    uint32_t key, keys;   /* cached tokens */
    bool again;           /* For operations that need all keys of these queries. */
    uint32_t number;      /* Number among the tiles of queries of the same heads. */
};

/* The inputs of lowering an operation. */
struct lowering {
    const struct model* model;
    const struct policy* policy;
    const struct placement* placement;
    const struct operand* values; /* placement's of decode steps, or of prefills */
    const struct machine* machine;
    struct common* common;   /* the state on every machine (common.h) */
    bool separate;           /* Q, K and V by a product each */
    bool tiled;              /* attention is done tile by tile */
    const struct tile* tile; /* tile of a tiled operation */
};

/* Part of a value that an operation accesses: [from, to) in some unit, such as columns in parts
 * of a given width, or heads. Slices in different units are assumed to overlap. */
#define SLICE_ALL 0u
#define SLICE_HEADS 1u
#define SLICE_COLUMNS(parts) ((parts) << 1)

struct slice {
    uint16_t measure; /* SLICE_* */
    uint8_t from, to;
};

static const struct slice slice_all = {SLICE_ALL, 0, 0};

/* One unit's share of a divided operation: pieces [from, to); it is unit `index` of `count`. */
struct share {
    uint32_t from, to, index, count;
};

/* Number of ordered pieces into which a descriptor of a whole operation can be divided for at
 * most this many units; 1: it is not divided. */
typedef uint32_t count_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units);

/* Narrows a descriptor of a whole operation to a share, and returns the slice of its results. */
typedef struct slice narrow_descriptor(const struct lowering* lowering,
                                       struct levee_descriptor* descriptor,
                                       const struct share* share);

/* The division of an operation over the units of its class. */
struct split {
    count_pieces* pieces;
    narrow_descriptor* narrow;
};

typedef void lower_operation(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation,
                             struct levee_descriptor* descriptor);

/* The repetition of operations for one tile after the other. */
struct tile_loop {
    /* Appends the work of each tile to `out`: the layer's operations with this loop, in the
     * machine's order, and the machine's additions. */
    void (*list)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation_list* run, struct operation_list* out);
    /* Next tile; the first follows one that is all 0. False: there is none. */
    bool (*next)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct tile* tile);
};

/* The most operations that tile_loop.list adds. */
#define TILING_MAX_OPERATIONS 3u

/* The tiled form of an operation. */
struct tiled {
    const struct tile_loop* loop;
    lower_operation* lower; /* Converts the tile lowering->tile. */
    /* Whether a tile has any work; NULL: in all tiles except repeated ones. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct tile* tile);
    /* Whether this operation is tiled in tiled prefills; NULL: always. */
    bool (*takes)(const struct lowering* lowering, const struct operation* operation);
};

/* Equivalent units: all blocks of a type that boot_info lists. A machine opens those that its
 * rows name. */
struct unit_class {
    uint32_t type;
    const char* name; /* Name in messages. */
    /* Class to use otherwise. Queues of this class share another block's units, if the machine
     * has `kv_queue` and the system has these queues. NULL: separate blocks. */
    const struct unit_class* otherwise;
    /* The speed of the unit in any measure: units share operations in this ratio. NULL: they are
     * alike. */
    uint32_t (*capacity)(const struct levee_block_info* block);
    bool optional; /* a system need not have one */
};

/* A class of units that does a share of an operation by itself, next to others. */
struct partner {
    const struct unit_class* unit; /* Unit class whose first unit executes it. */
    lower_operation* lower;        /* writes the descriptor of its share */
    /* Whether the class has a share of this operation. */
    bool (*takes)(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation);
    lower_operation* patch;    /* Fields that differ from pass to pass; NULL: none. `narrow` must
                                * not change them. */
    narrow_descriptor* narrow; /* narrows to the partner's share in one of several groups */
};

/* Units of different classes that execute an operation together, at the same time: at least one
 * takes a share, and their cost is that of the whole. Two units of one class work one after the
 * other. */
struct partners {
    const struct partner* list;
    uint32_t count; /* up to PARTNERS_MAX */
    /* Into how many pieces the operation can be divided, over groups of a unit of each class that
     * work side by side: group i has the i-th unit of each. NULL: one group does it. */
    uint32_t (*pieces)(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation);
};
#define PARTNERS_MAX 4u

/* The implementation of an operation. */
struct row {
    const struct unit_class* unit; /* Class whose units share the operation. */
    lower_operation* lower;
    /* Whether it runs part by part of the layer's cache; NULL: never. */
    bool (*by_part)(const struct pass* pass);
    /* Whether a part has any work; NULL: always. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part);
    /* Fields that differ from pass to pass; NULL: none. `split` must not change them. */
    lower_operation* patch;
    /* Fields that follow from how many rows are recomputed, for operations that say so. */
    lower_operation* patch_recomputed;
    const struct split* split; /* NULL: one unit does all of it */
    const struct tiled* tiled; /* NULL: always whole */
    /* Several classes share it: unit, lower, patches and split are not used. NULL: one does it. */
    const struct partners* partners;
    bool left_out;    /* no work: other operations do it on their way */
    bool reads_twice; /* Its first operand is two operands of the descriptor: gate and up. */
};

/* The patch of an operation's descriptors; NULL: none. */
static inline lower_operation* row_patch(const struct row* row, const struct operation* operation)
{
    return operation->extra_rows ? row->patch_recomputed : row->patch;
}

/* The inputs of choosing the tiles of a prefill. */
struct tiling_request {
    const struct model* model;
    uint32_t chunk;   /* tokens of a pass */
    uint32_t longest; /* cached tokens that the last of them sees */
};

/* A prefill in tiles whose scores stay on chip. */
struct tiling_rules {
    /* Bytes for a whole pass's attention. Queries of a tile in a given number of bytes; 0: too
     * few bytes. */
    uint64_t (*most_bytes)(const struct tiling_request* request);
    uint32_t (*queries)(const struct tiling_request* request, uint64_t bytes);
    /* Whether a tile of one query and all keys fits this many bytes. */
    bool (*holds_whole)(const struct tiling_request* request, uint64_t bytes);
    /* Number of tokens with ACTIVATED vectors at a time in this many bytes; the whole chunk if
     * fewer would save nothing. */
    uint32_t (*activated)(const struct tiling_request* request, uint64_t bytes);
};

/* Tokens of a prefill pass. */
struct chunk_bounds {
    uint32_t most;   /* the most units that it uses */
    uint32_t enough; /* with fewer, tokens wait for their weights; a chunk has this many if there
                      * is room */
    uint32_t worth;  /* more take no less time each */
};

/* Order in which their units are numbered, and the names of struct levee_machine_parts. */
enum part_role {
    PART_WEIGHTS,
    PART_FUNCTIONS,
    PART_ATTENTION,
    PART_ROLES,
    PART_CACHE = PART_ROLES
};

/* The part's implementation of an operation: enum operation_kind, cache_operation or
 * part_operation. */
struct part_row {
    uint8_t kind;
    struct row row;
};

/* Abilities of an attention part for a cache. machine.c has those that a policy needs. */
enum attention_ability {
    ATTENTION_EVICTS = 1,     /* slots are taken in any order */
    ATTENTION_WEIGHS = 2,     /* Passes each token's share of the attention to `importance_port`. */
    ATTENTION_LOGITS = 4,     /* passes on scores before the softmax, too */
    ATTENTION_LISTS = 8,      /* Reads only listed slots; the others are passed on as 0. */
    ATTENTION_REDIRECTS = 16, /* some vectors are read outside the cache */
    ATTENTION_UNPACKS = 32,   /* reads compressed rows, either as they are or expanded by a block */
    ATTENTION_RINGS = 64,     /* layers may have different numbers of slots */
    ATTENTION_BANDS = 128     /* A prefill can mask tokens before a token's window. */
};

/* A list of a part, with its length. */
#define ROWS(list) .rows = (list), .row_count = sizeof(list) / sizeof *(list)
#define REREAD(list) .reread = (list), .reread_count = sizeof(list)
#define ACTIVATIONS(list) .activations = (list), .activation_count = sizeof(list)

struct machine_part {
    const char* name; /* Name in workload.machine. */
    /* Roles: bits of enum part_role. A part with several roles is chosen for all of them. */
    uint8_t roles;
    const struct unit_class* unit; /* Unit class of its own, numbered before the others; NULL: as
                                    * named in rows. */
    /* Units that a scenario must have if it names the part; NULL: those of the rows. */
    const struct unit_class* named_for;
    const struct part_row* rows;
    uint32_t row_count;
    uint16_t lacks; /* enum model_property: model features that the part does not support */
    const struct machine_part*
        otherwise; /* part for operations without a row here; NULL: another role's part */

    /* Whether the policy gives a cache's part any work; NULL: always. The second function:
     * whether it still has work after memory has been placed; NULL: yes. */
    bool (*serves)(const struct machine* machine, const struct policy* policy);
    bool (*is_used)(const struct lowering* lowering);

    uint8_t ports;  /* stream ports up to here are its units' */
    bool own_ports; /* The ports of its units follow the others, with their own numbering. */

    /* Sets the formats of values that the part reads or writes and that are not for others to say.
     */
    void (*set_formats)(const struct model* model, struct value_format* formats);
    /* For each value, the value in whose name its readers and writers are ordered, so that an
     * operation between the two may be left out; VALUE_NONE: itself. NULL: all values stand for
     * themselves. */
    const uint8_t* ordered_with;
    /* For each value, the value whose place it uses; VALUE_NONE: a place of its own. NULL: all
     * have their own. */
    const uint8_t* lies_with;
    /* Values that its products read again for every few outputs, the most often read first:
     * outside the chip they cost as much as weights. */
    const uint8_t* reread;
    uint32_t reread_count;

    /* Weights. */
    bool tiles;              /* prefills may be tiled (tiling_rules) */
    bool recomputes;         /* products process rows that the cache appends */
    bool whole_qkv;          /* Q, K and V are rows of one matrix, which is never divided */
    uint8_t last_reads;      /* For attention, too: descriptors may mark the last reads of
                              * inputs. */
    uint32_t most_sequences; /* sequences of a batch; 0: as many as memory holds */
    uint32_t spill_role;     /* role of a further memory on chip for values that are read again */
    /* Minimum bytes of partial sums for a vector of a prefill, in the remaining on-chip memory;
     * 0 or NULL: none. If a prefill does not fit on chip, they have priority over values that
     * are read once. */
    uint64_t (*sum_bytes)(void);
    /* Ends the run if the part cannot compute with these weights. */
    void (*check_model)(const struct model* model);
    /* NULL: units set no bounds. */
    struct chunk_bounds (*chunk_bounds)(const struct model* model);
    /* NULL: nothing is recomputed. */
    struct recompute_room (*recompute_room)(const struct model* model, uint32_t batch);

    /* Attention. */
    bool separate;         /* Q, K and V have to be a product each */
    uint8_t abilities;     /* enum attention_ability */
    bool stores_by_length; /* arriving keys and values take the slots in front of the length */
    bool keeps_vectors;    /* keys and values are in its units and cannot be copied */
    /* Whether it reads and writes compressed rows itself; NULL: never. */
    bool (*unpacks)(const struct policy* policy);
    uint8_t importance_port;        /* probabilities come on it */
    const struct kv_form* kv_forms; /* the first of 16 bits, as stored inputs are */
    uint32_t kv_form_count;
    bool kv_scaled; /* keys and values have an FP32 scale a vector */
    /* Activations in the order in which they deserve to be on chip. */
    const uint8_t* activations;
    uint32_t activation_count;
    const struct tiling_rules* tiling; /* NULL: prefills are never tiled */
    const struct machine_part*
        needs_weights; /* the only part for weights that it works with; NULL: any */

    /* All of these may be NULL. Reserves memory before anything is placed. */
    void (*reserve)(struct space* space);
    /* Sets up the part's state for lowering, with the memory that placement has left. Called
     * once for a part that a machine contains several times. */
    void (*open)(const struct machine* machine, const struct placement* placement);
    /* Prepare the components, once everything is placed; list the operations for a new batch;
     * report metrics. */
    void (*start)(const struct lowering* lowering);
    void (*list_new_batch)(const struct lowering* lowering, struct operation_list* list);
    void (*report)(const struct lowering* lowering);
};
