// SPDX-License-Identifier: Apache-2.0
/* Opens a session: model, target, cache and programs for a workload. */
#pragma once

#include "firmware/session/session.h"

/* Opens model, target and units for the workload. Ends the run if the workload cannot run as the
 * scenario asks. */
void session_open(struct session* session, enum session_mode mode);

/* Opens a second session, with another model and in mode SESSION_GENERATE. The session `first`
 * stays open. Both sessions use the same units. Their passes never run at the same time, so they
 * also share the space for activations on chip. The second session's keys and values are in memory
 * that needs no refresh. */
void session_open_beside(struct session* session, struct session* first,
                         const struct levee_workload* workload);
