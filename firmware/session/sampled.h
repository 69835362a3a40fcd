// SPDX-License-Identifier: Apache-2.0
/* Simulation support in the product, all in this file: runs in which only samples of the work
 * are executed (`sampling:` of a timing-only scenario, workload.sample_chunks and sample_steps).
 * On silicon nothing would call it. It sets the state as if the omitted work had been done:
 * positions of entries, and the refreshed parts of the cache. */
#pragma once

#include "firmware/session/session.h"

/* Prefills the samples of the entry's chunks. The second and the last entry represent those
 * between them, which only select their tokens: data left on chip adds up from entry to entry,
 * and the first finds none. */
void sampled_prefill(struct session* session, uint32_t entry);

/* Goes on to the next of the decode steps that are done, and returns how many are left out. */
uint32_t sampled_skip_steps(struct session* session);

/* Runs that step in all variants except the last, which the caller runs. The core calls
 * `meanwhile` while the units work; it should take as long as the core's work during the last
 * variant. */
void sampled_try_ways(struct session* session, void (*meanwhile)(void));

/* Begins work that a whole run does not do, or does differently; it counts `times` (struct way). */
void sampled_begin_left_out(int32_t times);

/* Opens the variants in which passes go through samples of the layers (ways.c). */
void sampled_open_ways(struct session* session);

/* Whether prefills (decoding) are only sampled. */
bool sampled_chunks(const struct session* session);
bool sampled_steps(const struct session* session);
