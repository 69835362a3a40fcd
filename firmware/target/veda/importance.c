// SPDX-License-Identifier: Apache-2.0
/* Importance from probabilities as the arrays pass them on. */
#include "firmware/drivers/evictor.h"
#include "firmware/drivers/voting_engine.h"
#include "firmware/target/veda/lower.h"
#include "firmware/target/voting.h"

static void hear(const struct pass* pass, struct levee_descriptor* descriptor)
{
    if (pass->shape.form.scored)
        evictor_operation(descriptor)->scores = LEVEE_STREAM(VEDA_PORT_PASSED_ON);
}

void veda_evict(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_evict(lowering, pass, operation, descriptor);
    hear(pass, descriptor);
}

void veda_accumulate(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    lower_accumulate(lowering, pass, operation, descriptor);
    hear(pass, descriptor);
}

void veda_vote(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct voting_source source = {LEVEE_STREAM(VEDA_PORT_PASSED_ON), pass->longest};
    voting_lower_vote(lowering, pass, operation, &source, descriptor);
}

void veda_patch_vote(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    voting_operation(descriptor)->n = pass->longest;
}
