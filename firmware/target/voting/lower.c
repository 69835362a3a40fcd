// SPDX-License-Identifier: Apache-2.0
/* Converts the operations of a cache that votes (cache/voting.h) to descriptors of a voting
 * engine. */
#include "firmware/target/lower.h"

#include "firmware/drivers/voting_engine.h"
#include "firmware/hal/fatal.h"
#include "firmware/target/systolic/tiles.h"
#include "ip/voting_engine/regs.h"

#include <stddef.h>

#define WORD 4u

/* Ends the run if the engine is too small for the cache, or for the longest prefill. */
static void check(const struct machine* machine, const struct placement* placement)
{
    (void)machine;
    const struct cache* cache = &placement->cache;
    const uint32_t prefill = placement->longest_prefill;
    const uint32_t room = voting_capacity();
    const uint32_t needed = cache->slots > prefill ? cache->slots : prefill;
    if (room == 0 || needed <= room)
        return;
    fatal(EXIT_REFUSED,
          "kv_cache.policy is voting: the voting engine has room for %lu tokens, but %s has %lu",
          (unsigned long)room,
          needed == prefill ? "the longest prefill" : "the cache, with a spare slot,",
          (unsigned long)needed);
}

/* Sets the votes and positions of a layer's slots, beginning with entry `entry` of the batch. */
static void tables(const struct cache* cache, uint32_t layer, uint32_t entry,
                   struct levee_ve_operation* out)
{
    const uint64_t first =
        ((uint64_t)cache->layers[layer].rank * cache->batch + entry) * cache->slots;
    out->votes = cache->importance + VOTE_BYTES * first;
    out->votes_stride = (int32_t)(VOTE_BYTES * cache->slots);
    out->positions = cache->positions + WORD * first;
    out->positions_stride = (int32_t)(WORD * cache->slots);
}

/* Returns the address of the votes on a prompt's tokens, beginning with the token at `position`. */
static uint64_t prefill_votes(const struct cache* cache, uint32_t layer, uint32_t position)
{
    return cache->prefill.importance + VOTE_BYTES * ((uint64_t)layer * cache->prefilled + position);
}

static void vote_of_step(const struct cache* cache, const struct pass* pass,
                         const struct operation* operation, const struct slices* slices,
                         struct levee_ve_operation* out)
{
    tables(cache, operation->layer, slices->batch_entry, out);
    out->now = pass->now + WORD * slices->entry;
    /* All heads use the first head's slot. So the arriving token's slot is set only by the part of
     * an entry that contains the first head. */
    if (slices->head == 0)
        out->arrival = cache_next_of(cache, cache->snapshot) + WORD * slices->batch_entry;
    out->arrival_stride = WORD;
}

/* Describes VOTE. Probabilities come from a port of the part for attention, in vectors of the
 * greatest length. */
void lower_vote(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = cache_slices(cache, pass, operation->layer, operation->part);
    const struct levee_kv_voting* voting = &lowering->policy->voting;
    struct levee_ve_operation* out = voting_operation(descriptor);
    descriptor->opcode = LEVEE_VE_VOTE;
    out->probabilities = LEVEE_STREAM(lowering->machine->importance_port);
    out->n = pass->longest;
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)(slices.heads * (shape->heads / shape->kv_heads));
    out->rows = (uint16_t)pass->shape.rows;
    out->lengths = pass->lengths + WORD * slices.entry;
    out->word_stride = WORD;
    out->reserved = (uint16_t)voting->reserved;
    out->mean_factor = voting->mean_factor;
    out->deviation_factor = voting->deviation_factor;
    if (pass->shape.form.prefill) {
        out->votes = prefill_votes(cache, operation->layer, pass->origin);
        out->now = pass->positions;
        out->reach = pass->window;
    } else {
        vote_of_step(cache, pass, operation, &slices, out);
    }
}

/* For ELECT and SELECT: describes the entries of a pass, with all heads of a layer at once. */
static struct levee_ve_operation* choose(const struct lowering* lowering, const struct pass* pass,
                                         const struct operation* operation, uint8_t opcode,
                                         struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint64_t live = cache->tables + (uint64_t)operation->layer * cache->table_bytes;
    struct levee_ve_operation* out = voting_operation(descriptor);
    descriptor->opcode = opcode;
    tables(cache, operation->layer, pass->shape.first_entry, out);
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->outer[1] = (uint16_t)lowering->model->header.kv_heads;
    out->lengths = pass->lengths;
    out->word_stride = WORD;
    out->next = cache_next_of(cache, live) + WORD * pass->shape.first_entry;
    out->next_stride[0] = WORD;
    out->next_stride[1] = (uint16_t)(WORD * cache->batch);
    out->capacity = lowering->policy->capacity;
    out->protect = lowering->policy->voting.protect;
    out->reach = cache->layers[operation->layer].masked ? lowering->policy->reach : 0;
    out->n = cache->slots;
    return out;
}

static void lower_elect(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_ve_operation* out = choose(lowering, pass, operation, LEVEE_VE_ELECT, descriptor);
    out->now = out->reach != 0 ? pass->now : 0;
}

static void lower_select_by_votes(const struct lowering* lowering, const struct pass* pass,
                                  const struct operation* operation,
                                  struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    struct levee_ve_operation* out = choose(lowering, pass, operation, LEVEE_VE_SELECT, descriptor);
    out->n = cache->prefilled;
    out->prefill_votes = prefill_votes(cache, operation->layer, 0);
    out->gather = cache->gather;
    out->gather_stride[1] = (int32_t)(WORD * cache->slots);
}

static void patch_vote(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    voting_operation(descriptor)->n = pass->longest;
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    (void)machine;
    return policy->votes;
}

static const struct unit_class class_voting = {.type = LEVEE_BLOCK_VOTING_ENGINE,
                                               .name = "voting engine"};

static const struct part_row rows[] = {
    {OPERATION_VOTE,
     {.unit = &class_voting,
      .lower = lower_vote,
      .by_part = lower_by_part,
      .patch = patch_vote,
      .tiled = &tiled_vote}},
    {OPERATION_ELECT, {.unit = &class_voting, .lower = lower_elect}},
    {OPERATION_SELECT_BY_VOTES, {.unit = &class_voting, .lower = lower_select_by_votes}},
};

const struct machine_part part_voting = {
    .name = "voting",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
    .open = check,
};
