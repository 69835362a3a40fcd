/* SPDX-License-Identifier: Apache-2.0 */
/* Levee's reference of a block, with its random stimulus, for any simulator: the functions that
 * testbench_dpi.sv imports. A clock cycle is one call of levee_reference_inputs, the simulator's
 * combinational logic, one of levee_reference_outputs, and a rising edge. Vectors are packed bits,
 * lowest word first, as the DPI passes them (svBitVecVal). */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins `operations` operations of `seed`; values_only: cycles are not compared. */
void levee_reference_open(int32_t seed, int32_t operations, int32_t values_only);
/** Returns all inputs of the next cycle except the clock; 0: there is no further cycle. */
int32_t levee_reference_inputs(uint32_t* inputs);
/** The outputs of this cycle, before its edge. */
void levee_reference_outputs(const uint32_t* outputs);
/* Prints the comparisons and the first difference; returns the number of differences. */
int32_t levee_reference_close(void);

#ifdef __cplusplus
}
#endif
