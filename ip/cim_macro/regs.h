// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of the digital compute-in-memory macro (plain C, shared with
 * firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_CIM_MACRO 76u

#define LEVEE_CIM_MACRO_INPUTS 0x80u  /* RO  inputs of the macro */
#define LEVEE_CIM_MACRO_OUTPUTS 0x84u /* RO  outputs of the macro */

enum levee_cim_macro_opcode { LEVEE_CIM_MACRO_LOAD = 1, LEVEE_CIM_MACRO_PRODUCT = 2 };

/* LOAD: the INT8 weights [input][output] at `data`, with rows `stride` apart, become resident.
 *
 * PRODUCT: `count` vectors of INPUTS elements are at `data`, `stride` apart. For each, out[o] = sum
 * over i of vector[i] * weight[i][o], exact, INT32, at `out`, `out_stride` apart. PRODUCT fails
 * with LEVEE_ERROR_FIELD in two cases: field `data` if nothing is loaded; field `type` for INT16 in
 * a macro with more than 511 inputs, where sums may exceed INT32.
 *
 * signal_every counts vectors. */
struct levee_cim_macro_operation {
    uint64_t data;
    uint64_t out;
    int32_t stride;
    int32_t out_stride;
    uint32_t count;      /* PRODUCT: at least 1 */
    uint8_t type;        /* PRODUCT: enum levee_type, INT8 or INT16 */
    uint8_t reserved[3]; /* 0 */
};

#ifdef __cplusplus
static_assert(sizeof(levee_cim_macro_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_cim_macro_operation) <= 176, "must fit the descriptor");
#endif
