// SPDX-License-Identifier: Apache-2.0
// Outputs whether one FP16 number is greater than another: 0 if either is NaN. +0 and -0 are equal.
module element_serial_greater (
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic        greater_o
);

  logic nan, zeroes;

  assign nan    = a_i[14:0] > 15'h7C00 || b_i[14:0] > 15'h7C00;
  assign zeroes = a_i[14:0] == 15'd0 && b_i[14:0] == 15'd0;

  always_comb begin
    if (nan || zeroes) begin
      greater_o = 1'b0;
    end else if (a_i[15] != b_i[15]) begin
      greater_o = b_i[15];
    end else if (a_i[15]) begin
      greater_o = a_i[14:0] < b_i[14:0];
    end else begin
      greater_o = a_i[14:0] > b_i[14:0];
    end
  end

endmodule
