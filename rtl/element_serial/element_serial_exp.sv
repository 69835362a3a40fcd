// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// e^x of FP32 numbers, as docs/numerics.md defines it, with a latency of four cycles. x is
// multiplied by log2(e), to a precision of 2^-23. A table with linear interpolation gives two to
// the power of the fraction. The integer part becomes the exponent. NaN is canonical (0x7FC00000).
module element_serial_exp (
  input  logic        clk_i,
  input  logic        en_i,    // 0: all registers keep their values
  input  logic [31:0] x_i,
  output logic [31:0] power_o
);

  // --- 1: multiply by log2(e), a constant of 28 bits ---

  localparam logic [27:0] Log2E = 28'd193635251;  // in units of 2^-27

  logic [51:0] product_1;
  logic [7:0]  exponent_1;
  logic        negative_1, nan_1, zero_1, infinite_1;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      product_1  <= 52'({x_i[30:23] != 8'd0, x_i[22:0]}) * 52'(Log2E);
      exponent_1 <= x_i[30:23];
      nan_1      <= x_i[30:23] == 8'hFF && x_i[22:0] != 23'd0;
      negative_1 <= x_i[31];
      zero_1     <= x_i[31] && x_i[30:0] >= 31'h42D0_0000;   // -104 and below
      infinite_1 <= !x_i[31] && x_i[30:0] >= 31'h42B1_8000;  // 88.75 and above
    end
  end

  // --- 2: round to units of 2^-23, ties to even; then apply the sign ---

  logic [5:0]  shift_1;
  logic [84:0] shifted_1;
  logic        round_1;
  logic [30:0] fixed_1;
  logic [31:0] signed_1;
  logic [8:0]  integer_2;  // two's complement
  logic [22:0] fraction_2;
  logic        nan_2, zero_2, infinite_2;

  // With exponent 133 (5 in six bits) the binary point is after bit 54. For exponents of 100 and
  // below, the product is less than half a unit and rounds to 0.
  assign shift_1    = exponent_1 <= 8'd100 ? 6'd33 : 6'd5 - exponent_1[5:0];
  assign shifted_1  = {product_1, 33'd0} >> shift_1;
  assign round_1    = shifted_1[53] && (shifted_1[54] || shifted_1[52:0] != 53'd0);
  assign fixed_1    = shifted_1[84:54] + {30'd0, round_1};
  assign signed_1   = negative_1 ? 32'd0 - {1'b0, fixed_1} : {1'b0, fixed_1};

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      integer_2  <= signed_1[31:23];
      fraction_2 <= signed_1[22:0];
      nan_2      <= nan_1;
      zero_2     <= zero_1;
      infinite_2 <= infinite_1;
    end
  end

  // --- 3: the table's entry; the difference to the next entry, times the remaining bits of the
  // fraction, to 24 bits ---

  logic [22:0] low_2, low_3;
  logic [14:0] step_2;
  logic [28:0] way_2;    // in units of 2^-37
  logic [4:0]  below_2;  // the bits below the 24th
  logic        odd_2;    // the 24th bit
  logic [29:0] way_3;
  logic [8:0]  integer_3;
  logic        nan_3, zero_3, infinite_3;

  element_serial_exp2 u_exp2 (
    .index_i(fraction_2[22:14]),
    .low_o  (low_2),
    .step_o (step_2)
  );

  assign way_2 = 29'(step_2) * 29'(fraction_2[13:0]);

  always_comb begin
    below_2 = 5'd0;
    odd_2   = 1'b0;
    if (way_2[28]) begin
      below_2 = 5'd31;
      odd_2   = way_2[5];
    end else if (way_2[27]) begin
      below_2 = 5'd15;
      odd_2   = way_2[4];
    end else if (way_2[26]) begin
      below_2 = 5'd7;
      odd_2   = way_2[3];
    end else if (way_2[25]) begin
      below_2 = 5'd3;
      odd_2   = way_2[2];
    end else if (way_2[24]) begin
      below_2 = 5'd1;
      odd_2   = way_2[1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      low_3     <= low_2;
      way_3     <= ({1'b0, way_2} + {26'd0, below_2[4:1]} + {29'd0, odd_2}) & ~{25'd0, below_2};
      integer_3 <= integer_2;
      nan_3     <= nan_2;
      zero_3    <= zero_2;
      infinite_3 <= infinite_2;
    end
  end

  // --- 4: the sum, and the power of two of the integer part ---

  logic [37:0] sum_3;       // in units of 2^-37; less than the table's next entry, which is at most 2
  logic [23:0] mantissa_3;  // in units of 2^-23
  logic        round_3;
  logic [8:0]  exponent_3;  // two's complement
  logic [4:0]  right_3;
  logic [48:0] subnormal_3;
  logic        round_up_3;
  logic [31:0] power_q;

  assign sum_3       = {1'b1, low_3, 14'd0} + {8'd0, way_3};
  assign round_3     = sum_3[13] && (sum_3[14] || sum_3[12:0] != 13'd0);
  assign mantissa_3  = sum_3[37:14] + {23'd0, round_3};
  assign exponent_3  = integer_3 + 9'd127;
  // A subnormal result is rounded once more.
  assign right_3     = 5'(9'd1 - exponent_3);
  assign subnormal_3 = {mantissa_3, 25'd0} >> right_3;
  assign round_up_3  = subnormal_3[24] && (subnormal_3[25] || subnormal_3[23:0] != 24'd0);

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (nan_3) begin
        power_q <= 32'h7FC0_0000;
      end else if (zero_3) begin
        power_q <= 32'd0;
      end else if (infinite_3 || exponent_3 == 9'd255) begin
        power_q <= 32'h7F80_0000;
      end else if (!exponent_3[8] && exponent_3 != 9'd0) begin
        power_q <= {1'b0, exponent_3[7:0], mantissa_3[22:0]};
      end else begin
        power_q <= {8'd0, subnormal_3[48:25]} + {31'd0, round_up_3};
      end
    end
  end

  assign power_o = power_q;

endmodule
