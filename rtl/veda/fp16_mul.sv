// SPDX-License-Identifier: Apache-2.0
// Product of two FP16 numbers in FP32. The product is exact, because it has at most 11 + 11
// significant bits and is never subnormal in FP32. NaN is canonical (0x7FC00000).
module fp16_mul #(
  parameter bit Cut = 1'b0  // a register between the product of the significands and its normalisation
) (
  input  logic        clk_i,      // used only with Cut
  input  logic        advance_i,  // used only with Cut
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic [31:0] product_o
);

  logic        a_special, b_special;  // infinity or NaN
  logic [10:0] a_significand, b_significand;
  logic [21:0] normalised;
  logic [7:0]  exponent;
  // Values that pass the optional pipeline register.
  logic        sign_d, nan_d;
  logic [4:0]  a_exponent_d, b_exponent_d;
  logic [21:0] raw_d;
  logic        sign, nan, special;
  logic [4:0]  a_exponent, b_exponent;
  logic [21:0] raw;

  assign sign_d        = a_i[15] ^ b_i[15];
  assign a_special     = a_i[14:10] == 5'd31;
  assign b_special     = b_i[14:10] == 5'd31;
  assign a_significand = {a_i[14:10] != 5'd0, a_i[9:0]};
  assign b_significand = {b_i[14:10] != 5'd0, b_i[9:0]};
  // Subnormals have the exponent of the smallest normal numbers.
  assign a_exponent_d  = {a_i[14:11], a_i[10] | (a_i[14:10] == 5'd0)};
  assign b_exponent_d  = {b_i[14:11], b_i[10] | (b_i[14:10] == 5'd0)};
  assign raw_d         = 22'(a_significand) * 22'(b_significand);
  // An input is NaN, or infinity is multiplied by zero.
  assign nan_d = (a_special && (a_i[9:0] != 10'd0 || b_significand == 11'd0)) ||
                 (b_special && (b_i[9:0] != 10'd0 || a_significand == 11'd0));

  if (Cut) begin : g_cut
    always_ff @(posedge clk_i) begin
      if (advance_i) begin
        sign       <= sign_d;
        nan        <= nan_d;
        special    <= a_special || b_special;
        a_exponent <= a_exponent_d;
        b_exponent <= b_exponent_d;
        raw        <= raw_d;
      end
    end
  end else begin : g_whole
    assign sign       = sign_d;
    assign nan        = nan_d;
    assign special    = a_special || b_special;
    assign a_exponent = a_exponent_d;
    assign b_exponent = b_exponent_d;
    assign raw        = raw_d;
    logic unused_clk;
    assign unused_clk = ^{clk_i, advance_i};
  end

  // Moves the leading one to bit 21. Both exponents have a bias of 15, and the product has 20 bits
  // after the binary point: 98 = 127 - 2 * 15 + 1.
  always_comb begin
    normalised = raw;
    exponent   = 8'd98 + 8'(a_exponent) + 8'(b_exponent);
    if (normalised[21:6] == 16'd0) begin
      normalised = {normalised[5:0], 16'd0};
      exponent   = exponent - 8'd16;
    end
    if (normalised[21:14] == 8'd0) begin
      normalised = {normalised[13:0], 8'd0};
      exponent   = exponent - 8'd8;
    end
    if (normalised[21:18] == 4'd0) begin
      normalised = {normalised[17:0], 4'd0};
      exponent   = exponent - 8'd4;
    end
    if (normalised[21:20] == 2'd0) begin
      normalised = {normalised[19:0], 2'd0};
      exponent   = exponent - 8'd2;
    end
    if (!normalised[21]) begin
      normalised = {normalised[20:0], 1'b0};
      exponent   = exponent - 8'd1;
    end
  end

  always_comb begin
    if (nan) begin
      product_o = 32'h7FC0_0000;
    end else if (special) begin
      product_o = {sign, 8'hFF, 23'd0};
    end else if (raw == 22'd0) begin
      product_o = {sign, 31'd0};
    end else begin
      product_o = {sign, exponent, normalised[20:0], 2'd0};
    end
  end

endmodule
