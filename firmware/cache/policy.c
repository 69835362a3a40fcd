// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/policy.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/policies/conflicts.h"

#include <stddef.h>

#define INPUT_BITS 16u

static void check(const struct levee_kv_rule* rule, const struct levee_kv_policy* kv)
{
    if (kv->budget == 0 || kv->budget >= UINT16_MAX)
        fatal(EXIT_REFUSED, "kv_cache: policy %s with a budget of %lu tokens; expected 1 to %u",
              rule->name, (unsigned long)kv->budget, UINT16_MAX - 1);
    const struct levee_kv_conflict* conflict = levee_kv_conflict_of(rule, system_info());
    if (conflict != NULL)
        fatal(EXIT_REFUSED, "kv_cache.%s %s", conflict->key, conflict->message);
}

/* Returns whether an input takes fewer bytes than the keys and values that it replaces. An input
 * has dim elements of 16 bits. A token that more than half of the heads keep has two vectors, a key
 * and a value, in each of these heads. With grouped queries (few KV heads), or with narrow keys and
 * values, the input is not smaller. */
static bool inputs_are_smaller(const struct levee_model_header* shape)
{
    const uint32_t keeping = shape->kv_heads / 2 + 1;
    return shape->kv_heads == shape->heads && shape->structure.kv_latent == 0 &&
           2 * shape->head_dim * keeping * system_kv_bits() > shape->dim * INPUT_BITS;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Determines how many tokens of an entry are stored as inputs. The scenario's `recompute` sets the
 * number; it is 0 if inputs would save no bytes. */
static void choose_input_rows(struct policy* policy, const struct levee_model_header* shape,
                              const struct recompute_room* room)
{
    const uint32_t recompute = system_info()->kv.recompute;
    const bool hidden = recompute == LEVEE_KV_RECOMPUTE_HIDDEN;
    const uint32_t wanted = hidden ? least(room->hidden, policy->slots) : policy->slots;
    policy->off_for_size = !inputs_are_smaller(shape);
    policy->input_rows = policy->off_for_size ? 0 : least(wanted, room->most);
    policy->computed_rows = policy->input_rows;
    if (recompute == LEVEE_KV_RECOMPUTE_FREE) { /* No product reads these inputs. */
        policy->input_rows = policy->off_for_size ? 0 : policy->slots;
        policy->computed_rows = 0;
    }
    if (recompute == LEVEE_KV_RECOMPUTE_OFF) {
        policy->off_for_size = false;
        policy->input_rows = policy->computed_rows = 0;
    }
}

void policy_open(struct policy* policy, const struct model* model, uint32_t context,
                 const struct recompute_room* room)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    *policy = (struct policy){.slots = context, .capacity = context};
    const struct levee_kv_rule* rule = levee_kv_rule_of(kv->kind);
    if (rule == NULL)
        fatal(EXIT_REFUSED, "kv_cache: policy %lu is unknown to this program",
              (unsigned long)kv->kind);
    policy->compresses = system_info()->cpq.key_bits != 0;
    policy->retrieval = system_info()->retrieval;
    if (!rule->evicts)
        return;
    check(rule, kv);
    struct levee_kv_protection protection;
    rule->protect(kv, &system_info()->voting, &protection);
    *policy = (struct policy){
        .evicts = true,
        .scores = rule->scores,
        .votes = rule->votes,
        .random = rule->random,
        .redraws = rule->random && system_info()->random.draw == LEVEE_KV_DRAW_VICTIM,
        .recent_high = kv->recent_high != 0,
        .search_after = rule->scores && kv->search == LEVEE_KV_SEARCH_AFTER,
        .slots = kv->budget + 1,
        .capacity = kv->budget,
        .compresses = system_info()->cpq.key_bits != 0,
        .retrieval = system_info()->retrieval,
        .sinks = (uint16_t)protection.sinks,
        .window = (uint16_t)protection.window,
        .score = (uint8_t)kv->score,
        .voting = system_info()->voting,
        .view_bits = (uint8_t)kv->view_bits,
        .seed = system_info()->workload.seed,
    };
    if (rule->stores_inputs)
        choose_input_rows(policy, &model->header, room);
}

/* Returns whether the policy also chooses among the tokens of a window. The scenario must request
 * it, and a slice must have fewer slots than the window has tokens. With more slots, the victim
 * would always be the token that leaves the window. */
static bool follows_in_window(const struct policy* policy, uint32_t window)
{
    return system_info()->codes.layers == LEVEE_KV_LAYERS_ALL && policy->evicts &&
           policy->slots < window;
}

void policy_open_local(struct policy* policy, const struct model* model, uint32_t context,
                       bool masks)
{
    const uint32_t window = model->header.structure.window;
    uint32_t local = 0;
    for (uint32_t layer = 0; layer < model->header.layers; ++layer)
        local += layer_is_local(&model->layers[layer]);
    policy->widest = policy->slots;
    if (local == 0 || window >= context)
        return;
    if (policy->compresses)
        fatal(EXIT_REFUSED,
              "kv_cache: cpq packs the rows of all layers, but %lu of the model's %lu layers "
              "keep only the last %lu tokens; expected workload.context of at most %lu, or no cpq",
              (unsigned long)local, (unsigned long)model->header.layers, (unsigned long)window,
              (unsigned long)window);
    policy->banded = masks;
    if (follows_in_window(policy, window)) {
        policy->reach = window;
        return;
    }
    policy->ring = window;
    if (local == model->header.layers || window > policy->widest)
        policy->widest = window;
}
