// SPDX-License-Identifier: Apache-2.0
// What the modules of the VEDA PE array share.
package veda_pkg;

  // Control of a PE's adder and register (VEDA, section IV-A: two bits a PE).
  localparam logic [1:0] PeDisable    = 2'b00;  // keep the register
  localparam logic [1:0] PeAccumulate = 2'b01;  // add the local operand to the register
  localparam logic [1:0] PeTransmit   = 2'b10;  // add two operands that other PEs send
  localparam logic [1:0] PeClear      = 2'b11;  // clear the register and add the local operand

endpackage
