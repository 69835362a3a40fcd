// SPDX-License-Identifier: Apache-2.0
// fp16_mul in one stage: nothing of it is clocked.
module fp16_product (
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic [31:0] product_o
);

  fp16_mul u_mul (
    .clk_i    (1'b0),
    .advance_i(1'b0),
    .a_i,
    .b_i,
    .product_o
  );

endmodule
