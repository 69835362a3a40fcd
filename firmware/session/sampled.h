// SPDX-License-Identifier: Apache-2.0
/* The simulator's business in the product, all of it: runs in which only samples of the work are
 * done (`sampling:` of a timing-only scenario, workload.sample_chunks and sample_steps). On silicon
 * nothing would call this. State that the omitted work would have left is set as if it had been
 * done: where the entries are, and what of the cache is refreshed. */
#pragma once

#include "firmware/session/session.h"

/* Prefills the samples of the entry's chunks. The second and the last entry represent those
 * between them, which only select their tokens: data left on chip adds up from entry to entry,
 * and the first finds none. */
void sampled_prefill(struct session* session, uint32_t entry);

/* Goes on to the next of the decode steps that are done, and returns how many are left out. */
uint32_t sampled_skip_steps(struct session* session);

/* Does that step in all ways but the last, which remains to be done: the core does `meanwhile`
 * while the units work, which is to take as long as what it does during the last. */
void sampled_try_ways(struct session* session, void (*meanwhile)(void));

/* Begins something that a whole run does not do, or does otherwise: it counts `times` (struct way).
 */
void sampled_begin_left_out(int32_t times);

/* Opens the ways in which passes go through samples of the layers (ways.c). */
void sampled_open_ways(struct session* session);

/* Whether only samples are done of prefills, and of decoding. */
bool sampled_chunks(const struct session* session);
bool sampled_steps(const struct session* session);
