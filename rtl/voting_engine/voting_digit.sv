// SPDX-License-Identifier: Apache-2.0
// Computes one bit of a quotient or square root, starting with the highest. It subtracts the
// divisor from the remainder, unless the divisor is larger. For a root, 4 * (the root so far) + 1
// replaces the divisor.
module voting_digit (
  input  logic        is_root_i,
  input  logic [31:0] rest_i,
  input  logic [27:0] digits_i,
  input  logic [1:0]  radicand_i,  // the next two bits of the radicand
  input  logic [23:0] divisor_i,
  output logic [31:0] rest_o,
  output logic        digit_o
);

  logic [31:0] minuend, subtrahend, left;

  assign minuend    = is_root_i ? {rest_i[29:0], radicand_i} : rest_i;
  assign subtrahend = is_root_i ? {2'b00, digits_i, 2'b01} : {8'd0, divisor_i};
  assign digit_o    = minuend >= subtrahend;
  assign left       = digit_o ? minuend - subtrahend : minuend;
  // For a root, the radicand's next two bits are shifted into the remainder.
  assign rest_o     = is_root_i ? left : {left[30:0], 1'b0};

endmodule
