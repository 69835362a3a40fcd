// SPDX-License-Identifier: Apache-2.0
// Zeroes before the leading one of a significand; 24 and more do not occur: of 0 it says 23.
module fp_leading_zeroes (
  input  logic [23:0] value_i,
  output logic [4:0]  zeroes_o
);

  logic [23:0] rest;

  always_comb begin
    rest     = value_i;
    zeroes_o = 5'd0;
    if (rest[23:8] == 16'd0) begin
      rest        = {rest[7:0], 16'd0};
      zeroes_o[4] = 1'b1;
    end
    if (!zeroes_o[4] && rest[23:16] == 8'd0) begin
      rest        = {rest[15:0], 8'd0};
      zeroes_o[3] = 1'b1;
    end
    if (rest[23:20] == 4'd0) begin
      rest        = {rest[19:0], 4'd0};
      zeroes_o[2] = 1'b1;
    end
    if (rest[23:22] == 2'd0) begin
      rest        = {rest[21:0], 2'd0};
      zeroes_o[1] = 1'b1;
    end
    if (!rest[23]) begin
      zeroes_o[0] = 1'b1;
    end
  end

endmodule
