// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/fatal.h"
#include "firmware/target/flash/machine.h"
#include "firmware/target/retransformer/machine.h"
#include "firmware/target/systolic/machine.h"
#include "firmware/target/target.h"
#include "firmware/target/titanus/machine.h"
#include "firmware/target/veda/machine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct target* const targets[] = {&target_baseline,
                                               &target_kelle,
                                               &target_kelle_baseline,
                                               &target_flash,
                                               &target_veda,
                                               &target_retransformer,
                                               &target_retransformer_layers,
                                               &target_retransformer_plain,
                                               &target_retransformer_weights,
                                               &target_titanus};
#define TARGETS (sizeof targets / sizeof *targets)

/* Appends a blank and a word to a list, of which what has no room is left out. */
static void append(char* list, size_t room, const char* word)
{
    const size_t used = strlen(list);
    snprintf(list + used, room - used, " %s", word);
}

const struct target* target_find(const char* name)
{
    for (size_t i = 0; i < TARGETS; ++i)
        if (strcmp(targets[i]->name, name) == 0)
            return targets[i];
    char names[256] = "";
    for (size_t i = 0; i < TARGETS; ++i)
        append(names, sizeof names, targets[i]->name);
    fatal(EXIT_REFUSED, "workload.scheduler: no scheduler \"%s\"; this firmware has%s", name,
          names);
}

/* Names of the transformer's and the cache's operations; a machine's own are in its table. */
#define NAME(name) [OPERATION_##name] = #name,
static const char* const operation_names[CACHE_OPERATIONS] = {LLM_OPERATION_LIST(NAME)
                                                                  CACHE_OPERATION_LIST(NAME)};
#undef NAME

_Noreturn static void refuse(const struct target* target, const struct operation* operation)
{
    const char* const name =
        operation->kind < CACHE_OPERATIONS ? operation_names[operation->kind] : "its operation";
    const char* const hint = operation->kind < LLM_OPERATIONS
                                 ? ""
                                 : ", which is the cache's: expected kv_cache.policy full";
    if (operation->layer == LEVEE_NO_LAYER)
        fatal(EXIT_REFUSED, "scheduler %s: this machine does not do %s of the model%s",
              target->name, name, hint);
    fatal(EXIT_REFUSED, "scheduler %s: this machine does not do %s of layer %lu%s", target->name,
          name, (unsigned long)operation->layer, hint);
}

const struct machine_row* target_row(const struct target* target, const struct operation* operation)
{
    const struct machine* machine = target->machine;
    const struct machine_row* row = &machine->rows[operation->kind];
    if (operation->kind >= machine->row_count ||
        (row->lower == NULL && row->tiled == NULL && row->partners == NULL && !row->left_out))
        refuse(target, operation);
    return row;
}
