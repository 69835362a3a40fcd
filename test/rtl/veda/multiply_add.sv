// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the PE arrays alone, each unit with its own inputs.
module multiply_add (
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  input  logic [31:0] x_i,
  input  logic [31:0] y_i,
  output logic [31:0] product_o,   // a * b
  output logic [31:0] multadd_o,   // a * b + x
  output logic [31:0] sum_o,       // x + y
  output logic [31:0] narrow_o     // x as FP16
);

  fp16_mul u_mul (
    .clk_i    (1'b0),
    .advance_i(1'b1),
    .a_i,
    .b_i,
    .product_o
  );

  fp32_adder u_multadd (
    .clk_i    (1'b0),
    .advance_i(1'b1),
    .a_i  (product_o),
    .b_i  (x_i),
    .sum_o(multadd_o)
  );

  fp32_adder u_add (
    .clk_i    (1'b0),
    .advance_i(1'b1),
    .a_i  (x_i),
    .b_i  (y_i),
    .sum_o(sum_o)
  );

  veda_result u_result (
    .valid_i (1'b1),
    .narrow_i(1'b1),
    .sum_i   (x_i),
    .result_o(narrow_o)
  );

endmodule
