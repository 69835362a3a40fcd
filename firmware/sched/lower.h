/* From an operation to the descriptor of the block that does it: addresses, strides and loop nests.
 * Which block, and in what order, is each scheduler's choice. */
#pragma once

#include "firmware/llm/operation.h"
#include "firmware/llm/pass.h"
#include "firmware/llm/placement.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"

struct lowering {
    const struct model* model;
    const struct placement* placement;
    float score_scale; /* 1 / sqrt(head_dim), single precision */
};

/* LINEAR, SCORES, MIX: always LEVEE_RSA_GEMM. */
void lower_rsa(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_rsa_operation* out);

/* All others. */
enum levee_sfu_opcode lower_sfu_opcode(const struct lowering* lowering, const struct pass* pass,
                                       const struct operation* operation);
void lower_sfu(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_sfu_operation* out);
