// SPDX-License-Identifier: Apache-2.0
// Sum of two FP32 numbers by IEEE 754: round to nearest, ties to even, with subnormals and
// infinities. NaN is canonical (0x7FC00000).
module fp32_adder #(
  parameter bit Cut = 1'b0  // a register between the addition of the significands and its normalisation
) (
  input  logic        clk_i,      // used only with Cut
  input  logic        advance_i,  // used only with Cut
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);

  logic [31:0] larger, smaller;  // ordered by magnitude
  logic [7:0]  smaller_exponent, distance;
  logic [23:0] larger_significand, smaller_significand;
  logic [4:0]  align;
  logic [49:0] shifted;
  logic [26:0] aligned;  // 24 bits, guard, round, sticky
  logic [26:0] normalised;
  logic [7:0]  exponent;
  logic        round_up;
  logic [30:0] magnitude;
  // Values that pass the optional pipeline register.
  logic        nan_d, subtract_d;
  logic [7:0]  larger_exponent_d;
  logic [27:0] raw_d;
  logic        sign, special, nan, subtract;
  logic [7:0]  larger_exponent;
  logic [27:0] raw;

  assign {larger, smaller} = b_i[30:0] > a_i[30:0] ? {b_i, a_i} : {a_i, b_i};
  assign subtract_d = larger[31] ^ smaller[31];
  // Subnormals have the exponent of the smallest normal numbers.
  assign larger_exponent_d  = {larger[30:24], larger[23] | (larger[30:23] == 8'd0)};
  assign smaller_exponent    = {smaller[30:24], smaller[23] | (smaller[30:23] == 8'd0)};
  assign larger_significand = {larger[30:23] != 8'd0, larger[22:0]};
  assign smaller_significand = {smaller[30:23] != 8'd0, smaller[22:0]};

  // At a distance of 26 or more, the smaller operand contributes only a sticky bit.
  assign distance = larger_exponent_d - smaller_exponent;
  assign align    = distance >= 8'd26 ? 5'd26 : distance[4:0];
  assign shifted  = {smaller_significand, 26'd0} >> align;
  assign aligned  = {shifted[49:24], |shifted[23:0]};
  assign raw_d    = subtract_d ? {1'b0, larger_significand, 3'd0} - {1'b0, aligned}
                               : {1'b0, larger_significand, 3'd0} + {1'b0, aligned};
  // An input is NaN, or infinities cancel.
  assign nan_d = larger[30:23] == 8'hFF &&
                 (larger[22:0] != 23'd0 || (smaller[30:23] == 8'hFF && subtract_d));

  if (Cut) begin : g_cut
    always_ff @(posedge clk_i) begin
      if (advance_i) begin
        sign            <= larger[31];
        special         <= larger[30:23] == 8'hFF;
        nan             <= nan_d;
        subtract        <= subtract_d;
        larger_exponent <= larger_exponent_d;
        raw             <= raw_d;
      end
    end
  end else begin : g_whole
    assign sign            = larger[31];
    assign special         = larger[30:23] == 8'hFF;
    assign nan             = nan_d;
    assign subtract        = subtract_d;
    assign larger_exponent = larger_exponent_d;
    assign raw             = raw_d;
    logic unused_clk;
    assign unused_clk = ^{clk_i, advance_i};
  end

  // Moves the leading one to bit 26, or only as far as the exponent permits; in the latter case,
  // the sum is subnormal.
  always_comb begin
    normalised = raw[26:0];
    exponent   = larger_exponent;
    if (raw[27]) begin
      normalised = {raw[27:2], |raw[1:0]};
      exponent   = exponent + 8'd1;
    end else if (subtract) begin
      if (normalised[26:11] == 16'd0 && exponent > 8'd16) begin
        normalised = {normalised[10:0], 16'd0};
        exponent   = exponent - 8'd16;
      end
      if (normalised[26:19] == 8'd0 && exponent > 8'd8) begin
        normalised = {normalised[18:0], 8'd0};
        exponent   = exponent - 8'd8;
      end
      if (normalised[26:23] == 4'd0 && exponent > 8'd4) begin
        normalised = {normalised[22:0], 4'd0};
        exponent   = exponent - 8'd4;
      end
      if (normalised[26:25] == 2'd0 && exponent > 8'd2) begin
        normalised = {normalised[24:0], 2'd0};
        exponent   = exponent - 8'd2;
      end
      if (!normalised[26] && exponent > 8'd1) begin
        normalised = {normalised[25:0], 1'b0};
        exponent   = exponent - 8'd1;
      end
    end
  end

  assign round_up = normalised[2] && (normalised[3] || normalised[1:0] != 2'd0);
  // Rounding may carry into the exponent, as intended.
  assign magnitude =
      {normalised[26] ? exponent : 8'd0, normalised[25:3]} + {30'd0, round_up};

  always_comb begin
    if (nan) begin
      sum_o = 32'h7FC0_0000;
    end else if (special) begin
      sum_o = {sign, 8'hFF, 23'd0};
    end else if (raw == 28'd0) begin
      sum_o = {sign && !subtract, 31'd0};
    end else if (magnitude[30:23] == 8'hFF) begin
      sum_o = {sign, 8'hFF, 23'd0};
    end else begin
      sum_o = {sign, magnitude};
    end
  end

endmodule
