// SPDX-License-Identifier: Apache-2.0
// Outputs whether one FP32 number is less than another. Neither may be NaN or -0.
module cpq_less (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        less_o
);

  always_comb begin
    if (a_i[31] != b_i[31]) begin
      less_o = a_i[31];
    end else begin
      less_o = a_i[31] ? a_i[30:0] > b_i[30:0] : a_i[30:0] < b_i[30:0];
    end
  end

endmodule
