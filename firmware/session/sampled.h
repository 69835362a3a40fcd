// SPDX-License-Identifier: Apache-2.0
/* The simulator's business in the product, all of it: runs in which only samples of the work are
 * done (`sampling:` of a timing-only scenario, workload.sample_chunks and sample_steps). On silicon
 * nothing would call this. State that the omitted work would have left is set as if it had been
 * done: where the entries are, and what of the cache is refreshed. */
#pragma once

#include "firmware/session/session.h"

/* Prefills the samples of the entry's chunks. The second and the last entry stand for those between
 * them, of which only the selection is done: what entries leave on chip adds up, and the first
 * finds nothing there. */
void sampled_prefill(struct session* session, uint32_t entry);

/* Goes on to the next of the decode steps that are done, and returns how many are left out. */
uint32_t sampled_next_step(struct session* session);

/* Whether only samples are done of prefills, and of decoding. */
bool sampled_chunks(const struct session* session);
bool sampled_steps(const struct session* session);
