// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Quotient of two FP32 numbers by IEEE 754: round to nearest, ties to even, with subnormals and
// infinities. NaN is canonical (0x7FC00000). The unit computes one quotient at a time, two bits per
// cycle. If it takes the operands in cycle c (start_i), the quotient is ready in cycle c + 15. It
// stays until the next start, which also aborts a division in progress.
module fp32_div (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,     // 0: all registers keep their values
  input  logic        start_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        done_o,
  output logic [31:0] quotient_o
);

  // --- Operands, their leading ones at bit 23 ---

  logic [4:0]  a_zeroes, b_zeroes;
  logic [23:0] a_raw, b_raw;
  logic [7:0]  a_exponent, b_exponent;
  logic        a_special, b_special, nan, infinite, zero;

  assign a_raw      = {a_i[30:23] != 8'd0, a_i[22:0]};
  assign b_raw      = {b_i[30:23] != 8'd0, b_i[22:0]};
  assign a_exponent = {a_i[30:24], a_i[23] | (a_i[30:23] == 8'd0)};
  assign b_exponent = {b_i[30:24], b_i[23] | (b_i[30:23] == 8'd0)};
  assign a_special  = a_i[30:23] == 8'hFF;
  assign b_special  = b_i[30:23] == 8'hFF;
  assign nan = (a_special && (b_special || a_i[22:0] != 23'd0)) || (b_special && b_i[22:0] != 23'd0) ||
               (a_raw == 24'd0 && b_raw == 24'd0);
  assign infinite = a_special || b_raw == 24'd0;
  assign zero     = b_special || a_raw == 24'd0;

  fp_leading_zeroes u_a_zeroes (
    .value_i (a_raw),
    .zeroes_o(a_zeroes)
  );

  fp_leading_zeroes u_b_zeroes (
    .value_i (b_raw),
    .zeroes_o(b_zeroes)
  );

  // --- Steps: each gives two bits, the first one before the binary point ---

  logic [3:0]  step;  // the first 13 steps divide, the next one rounds
  logic [23:0] divisor_q;
  logic [24:0] rest_d, rest_q;
  logic [25:0] bits_d, bits_q;
  logic [9:0]  exponent_q;      // two's complement; exponent of a quotient of at least 1
  logic        sign_q, nan_q, infinite_q, zero_q;
  logic [31:0] quotient_d, quotient_q;

  always_comb begin
    rest_d = rest_q;
    bits_d = bits_q;
    for (int i = 0; i < 2; i++) begin
      bits_d = {bits_d[24:0], rest_d >= {1'b0, divisor_q}};
      if (bits_d[0]) begin
        rest_d = rest_d - {1'b0, divisor_q};
      end
      rest_d = {rest_d[23:0], 1'b0};
    end
  end

  fp_steps u_steps (
    .clk_i,
    .rst_ni,
    .en_i,
    .start_i,
    .step_o(step),
    .done_o
  );

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (start_i) begin
        divisor_q  <= b_raw << b_zeroes;
        rest_q     <= {1'b0, a_raw << a_zeroes};
        exponent_q <= {2'd0, a_exponent} - {5'd0, a_zeroes} - {2'd0, b_exponent} + {5'd0, b_zeroes} +
                      10'd127;
        sign_q     <= a_i[31] ^ b_i[31];
        nan_q      <= nan;
        infinite_q <= infinite;
        zero_q     <= zero;
      end else begin
        rest_q <= rest_d;
        bits_q <= bits_d;
      end
      if (step == 4'd14) begin
        quotient_q <= quotient_d;
      end
    end
  end

  // --- Rounding ---

  logic [9:0]  exponent, below;
  logic        normal;
  logic [26:0] normalised;  // 24 bits, guard, and two more
  logic [4:0]  shift;
  logic [52:0] shifted;
  logic [24:0] aligned;     // without the leading one: 23 bits, guard, sticky
  logic        round_up;
  logic [31:0] magnitude;

  assign normalised = bits_q[25] ? {bits_q, rest_q != 25'd0} : {bits_q[24:0], rest_q != 25'd0, 1'b0};
  assign exponent   = bits_q[25] ? exponent_q : exponent_q - 10'd1;
  // Below the smallest exponent, the result is shifted right. From 26 places on, only a sticky bit
  // remains.
  assign normal  = !exponent[9] && exponent != 10'd0;
  assign below   = 10'd1 - exponent;
  assign shift   = normal ? 5'd0 : (below > 10'd26 ? 5'd26 : below[4:0]);
  assign shifted = 53'({normalised, 27'd0} >> shift);
  assign aligned = {shifted[52:29], |shifted[28:0]};
  assign round_up = aligned[1] && (aligned[2] || aligned[0]);
  // Rounding may carry into the exponent, as intended.
  assign magnitude = {normal ? exponent[8:0] : 9'd0, aligned[24:2]} + {31'd0, round_up};

  always_comb begin
    if (nan_q) begin
      quotient_d = 32'h7FC0_0000;
    end else if (zero_q) begin
      quotient_d = {sign_q, 31'd0};
    end else if (infinite_q || magnitude[31:23] >= 9'd255) begin
      quotient_d = {sign_q, 8'hFF, 23'd0};
    end else begin
      quotient_d = {sign_q, magnitude[30:0]};
    end
  end

  assign quotient_o = quotient_q;

  `ASSERT(RestBelowDivisor_A, en_i && step > 4'd1 && !nan_q && !zero_q && !infinite_q |->
      rest_q < {divisor_q, 1'b0})

endmodule
