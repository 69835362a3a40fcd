// SPDX-License-Identifier: Apache-2.0
// Sum of two FP32 numbers in one cycle: fp32_adder without its register.
module fp32_add (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);

  fp32_adder u_adder (
    .clk_i    (1'b0),
    .advance_i(1'b0),
    .a_i,
    .b_i,
    .sum_o
  );

endmodule
