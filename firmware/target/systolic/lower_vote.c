// SPDX-License-Identifier: Apache-2.0
/* Probabilities come from the function unit's port, in vectors as long as the longest. */
#include "firmware/drivers/voting_engine.h"
#include "firmware/target/systolic/lower.h"
#include "firmware/target/voting.h"

void lower_vote(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct voting_source source = {LEVEE_STREAM(LEVEE_PORT_FUNCTIONS), pass->longest};
    voting_lower_vote(lowering, pass, operation, &source, descriptor);
}

void patch_vote(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    voting_operation(descriptor)->n = pass->longest;
}
