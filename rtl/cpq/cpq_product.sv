// SPDX-License-Identifier: Apache-2.0
// Converts a number to steps: the exact product of two FP32 numbers, rounded to an integer one
// cycle later, ties to even. Neither factor may be subnormal, infinite or NaN; the result for a
// factor of 0 is undefined. The ranges of values and steps limit the product to 2^-119 to 2^138.
// For products of 2^17 or more, the integer is at least 2^17 but otherwise undefined.
module cpq_product (
  input  logic        clk_i,
  input  logic [31:0] value_i,
  input  logic [30:0] reciprocal_i,  // without its sign
  output logic [19:0] steps_o  // two's complement; 2 cycles after operands
);

  logic        sign_q;
  logic [47:0] raw_q;
  logic [8:0]  exponent_q;  // two's complement: product's exponent plus 2

  always_ff @(posedge clk_i) begin
    sign_q     <= value_i[31];
    raw_q      <= {25'd1, value_i[22:0]} * {25'd1, reciprocal_i[22:0]};
    exponent_q <= {1'b0, value_i[30:23]} + {1'b0, reciprocal_i[30:23]} - 9'd252;
  end

  // The binary point is after bit 48. Products below 1/4 round to 0; those from 2^17 on are
  // clamped.
  logic        is_small, is_large, round_up;
  logic [65:0] shifted;
  logic [18:0] magnitude;

  assign is_small  = exponent_q[8];
  assign is_large  = exponent_q > 9'd18;
  assign shifted   = {18'd0, raw_q} << exponent_q[4:0];
  assign round_up  = shifted[47] && (shifted[48] || shifted[46:0] != 47'd0);
  assign magnitude = {1'b0, shifted[65:48]} + {18'd0, round_up};

  logic [19:0] steps_d, steps_q;

  always_comb begin
    steps_d = {1'b0, magnitude};
    if (is_large) begin
      steps_d = 20'h40000;
    end
    if (is_small) begin
      steps_d = 20'd0;
    end
    if (sign_q) begin
      steps_d = -steps_d;
    end
  end

  always_ff @(posedge clk_i) begin
    steps_q <= steps_d;
  end

  assign steps_o = steps_q;

endmodule
