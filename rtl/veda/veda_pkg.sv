// SPDX-License-Identifier: Apache-2.0
// Common definitions of the VEDA PE array's modules.
package veda_pkg;

  // Control of a PE's adder and registers (VEDA, section IV-A: two bits for each PE). The third bit
  // is for PEs with two partial sums: it selects the second sum, or the final addition of both.
  localparam logic [2:0] PeDisable       = 3'b000;  // keep the registers
  localparam logic [2:0] PeAccumulate    = 3'b001;  // add the local operand to the sum
  localparam logic [2:0] PeTransmit      = 3'b010;  // add two operands that other PEs send
  localparam logic [2:0] PeClear         = 3'b011;  // clear the sum and add the local operand
  localparam logic [2:0] PeAccumulateOdd = 3'b101;  // Accumulate and Clear, for the second sum
  localparam logic [2:0] PeClearOdd      = 3'b111;
  localparam logic [2:0] PeMerge         = 3'b110;  // add the second partial sum to the first

endpackage
