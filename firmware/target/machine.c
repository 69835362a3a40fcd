// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/machine.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/system.h"
#include "firmware/policies/policies.h"
#include "firmware/target/compositions.h"

#include <stdio.h>
#include <string.h>

static const char* const role_names[PART_ROLES] = {"weights", "functions", "attention"};

/* Appends a blank and a word to a list if there is room for both. */
static void append(char* list, size_t room, const char* word)
{
    const size_t used = strlen(list);
    snprintf(list + used, room - used, " %s", word);
}

static bool has_role(const struct machine_part* part, unsigned role)
{
    return (part->roles >> role & 1u) != 0;
}

/* Finds the part with this name for this role. If the name is empty, finds the first part with the
 * role. If there is none, ends the run with a list of the existing names. */
static const struct machine_part* find_part(unsigned role, const char* name)
{
    char names[256] = "";
    for (const struct machine_part* const* part = machine_parts; *part != NULL; ++part) {
        if (!has_role(*part, role))
            continue;
        if (name[0] == 0 || strcmp((*part)->name, name) == 0)
            return *part;
        append(names, sizeof names, (*part)->name);
    }
    fatal(EXIT_REFUSED, "workload.machine.%s: no part \"%s\"; this firmware has%s",
          role_names[role], name, names);
}

static void compose_by_parts(struct machine* machine)
{
    const struct levee_machine_parts* asked = &system_info()->parts;
    for (unsigned role = 0; role < PART_ROLES; ++role)
        machine->parts[role] = find_part(role, asked->names[role]);
    machine->name = system_scheduler();
    machine->separate = (asked->order & LEVEE_ORDER_SEPARATE) != 0;
    machine->staged = (asked->order & LEVEE_ORDER_STAGED) != 0;
    machine->kv_queue = (asked->order & LEVEE_ORDER_KV_QUEUE) != 0;
}

static void compose_by_name(struct machine* machine, const char* name)
{
    char names[256] = "";
    for (const struct composition* known = compositions; known->name != NULL; ++known) {
        if (strcmp(known->name, name) == 0) {
            memcpy(machine->parts, known->parts, sizeof known->parts);
            machine->name = known->name;
            machine->separate = known->separate;
            machine->staged = known->staged;
            machine->kv_queue = known->kv_queue;
            return;
        }
        append(names, sizeof names, known->name);
    }
    fatal(EXIT_REFUSED, "workload.scheduler: no scheduler \"%s\"; this firmware has%s", name,
          names);
}

/* Checks that a part with several roles fills all of them in this machine. */
static void check_roles(const struct machine* machine)
{
    for (unsigned role = 0; role < PART_ROLES; ++role)
        for (unsigned other = 0; other < PART_ROLES; ++other)
            if (has_role(machine->parts[role], other) &&
                machine->parts[other] != machine->parts[role])
                fatal(EXIT_REFUSED,
                      "workload.machine: %s executes %s and %s together, but %s is %s; expected %s "
                      "for "
                      "both",
                      machine->parts[role]->name, role_names[role], role_names[other],
                      role_names[other], machine->parts[other]->name, machine->parts[role]->name);
}

static void check_needs(const struct machine* machine)
{
    for (unsigned role = 0; role < PART_ROLES; ++role) {
        const struct machine_part* part = machine->parts[role];
        if (part->needs_weights != NULL && part->needs_weights != machine_weights(machine))
            fatal(EXIT_REFUSED,
                  "workload.machine: %s: %s works only with weights by %s, but weights is %s",
                  role_names[role], part->name, part->needs_weights->name,
                  machine_weights(machine)->name);
    }
    if (machine->staged && !(machine_attention(machine)->abilities & ATTENTION_REDIRECTS))
        fatal(EXIT_REFUSED,
              "workload.machine: attention: %s can read keys and values only from the cache; "
              "expected no 'staged'",
              machine_attention(machine)->name);
}

/* Refuses separate products of Q, K and V if the part for weights has one matrix for all three. An
 * attention part that itself needs them (crossbars that decompose attention) computes them itself,
 * and is permitted. */
static void check_products(const struct machine* machine)
{
    if (machine->separate && machine_weights(machine)->whole_qkv &&
        !machine_attention(machine)->separate)
        fatal(EXIT_REFUSED,
              "workload.machine: weights: %s multiplies Q, K and V by one matrix; expected no "
              "'separate' and no 'staged'",
              machine_weights(machine)->name);
}

static ALWAYS_INLINE void set_ports(struct machine* machine)
{
    const struct machine_part* attention = machine_attention(machine);
    for (unsigned role = 0; role < PART_ROLES; ++role)
        if (machine->parts[role]->ports > machine->first_port)
            machine->first_port = machine->parts[role]->ports;
    machine->importance_port =
        attention->importance_port + (attention->own_ports ? machine->first_port : 0);
}

void machine_choose(struct machine* machine)
{
    *machine = (struct machine){.part_count = PART_ROLES};
    if (system_info()->parts.names[PART_WEIGHTS][0] != 0)
        compose_by_parts(machine);
    else
        compose_by_name(machine, system_info()->scheduler);
    check_roles(machine);
    check_needs(machine);
    set_ports(machine);
    machine->separate |= machine->staged || machine_attention(machine)->separate;
    check_products(machine);
}

/* Chooses the first composition. It reads all matrices by address. */
void machine_choose_plain(struct machine* machine)
{
    *machine = (struct machine){.part_count = PART_ROLES, .name = compositions->name};
    memcpy(machine->parts, compositions->parts, sizeof compositions->parts);
    set_ports(machine);
}

static void check_properties(const struct machine* machine, const struct model* model)
{
    for (unsigned role = 0; role < PART_ROLES; ++role) {
        const struct machine_part* part = machine->parts[role];
        const uint32_t lacking = part->lacks & model->properties;
        if (lacking != 0)
            fatal(EXIT_REFUSED, "scheduler %s: %s: %s does not support a feature of the model: %s",
                  machine->name, role_names[role], part->name, levee_property_text(lacking));
    }
}

void machine_check_model(const struct machine* machine, const struct model* model)
{
    const struct machine_part* weights = machine_weights(machine);
    const struct levee_workload* work = &system_info()->workload;
    check_properties(machine, model);
    weights->check_model(model);
    if (weights->most_sequences != 0 && work->batch > weights->most_sequences)
        fatal(EXIT_REFUSED, "scheduler %s supports a batch of at most %lu; workload.batch is %lu",
              machine->name, (unsigned long)weights->most_sequences, (unsigned long)work->batch);
    if (weights->chunk_bounds == NULL || work->prefill_chunk <= 1)
        return;
    const uint32_t most = weights->chunk_bounds(model).most;
    if (work->prefill_chunk > most)
        fatal(EXIT_REFUSED,
              "scheduler %s supports at most %lu tokens per prefill pass; workload.prefill_chunk "
              "is %lu",
              machine->name, (unsigned long)most, (unsigned long)work->prefill_chunk);
}

_Noreturn static void refuse_policy(const struct machine* machine, const struct policy* policy,
                                    const char* why)
{
    const uint32_t kind = system_info()->kv.kind;
    const char* name = policy->compresses ? "cpq" : "retrieval";
    const bool is_with = kind == LEVEE_KV_FULL; /* The policy `full` needs nothing by itself, so
                                                 * the cause is the feature combined with it. */
    fatal(EXIT_REFUSED, "scheduler %s: kv_cache.%s %s: attention by %s %s", machine->name,
          is_with ? "with" : "policy", is_with ? name : levee_kv_rule_of(kind)->name,
          machine_attention(machine)->name, why);
}

/* Checks that the part for attention has the abilities that the policy needs. If one is missing,
 * ends the run and names it. */
static void check_policy(const struct machine* machine, const struct policy* policy)
{
    const struct {
        bool needed;
        uint8_t ability;
        const char* why;
    } needs[] = {
        {policy->evicts, ATTENTION_EVICTS, "needs cached tokens in the order of their arrival"},
        {policy->scores, ATTENTION_WEIGHS, "does not pass on how much attention a token gets"},
        {policy->scores && policy->score == LEVEE_KV_SCORE_LOGIT, ATTENTION_LOGITS,
         "passes on probabilities, but kv_cache.score is logit; expected softmax"},
        {policy->retrieval.bits != 0, ATTENTION_LISTS, "reads all cached tokens"},
        {policy->compresses, ATTENTION_UNPACKS, "does not support compressed keys and values"},
        {policy->computed_rows != 0, ATTENTION_REDIRECTS,
         "can read keys and values only from the cache"},
    };
    const struct machine_part* attention = machine_attention(machine);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i)
        if (needs[i].needed && !(attention->abilities & needs[i].ability))
            refuse_policy(machine, policy, needs[i].why);
}

/* Checks that the machine supports local layers, which store tokens in rings of slots. If a prefill
 * has no separate cache, its token overwrites the token that has left its own window. Earlier
 * tokens of the same chunk may still need the overwritten token. */
static void check_local(const struct machine* machine, const struct model* model,
                        const struct policy* policy)
{
    const struct machine_part* attention = machine_attention(machine);
    const unsigned long window = model->header.structure.window;
    const unsigned long chunk = system_info()->workload.prefill_chunk;
    if (policy_window(policy) == 0)
        return;
    if (policy->reach != 0 && !policy->banded)
        fatal(EXIT_REFUSED,
              "scheduler %s: attention by %s does not support windows in a prefill; "
              "kv_cache.layers is all; expected full",
              machine->name, attention->name);
    if (!(attention->abilities & ATTENTION_RINGS))
        fatal(EXIT_REFUSED,
              "scheduler %s: attention by %s covers all tokens, but some of the model's layers "
              "attend only to the last %lu; expected workload.context of at most %lu",
              machine->name, attention->name, window, window);
    if (!policy->banded && chunk > 1)
        fatal(EXIT_REFUSED,
              "scheduler %s: attention by %s processes one token per prefill pass in layers with a "
              "window of %lu tokens; workload.prefill_chunk is %lu; expected 1",
              machine->name, attention->name, window, chunk);
}

/* Checks that the machine can recompute. Stored inputs are rows of 16-bit elements that follow the
 * rows of the arriving tokens. */
static void check_recomputation(const struct machine* machine, const struct model* model)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    const bool wanted =
        kv->recompute == LEVEE_KV_RECOMPUTE_ALL || kv->recompute == LEVEE_KV_RECOMPUTE_FREE;
    if (wanted && levee_kv_rule_of(kv->kind)->stores_inputs &&
        !machine_weights(machine)->recomputes)
        fatal(EXIT_REFUSED,
              "scheduler %s: weights by %s cannot recompute keys and values; expected "
              "kv_cache.recompute off",
              machine->name, machine_weights(machine)->name);
    if (wanted && levee_kv_rule_of(kv->kind)->stores_inputs &&
        (model->properties & MODEL_ALL_HEAD_NORMS) != 0)
        fatal(EXIT_REFUSED,
              "scheduler %s: the model has a norm of keys over all heads, which recomputed keys "
              "lack; expected kv_cache.recompute off",
              machine->name);
}

/* Checks that the machine supports latent vectors. Each is both key and value, so there are no
 * separate rows of keys and of values. */
static void check_latent(const struct machine* machine, const struct model* model,
                         const struct policy* policy)
{
    const char* why = levee_latent_refusal(model->properties, machine->staged, policy->compresses);
    if (why != NULL)
        fatal(EXIT_REFUSED, "scheduler %s: %s", machine->name, why);
}

static void check_hadamard(const struct machine* machine, const struct model* model)
{
    if (!system_kv_hadamard())
        return;
    uint32_t lacks = 0;
    for (unsigned role = 0; role < PART_ROLES; ++role)
        lacks |= machine->parts[role]->lacks;
    const char* why = levee_hadamard_refusal(lacks, model->properties, model->header.head_dim);
    if (why != NULL)
        fatal(EXIT_REFUSED, "scheduler %s: kv_cache.hadamard is true, but %s", machine->name, why);
}

static void add_cache_parts(struct machine* machine, const struct policy* policy)
{
    for (const struct machine_part* const* part = machine_parts; *part != NULL; ++part)
        if (has_role(*part, PART_CACHE) &&
            ((*part)->serves == NULL || (*part)->serves(machine, policy)))
            machine->parts[machine->part_count++] = *part;
}

/* Adds the rows of a part, and the rows of the parts that do the rest of its work. If an operation
 * already has a row, that row is kept. */
static void add_rows(struct machine* machine, const struct machine_part* part)
{
    for (; part != NULL; part = part->otherwise)
        for (uint32_t i = 0; i < part->row_count; ++i) {
            const uint8_t kind = part->rows[i].kind;
            if (machine->rows[kind] == NULL)
                machine->rows[kind] = &part->rows[i].row;
        }
}

static void merge(uint8_t values[CACHE_VALUES], const uint8_t* others)
{
    for (unsigned i = 0; others != NULL && i < CACHE_VALUES; ++i)
        if (others[i] != VALUE_NONE)
            values[i] = others[i];
}

/* Omits the conversion of attention's results. This is possible if attention already writes the
 * format that products with weights read, and if nothing else happens to the results in between. */
static void leave_out_conversion(struct machine* machine)
{
    static const struct row nothing = {.left_out = true};
    struct machine_placing* placing = &machine->placing;
    const struct value_format* from = &placing->formats[VALUE_MIXED];
    struct value_format* to = &placing->formats[VALUE_ATTENDED];
    if (to->type == LEVEE_TYPE_NONE || from->type != to->type || from->beside != to->beside ||
        system_kv_hadamard())
        return;
    machine->rows[OPERATION_QUANTISE] = &nothing;
    machine->ordered_with[VALUE_ATTENDED] = VALUE_MIXED;
    placing->lies_with[VALUE_ATTENDED] = VALUE_MIXED;
    to->bytes = to->beside = 0;
}

static void add_reread(struct machine_placing* placing, const struct machine_part* part)
{
    for (uint32_t i = 0; i < part->reread_count; ++i) {
        const uint8_t value = part->reread[i], place = placing->lies_with[value];
        placing->reread[placing->reread_count++] = place != VALUE_NONE ? place : value;
    }
}

static void set_placing(struct machine* machine, const struct model* model)
{
    struct machine_placing* placing = &machine->placing;
    const struct machine_part* weights = machine_weights(machine);
    const struct machine_part* attention = machine_attention(machine);
    weights->set_formats(model, placing->formats);
    if (attention != weights)
        attention->set_formats(model, placing->formats);
    for (uint32_t i = 0; i < machine->part_count; ++i) {
        merge(machine->ordered_with, machine->parts[i]->ordered_with);
        merge(placing->lies_with, machine->parts[i]->lies_with);
    }
    leave_out_conversion(machine);
    add_reread(placing, weights);
    if (attention != weights)
        add_reread(placing, attention);
    placing->kv_forms = attention->kv_forms;
    placing->kv_form_count = attention->kv_form_count;
    placing->kv_scaled = attention->kv_scaled;
    placing->activations = attention->activations;
    placing->activation_count = attention->activation_count;
    placing->reread_roles[0] = LEVEE_ROLE_ACTIVATIONS;
    placing->reread_roles[1] =
        weights->spill_role != 0 ? weights->spill_role : LEVEE_ROLE_ACTIVATIONS;
    placing->sum_bytes = weights->sum_bytes;
}

void machine_complete(struct machine* machine, const struct model* model,
                      const struct policy* policy)
{
    check_policy(machine, policy);
    check_recomputation(machine, model);
    check_local(machine, model, policy);
    check_latent(machine, model, policy);
    check_hadamard(machine, model);
    add_cache_parts(machine, policy);
    add_rows(machine, machine_weights(machine));
    add_rows(machine, machine_attention(machine));
    add_rows(machine, machine->parts[PART_FUNCTIONS]);
    for (uint32_t i = PART_ROLES; i < machine->part_count; ++i)
        add_rows(machine, machine->parts[i]);
    set_placing(machine, model);
    machine->tiling = machine_weights(machine)->tiles ? machine_attention(machine)->tiling : NULL;
}

/* Names of the operations, including operations that only parts of machines use. */
#define NAME(name) [OPERATION_##name] = #name,
static const char* const operation_names[CACHE_OPERATIONS] = {LLM_OPERATION_LIST(NAME)
                                                                  CACHE_OPERATION_LIST(NAME)};
#undef NAME

_Noreturn void machine_refuse(const struct machine* machine, const struct operation* operation)
{
    const char* const name =
        operation->kind < CACHE_OPERATIONS ? operation_names[operation->kind] : "an operation";
    const char* const hint =
        operation->kind < LLM_OPERATIONS
            ? ""
            : ", which the cache's policy needs; expected kv_cache.policy full";
    if (operation->layer == LEVEE_NO_LAYER)
        fatal(EXIT_REFUSED, "scheduler %s: this machine cannot execute %s of the model%s",
              machine->name, name, hint);
    fatal(EXIT_REFUSED, "scheduler %s: this machine cannot execute %s of layer %lu%s",
          machine->name, name, (unsigned long)operation->layer, hint);
}
