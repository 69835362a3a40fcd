/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that testbench_dpi.sv imports: Levee's reference of a block, with its random
 * stimulus, for any simulator. In each clock cycle, the simulator calls levee_reference_inputs,
 * evaluates its combinational logic, calls levee_reference_outputs, and makes a rising edge.
 * Vectors are packed bits, lowest word first, as the DPI passes them (svBitVecVal). */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins `operations` random operations of `seed`. If `values_only` is not 0, cycles are not
 * compared. */
void levee_reference_open(int32_t seed, int32_t operations, int32_t values_only);
/** Sets all inputs of the next cycle except the clock. Returns 0 if there is no next cycle. */
int32_t levee_reference_inputs(uint32_t* inputs);
/** Takes the outputs of this cycle, before its edge. */
void levee_reference_outputs(const uint32_t* outputs);
/* Prints the comparisons and the first difference. Returns the number of differences. */
int32_t levee_reference_close(void);

#ifdef __cplusplus
}
#endif
