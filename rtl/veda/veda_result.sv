// SPDX-License-Identifier: Apache-2.0
// Final format of a result: unchanged, or rounded to FP16 (nearest, ties to even; the upper half is
// 0). The output is 0 if there is no result.
module veda_result (
  input  logic        valid_i,
  input  logic        narrow_i,
  input  logic [31:0] sum_i,
  output logic [31:0] result_o
);

  logic [7:0]  exponent;
  logic [4:0]  shift;
  logic [34:0] shifted;
  logic        round_up;
  logic [14:0] magnitude;

  assign exponent = sum_i[30:23];

  always_comb begin
    shift     = 5'd0;
    shifted   = 35'd0;
    round_up  = 1'b0;
    magnitude = 15'd0;
    result_o  = 32'd0;
    if (valid_i && !narrow_i) begin
      result_o = sum_i;
    end else if (valid_i) begin
      if (exponent == 8'hFF && sum_i[22:0] != 23'd0) begin
        result_o = {16'd0, 16'h7E00};
      end else begin
        if (exponent >= 8'd143) begin  // 2^16 and above
          magnitude = 15'h7C00;
        end else if (exponent >= 8'd113) begin
          round_up  = sum_i[12] && (sum_i[13] || sum_i[11:0] != 12'd0);
          magnitude = {5'(exponent - 8'd112), sum_i[22:13]} + {14'd0, round_up};
        end else if (exponent >= 8'd101) begin  // subnormal, in units of 2^-24
          shift     = 5'(8'd126 - exponent);
          shifted   = 35'({1'b1, sum_i[22:0], 25'd0} >> shift);
          round_up  = shifted[24] && (shifted[25] || shifted[23:0] != 24'd0);
          magnitude = {5'd0, shifted[34:25]} + {14'd0, round_up};
        end
        result_o = {16'd0, sum_i[31], magnitude};
      end
    end
  end

endmodule
