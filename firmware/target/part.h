// SPDX-License-Identifier: Apache-2.0
/* Parts of machines. A part does some operations: its rows say which units do them, how they become
 * descriptors and how they are divided. A machine (machine.h) is made of a part for products with
 * weights, one for attention, one for functions of vectors, and those that the cache needs; no part
 * knows which others there are. To add one: docs/extending_firmware.md.
 */
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
    bool again;           /* for operations that need all keys of these queries */
    uint32_t number;      /* of the queries, among those of the same heads */
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

/* Which part of a value an operation touches: [from, to) in some measure, as columns in parts of so
 * many, or heads. Slices in unlike measures are taken to meet. */
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

/* The number of pieces, in order, into which a descriptor of a whole operation can be divided
 * for at most this many units; 1: it is not divided. */
typedef uint32_t count_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units);

/* Narrows a descriptor of a whole operation to a share, and says which slice of its results that
 * is. */
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
    /* Appends to `out` what is done for each tile: the operations of a layer that have this loop,
     * in their order, as the machine does them, and what it adds to them. */
    void (*list)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation_list* run, struct operation_list* out);
    /* The tile after this one, the first after one that is all 0. False: there is none. */
    bool (*next)(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct tile* tile);
};

/* The most operations that tile_loop.list adds. */
#define TILING_MAX_OPERATIONS 3u

/* The tiled form of an operation. */
struct tiled {
    const struct tile_loop* loop;
    lower_operation* lower; /* lowering->tile of it */
    /* Whether there is anything to do in a tile; NULL: in all but those that come again. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct tile* tile);
    /* Whether this operation is done so where prefills are tiled; NULL: always. */
    bool (*takes)(const struct lowering* lowering, const struct operation* operation);
};

/* Units that do the same: all blocks of a type that boot_info lists. A machine opens those that its
 * rows name. */
struct unit_class {
    uint32_t type;
    const char* name; /* in messages */
    /* Queues that share another block's machinery, where the machine has `kv_queue` and the system
     * such queues; the class to use otherwise. NULL: blocks of their own. */
    const struct unit_class* otherwise;
    /* The speed of the unit in any measure: units share operations in this ratio. NULL: they are
     * alike. */
    uint32_t (*capacity)(const struct levee_block_info* block);
    bool optional; /* a system need not have one */
};

/* A class of units that does a share of an operation by itself, next to others. */
struct partner {
    const struct unit_class* unit; /* its first unit does it */
    lower_operation* lower;        /* writes the descriptor of its share */
    /* Whether it has a share of this one. */
    bool (*takes)(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation);
    lower_operation* patch; /* fields that differ from pass to pass; NULL: none. None of them is one
                               that `narrow` narrows */
    narrow_descriptor* narrow; /* narrows to the partner's share in one of several groups */
};

/* Unlike units that do an operation together, at the same time: at least one takes a share, and
 * their cost is all of it. Two of one class work one after the other. */
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
    const struct unit_class* unit; /* its units share the operation */
    lower_operation* lower;
    /* Whether it is done part by part of the layer's cache; NULL: never. */
    bool (*by_part)(const struct pass* pass);
    /* Whether there is anything to do for a part; NULL: always. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part);
    /* Fields that differ from pass to pass; NULL: none. None of them is one that `split` narrows.
     */
    lower_operation* patch;
    /* Fields that follow from how many rows are recomputed, for operations that say so. */
    lower_operation* patch_recomputed;
    const struct split* split; /* NULL: one unit does all of it */
    const struct tiled* tiled; /* NULL: always whole */
    /* Several classes share it: unit, lower, patches and split are not used. NULL: one does it. */
    const struct partners* partners;
    bool left_out;    /* there is nothing to do: others do it on their way */
    bool reads_twice; /* its first operand is two of the descriptor's: gate and up */
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
    /* Bytes that a whole pass's attention takes; queries of a tile in so many bytes, 0: they are
     * too few. */
    uint64_t (*most_bytes)(const struct tiling_request* request);
    uint32_t (*queries)(const struct tiling_request* request, uint64_t bytes);
    /* Whether a tile of one query and all keys fits so many bytes. */
    bool (*holds_whole)(const struct tiling_request* request, uint64_t bytes);
    /* Tokens that have ACTIVATED vectors at a time, in so many bytes; the whole chunk where fewer
     * would gain nothing. */
    uint32_t (*activated)(const struct tiling_request* request, uint64_t bytes);
};

/* Tokens of a prefill pass. */
struct chunk_bounds {
    uint32_t most;   /* the most units that it uses */
    uint32_t enough; /* fewer wait for their weights; a chunk has so many if there is room */
    uint32_t worth;  /* more take no less time each */
};

/* In the order in which their units are numbered, and the names of struct levee_machine_parts. */
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
    ATTENTION_EVICTS = 1, /* slots are taken in any order */
    ATTENTION_WEIGHS =
        2, /* each token's share of the attention is passed on, on `importance_port` */
    ATTENTION_LOGITS = 4,     /* scores before the softmax are, too */
    ATTENTION_LISTS = 8,      /* only listed slots are read, the others passed on as 0 */
    ATTENTION_REDIRECTS = 16, /* some vectors are read outside the cache */
    ATTENTION_UNPACKS = 32,   /* reads compressed rows, either as they are or expanded by a block */
    ATTENTION_RINGS = 64,     /* layers have as many slots as they need */
    ATTENTION_BANDS = 128     /* a prefill's token leaves out what lies before its window */
};

/* A list of a part, with its length. */
#define ROWS(list) .rows = (list), .row_count = sizeof(list) / sizeof *(list)
#define REREAD(list) .reread = (list), .reread_count = sizeof(list)
#define ACTIVATIONS(list) .activations = (list), .activation_count = sizeof(list)

struct machine_part {
    const char* name; /* as workload.machine says it */
    /* Its roles: bits of enum part_role. A part with several roles is chosen for all of them. */
    uint8_t roles;
    const struct unit_class* unit; /* its own, numbered before others; NULL: as rows name them */
    /* Units that a scenario which names the part has to have; NULL: as rows say. */
    const struct unit_class* named_for;
    const struct part_row* rows;
    uint32_t row_count;
    uint16_t lacks; /* enum model_property: what of models the part cannot do */
    const struct machine_part*
        otherwise; /* does what this one has no row for; NULL: another role's part */

    /* Whether a cache's part has work to do, by the policy; NULL: always. Whether it still has,
     * once memory has been placed; NULL: yes. */
    bool (*serves)(const struct machine* machine, const struct policy* policy);
    bool (*is_used)(const struct lowering* lowering);

    uint8_t ports;  /* stream ports up to here are its units' */
    bool own_ports; /* its units' ports follow those, by numbers of its own */

    /* Sets the formats of values that the part reads or writes and that are not for others to say.
     */
    void (*set_formats)(const struct model* model, struct value_format* formats);
    /* For each value, the one in whose name its readers and writers are ordered, so that an
     * operation between the two may be left out; VALUE_NONE: itself. NULL: all are. */
    const uint8_t* ordered_with;
    /* For each value, the one in whose place it lies; VALUE_NONE: its own. NULL: all do. */
    const uint8_t* lies_with;
    /* Values that its products read again for every few outputs, most read first: anywhere but on
     * chip these cost as much as weights. */
    const uint8_t* reread;
    uint32_t reread_count;

    /* Weights. */
    bool tiles;              /* prefills may be tiled (tiling_rules) */
    bool recomputes;         /* products take rows that the cache appends */
    bool whole_qkv;          /* Q, K and V are rows of one matrix, which is never divided */
    uint8_t last_reads;      /* also attention: descriptors may say their inputs last */
    uint32_t most_sequences; /* sequences of a batch; 0: as many as memory holds */
    uint32_t spill_role;     /* role of a further memory on chip for values that are read again */
    /* Bytes of partial sums that a vector of a prefill has at least in what is left on chip; 0 or
     * NULL: none. Where not all of a prefill is on chip, they come before what is read once. */
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
    bool keeps_vectors;    /* keys and values are in its units, from where nothing copies them */
    /* Whether it reads and makes compressed rows itself; NULL: never. */
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

    /* All of these may be NULL. Sets memory aside before anything is placed. */
    void (*reserve)(struct space* space);
    /* Sets up what lowering keeps of the part, with what memory the placement has left. One that
     * several parts of a machine have is called once. */
    void (*open)(const struct machine* machine, const struct placement* placement);
    /* Prepare the components, once everything is placed; list the operations for a new batch;
     * report metrics. */
    void (*start)(const struct lowering* lowering);
    void (*list_new_batch)(const struct lowering* lowering, struct operation_list* list);
    void (*report)(const struct lowering* lowering);
};
