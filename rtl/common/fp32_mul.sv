// SPDX-License-Identifier: Apache-2.0
// Product of two FP32 numbers by IEEE 754: round to nearest, ties to even, with subnormals and
// infinities. NaN is canonical (0x7FC00000).
module fp32_mul (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o
);

  logic        sign, a_special, b_special, nan;
  logic [23:0] a_significand, b_significand;
  logic [7:0]  a_exponent, b_exponent;
  logic [4:0]  a_zeroes, b_zeroes;
  logic [47:0] raw;
  logic [9:0]  zeroes, exponent, normal_exponent, left;  // two's complement
  logic        normal;
  logic [5:0]  shift;
  logic [73:0] aligned;
  logic [22:0] significand;  // without its leading one
  logic        guard, sticky, round_up;
  logic [8:0]  rounded_exponent;
  logic [31:0] magnitude;

  assign sign      = a_i[31] ^ b_i[31];
  assign a_special = a_i[30:23] == 8'hFF;
  assign b_special = b_i[30:23] == 8'hFF;
  // Subnormals have the exponent of the smallest normal numbers.
  assign a_significand = {a_i[30:23] != 8'd0, a_i[22:0]};
  assign b_significand = {b_i[30:23] != 8'd0, b_i[22:0]};
  assign a_exponent    = {a_i[30:24], a_i[23] | (a_i[30:23] == 8'd0)};
  assign b_exponent    = {b_i[30:24], b_i[23] | (b_i[30:23] == 8'd0)};
  assign raw = 48'(a_significand) * 48'(b_significand);
  // An input is NaN, or infinity is multiplied by zero.
  assign nan = (a_special && (a_i[22:0] != 23'd0 || b_significand == 24'd0)) ||
               (b_special && (b_i[22:0] != 23'd0 || a_significand == 24'd0));

  fp_leading_zeroes u_a_zeroes (
    .value_i (a_significand),
    .zeroes_o(a_zeroes)
  );

  fp_leading_zeroes u_b_zeroes (
    .value_i (b_significand),
    .zeroes_o(b_zeroes)
  );

  // The shift is computed in parallel with the product. If the exponent permits, it goes left and
  // puts the leading one at bit 47 or 46 of `raw`. If the exponent is below the smallest one, it
  // goes right.
  assign zeroes   = {5'd0, a_zeroes} + {5'd0, b_zeroes};
  assign exponent = {2'd0, a_exponent} + {2'd0, b_exponent} - 10'd127;
  assign normal_exponent = exponent - zeroes;
  assign normal   = !normal_exponent[9] && normal_exponent != 10'd0;
  assign left     = normal ? zeroes : exponent - 10'd1;
  // A right shift by 26 places or more (-26 is 998 in 10 bits) leaves only a sticky bit.
  assign shift   = left[9] && left < 10'd998 ? 6'd0 : 6'(left + 10'd26);
  assign aligned = {26'd0, raw} << shift;

  // The binary point is after bit 72.
  always_comb begin
    rounded_exponent = normal ? normal_exponent[8:0] : 9'd1;
    if (aligned[73]) begin
      significand      = aligned[72:50];
      guard            = aligned[49];
      sticky           = |aligned[48:0];
      rounded_exponent = rounded_exponent + 9'd1;
    end else begin
      significand = aligned[71:49];
      guard       = aligned[48];
      sticky      = |aligned[47:0];
      if (!aligned[72]) begin
        rounded_exponent = 9'd0;
      end
    end
  end

  assign round_up = guard && (significand[0] || sticky);
  // Rounding may carry into the exponent, as intended.
  assign magnitude = {rounded_exponent, significand} + {31'd0, round_up};

  always_comb begin
    if (nan) begin
      product_o = 32'h7FC0_0000;
    end else if (a_special || b_special || magnitude[31:23] >= 9'd255) begin
      product_o = {sign, 8'hFF, 23'd0};
    end else begin
      product_o = {sign, magnitude[30:0]};
    end
  end

endmodule
