// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Square root of an FP32 number by IEEE 754: round to nearest, ties to even. The root of -0 is -0;
// the root of any other negative number is NaN (0x7FC00000). The unit computes one root at a time,
// two bits per cycle. If it takes an operand in cycle c (start_i), the root is ready in cycle c +
// 15. It stays until the next start, which also aborts a root in progress.
module fp32_sqrt (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,     // 0: all registers keep their values
  input  logic        start_i,
  input  logic [31:0] x_i,
  output logic        done_o,
  output logic [31:0] root_o
);

  // --- The operand, its leading one at bit 23, or at bit 24 if its exponent is odd ---

  logic [4:0]  zeroes;
  logic [23:0] raw, significand;
  logic [8:0]  exponent;  // two's complement
  logic        nan, as_it_is;

  assign raw         = {x_i[30:23] != 8'd0, x_i[22:0]};
  assign significand = raw << zeroes;
  assign exponent = {1'b0, x_i[30:24], x_i[23] | (x_i[30:23] == 8'd0)} - {4'd0, zeroes};
  assign as_it_is = raw == 24'd0 || x_i[31:23] == 9'h0FF;  // zeros, and infinity
  assign nan = (x_i[30:23] == 8'hFF && x_i[22:0] != 23'd0) || (x_i[31] && raw != 24'd0);

  fp_leading_zeroes u_zeroes (
    .value_i (raw),
    .zeroes_o(zeroes)
  );

  // --- Steps: each takes four bits of the operand and gives two of the root ---

  logic [3:0]  step;  // the first 13 steps compute, the next one rounds
  logic [51:0] operand_q, operand_d;
  logic [27:0] rest_q, rest_d, trial;
  logic [25:0] root_q, root_d;
  logic [7:0]  exponent_q;
  logic        nan_q, as_it_is_q;
  logic [31:0] x_q, result_d, result_q;

  always_comb begin
    operand_d = operand_q;
    rest_d    = rest_q;
    root_d    = root_q;
    for (int i = 0; i < 2; i++) begin
      rest_d    = {rest_d[25:0], operand_d[51:50]};
      operand_d = {operand_d[49:0], 2'd0};
      trial     = {root_d, 2'd1};
      root_d    = {root_d[24:0], rest_d >= trial};
      if (root_d[0]) begin
        rest_d = rest_d - trial;
      end
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
        operand_q  <= exponent[0] ? {1'b0, significand, 27'd0} : {significand, 28'd0};
        rest_q     <= 28'd0;
        root_q     <= 26'd0;
        // Half of the unbiased exponent, rounded down, biased again.
        exponent_q <= 8'((exponent + 9'd127) >> 1);
        nan_q      <= nan;
        as_it_is_q <= as_it_is;
        x_q        <= x_i;
      end else begin
        operand_q <= operand_d;
        rest_q    <= rest_d;
        root_q    <= root_d;
      end
      if (step == 4'd14) begin
        result_q <= result_d;
      end
    end
  end

  // --- Rounding: a root is never subnormal, and never a tie ---

  always_comb begin
    if (nan_q) begin
      result_d = 32'h7FC0_0000;
    end else if (as_it_is_q) begin
      result_d = x_q;
    end else begin
      result_d = {1'b0, exponent_q, root_q[24:2]} + {31'd0, root_q[1]};
    end
  end

  assign root_o = result_q;

  // The leading one is not stored in the result.
  `ASSERT(Leading_A, en_i && step == 4'd14 && !nan_q && !as_it_is_q |-> root_q[25])

endmodule
