// SPDX-License-Identifier: Apache-2.0
// fp32_add in one stage: nothing of it is clocked.
module fp32_sum (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);

  fp32_add u_add (
    .clk_i    (1'b0),
    .advance_i(1'b0),
    .a_i,
    .b_i,
    .sum_o
  );

endmodule
