// SPDX-License-Identifier: Apache-2.0
/* A machine, and the targets that use it: which units do an operation, how it is divided over them,
 * how it becomes descriptors. To add a machine: write target/<machine>/ with a struct machine and
 * one struct target or more, and list those in targets.c.
 *
 * A machine is a table from operation to row. Nothing in the rest of target/ knows what the
 * operations are or what its units can do.
 */
#pragma once

#include "core/abi/descriptor.h"
#include "firmware/cache/cache.h"
#include "firmware/cache/pass.h"
#include "firmware/cache/store.h"
#include "firmware/target/extent.h"

#include <stdbool.h>
#include <stdint.h>

struct placement;
struct target;

/* The part of a pass that is done at a time: in attention, queries of some tokens in some heads by
 * some cached tokens; elsewhere, some tokens. */
struct tile {
    uint32_t part;        /* of the layer's cache */
    uint32_t head, heads; /* key/value heads, of the part */
    uint32_t row, rows;   /* tokens of the pass */
    uint32_t key, keys;   /* cached tokens */
    bool again;           /* for what needs all keys of these queries to have been seen */
};

/* What lowering an operation needs to know. */
struct lowering {
    const struct model* model;
    const struct policy* policy;
    const struct placement* placement;
    const struct operand* values; /* placement's of decode steps, or of prefills */
    void* machine;                /* what machine->open returned */
    bool separate;                /* Q, K and V by a product each */
    bool tiled;                   /* attention is done tile by tile */
    const struct tile* tile;      /* of a tiled operation */
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

/* What one unit does of a divided operation: pieces [from, to); it is unit `index` of `count`. */
struct share {
    uint32_t from, to, index, count;
};

/* How many pieces, which make up the whole in order, a descriptor of a whole operation can be
 * divided into for at most so many units; 1: it is not divided. */
typedef uint32_t count_pieces(const struct lowering* lowering,
                              const struct levee_descriptor* descriptor, uint32_t units);

/* Narrows a descriptor of a whole operation to a share, and says which slice of what it writes that
 * is. */
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

/* How operations are repeated for one tile after the other. */
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

/* How an operation is done tile by tile. */
struct tiled {
    const struct tile_loop* loop;
    lower_operation* lower; /* lowering->tile of it */
    /* Whether there is anything to do in a tile; NULL: in all but those that come again. */
    bool (*is_needed)(const struct lowering* lowering, const struct pass* pass,
                      const struct tile* tile);
    /* Whether this operation is done so where prefills are tiled; NULL: always. */
    bool (*takes)(const struct lowering* lowering, const struct operation* operation);
};

/* A class of units that does a share of an operation by itself, beside others. */
struct partner {
    uint8_t unit_class;     /* its first unit does it */
    lower_operation* lower; /* of its share */
    /* Whether it has a share of this one. */
    bool (*takes)(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation);
    lower_operation* patch; /* fields that differ from pass to pass; NULL: none. None of them is one
                               that `narrow` narrows */
    narrow_descriptor* narrow; /* to what the partner does in one of several groups */
};

/* Unlike units that do an operation together, at the same time: at least one takes a share, and
 * what they take is all of it. Two of one class work one after the other. */
struct partners {
    const struct partner* list;
    uint32_t count; /* up to PARTNERS_MAX */
    /* Into how many pieces the operation can be divided, over groups of a unit of each class that
     * work side by side: group i has the i-th unit of each. NULL: one group does it. */
    uint32_t (*pieces)(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation);
};
#define PARTNERS_MAX 4u

/* How a machine does an operation. */
struct machine_row {
    uint8_t unit_class;     /* of machine.classes; its units share the operation */
    lower_operation* lower; /* NULL: the machine does not do this operation */
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
    /* Several classes share it: unit_class, lower, patches and split are not used. NULL: one does
     * it. */
    const struct partners* partners;
    bool left_out;    /* there is nothing to do: others do it on their way */
    bool reads_twice; /* its first operand is two of the descriptor's: gate and up */
};

/* The patch of an operation's descriptors; NULL: none. */
static inline lower_operation* machine_row_patch(const struct machine_row* row,
                                                 const struct operation* operation)
{
    return operation->extra_rows ? row->patch_recomputed : row->patch;
}

/* Units that do the same: all blocks of a type that boot_info lists. */
struct unit_class {
    enum levee_block_type type;
    const char* name;   /* in messages */
    bool second_queues; /* queues that share another block's machinery, if there are any */
    uint8_t otherwise;  /* second_queues: the class to use if there are none */
    /* What the unit does in a given time, in any measure: units share operations in this ratio.
     * NULL: they are alike. */
    uint32_t (*capacity)(const struct levee_block_info* block);
    /* Whether a program for this target, policy and system uses it. */
    bool (*is_used)(const struct target* target, const struct lowering* lowering);
};

/* What a placement needs to know of a machine. */
struct machine_placing {
    const struct value_format* formats; /* by value */
    const struct kv_form* kv_forms;     /* the first of 16 bits, as stored inputs are */
    uint32_t kv_form_count;
    bool kv_scaled; /* keys and values have an FP32 scale a vector */
    /* Activations in the order in which they deserve to be on chip, and those that products read
     * again for every few outputs, most read first: anywhere but on chip these cost as much as
     * weights. */
    const uint8_t* activations;
    const uint8_t* reread;
    uint32_t activation_count, reread_count;
    uint32_t reread_roles[2]; /* memories on chip that may hold them */
    /* Bytes of partial sums that a vector of a prefill has at least in what is left on chip; 0 or
     * NULL: none. Where not all of a prefill is on chip, they come before what is read once. */
    uint64_t (*sum_bytes)(void);
};

/* What the tiles of a prefill are chosen for. */
struct tiling_request {
    const struct model* model;
    uint32_t chunk;   /* tokens of a pass */
    uint32_t longest; /* cached tokens that the last of them sees */
};

/* A prefill in tiles whose scores stay on chip. */
struct machine_tiling {
    /* Bytes that a whole pass's attention takes; queries of a tile in so many bytes, 0: they are
     * too few. */
    uint64_t (*most_bytes)(const struct tiling_request* request);
    uint32_t (*queries)(const struct tiling_request* request, uint64_t bytes);
    /* Tokens that have ACTIVATED vectors at a time, in so many bytes; the whole chunk where fewer
     * would gain nothing. */
    uint32_t (*activated)(const struct tiling_request* request, uint64_t bytes);
};

/* Tokens of a prefill pass. */
struct chunk_bounds {
    uint32_t most;   /* that units take */
    uint32_t enough; /* fewer wait for their weights; a chunk has so many if there is room */
    uint32_t worth;  /* more take no less time each */
};

struct machine {
    const struct unit_class* classes;
    uint32_t class_count;
    const struct machine_row* rows; /* by operation */
    uint32_t row_count;
    uint32_t most_sequences; /* of a batch; 0: as many as there is room for */
    /* For each value, the one in whose name its readers and writers are ordered, so that an
     * operation between the two may be left out; VALUE_NONE: itself. NULL: all are. */
    const uint8_t* ordered_with;
    struct machine_placing placing;
    const struct machine_tiling* tiling; /* NULL: prefills are never tiled */

    /* Ends the run if the machine cannot compute with these weights. */
    void (*check_model)(const struct model* model);
    store_describe* describe;
    /* NULL: units set no bounds. */
    struct chunk_bounds (*chunk_bounds)(const struct model* model);
    /* NULL: nothing is recomputed. */
    struct recompute_room (*recompute_room)(const struct model* model, uint32_t batch);
    /* Whether activations lie in memory that must be refreshed: descriptors say what they read
     * last. NULL: they never do. */
    bool (*invalidates)(void);
    /* Sets memory aside before anything is placed. NULL: none. */
    void (*reserve)(struct space* space);
    /* What lowering keeps of the machine, which takes what memory the placement has left. */
    void* (*open)(const struct target* target, const struct placement* placement);
    /* Prepare the components, once everything is placed, and for a new batch; list the operations
     * for that; report metrics. NULL: there is nothing to do. */
    void (*start)(const struct lowering* lowering);
    void (*new_batch)(const struct lowering* lowering);
    void (*list_new_batch)(const struct lowering* lowering, struct operation_list* list);
    void (*report)(const struct lowering* lowering);
};

/* The most operations that list_new_batch appends. */
#define MACHINE_MAX_OPERATIONS 4u

struct target {
    const char* name; /* as boot_info.scheduler says it */
    const struct machine* machine;
    bool separate; /* Q, K and V by a product each */
    bool staged;   /* arriving keys and values stay beside the cache until they have been used */
    bool kv_queue; /* products with keys and values run beside those with weights */
};

/* The target of this name. Ends the run, listing those there are, if there is none. */
const struct target* target_find(const char* name);

/* The row of an operation. Ends the run if the machine does not do it. */
const struct machine_row* target_row(const struct target* target,
                                     const struct operation* operation);
