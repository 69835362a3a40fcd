// SPDX-License-Identifier: Apache-2.0
// Limits a value to the range of the quantisation units, and decides whether pruning keeps it. NaN
// and magnitudes below 2^-60 become 0. Magnitudes above 2^60 become 2^60 with the same sign.
module cpq_prune (
  input  logic [31:0] raw_i,
  input  logic [30:0] threshold_i,  // magnitude, FP32
  output logic [31:0] value_o,
  output logic        survives_o
);

  localparam logic [7:0] Least    = 8'd67;   // exponent of 2^-60
  localparam logic [7:0] Greatest = 8'd187;  // exponent of 2^60

  logic nan;
  assign nan = raw_i[30:23] == 8'hFF && raw_i[22:0] != 23'd0;

  always_comb begin
    value_o = raw_i;
    if (raw_i[30:23] >= Greatest) begin
      value_o[30:0] = {Greatest, 23'd0};
    end
    if (nan || raw_i[30:23] < Least) begin
      value_o = 32'd0;
    end
  end

  assign survives_o = value_o != 32'd0 && value_o[30:0] >= threshold_i;

endmodule
