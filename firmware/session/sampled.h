// SPDX-License-Identifier: Apache-2.0
/* Support for sampled runs, which execute only samples of the work (`sampling:` of a timing-only
 * scenario, workload.sample_chunks and sample_steps). All code for sampled runs is here; firmware
 * on a real chip would never call it. It sets the state as if the omitted work had been done: the
 * positions of entries, and the refreshed parts of the cache. */
#pragma once

#include "firmware/session/session.h"

/* Prefills the sampled chunks of the entry. The entries between the second and the last are
 * represented by these two, and only select their tokens. The first entry represents no others,
 * because it finds no data on chip from earlier entries. */
void sampled_prefill(struct session* session, uint32_t entry);

/* Skips to the next decode step that is sampled. Returns the number of skipped steps. */
uint32_t sampled_skip_steps(struct session* session);

/* Runs the sampled step in all variants except the last, which the caller runs. The core calls
 * `meanwhile` while the units work. `meanwhile` should take as long as the core's own work during
 * the last variant. */
void sampled_try_ways(struct session* session, void (*meanwhile)(void));

/* Begins a part for work that a complete run would not do, or would do differently. `times` is the
 * part's weight (struct way). */
void sampled_begin_left_out(int32_t times);

/* Opens the variants of passes. Each variant executes a sample of the layers (ways.c). */
void sampled_open_ways(struct session* session);

/* sampled_chunks returns whether only samples of prefills run. sampled_steps returns whether only
 * samples of decode steps run. */
bool sampled_chunks(const struct session* session);
bool sampled_steps(const struct session* session);
