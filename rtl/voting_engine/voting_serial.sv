// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Computes the quotient, square root or product of unsigned FP32 numbers. Operands and results are
// zero or normal. Results are rounded to nearest, ties to even. The unit computes four bits per
// cycle: seven cycles for the 28 bits of a quotient or root, six for a product. The rounded result
// is ready one cycle later.
module voting_serial (
  input  logic        clk_i,

  input  logic        load_i,     // takes the operands
  input  logic [1:0]  operation_i,  // operation of load_i: 0 x * y, 1 x / y, 2 root of x
  input  logic [30:0] x_i,
  input  logic [30:0] y_i,

  input  logic        step_i,     // computes four bits
  output logic [30:0] result_o
);

  localparam logic [1:0] Divide = 2'd1;
  localparam logic [1:0] Root   = 2'd2;

  // --- Operands ---

  logic [1:0]  operation_q;
  logic        zero_q;      // the result is zero
  logic [7:0]  exponent_d, exponent_q;  // exponent of a result of 1.0, minus 127, modulo 256
  logic [31:0] rest_q;      // remainder of a quotient or root
  logic [27:0] digits_q;    // digits so far; product: its upper part
  logic [23:0] fixed_q;     // the divisor, or the multiplicand
  logic [25:0] feed_q;      // radicand, or multiplier and product's lower part
  logic [23:0] x_significand, y_significand;
  logic [7:0]  x_exponent, y_exponent;
  logic [8:0]  root_exponent;  // signed

  assign x_significand = {1'b1, x_i[22:0]};
  assign y_significand = {1'b1, y_i[22:0]};
  assign x_exponent    = x_i[30:23];
  assign y_exponent    = y_i[30:23];
  assign root_exponent = {1'b0, x_exponent} - 9'd127;

  always_comb begin
    unique case (operation_i)
      Divide:  exponent_d = x_exponent - y_exponent;
      Root:    exponent_d = root_exponent[8:1];
      default: exponent_d = x_exponent + y_exponent + 8'd3;  // -253, modulo 256
    endcase
  end

  // --- Four bits ---

  logic        is_root;
  logic [31:0] rest_1, rest_2, rest_3, rest_4;
  logic        digit_1, digit_2, digit_3, digit_4;
  logic [27:0] digits_1, digits_2, digits_3, digits_4, partial;

  assign is_root  = operation_q == Root;
  assign digits_1 = {digits_q[26:0], digit_1};
  assign digits_2 = {digits_1[26:0], digit_2};
  assign digits_3 = {digits_2[26:0], digit_3};
  assign digits_4 = {digits_3[26:0], digit_4};
  assign partial  = digits_q + {4'd0, fixed_q} * {24'd0, feed_q[3:0]};

  voting_digit u_digit_1 (
    .is_root_i (is_root),
    .rest_i    (rest_q),
    .digits_i  (digits_q),
    .radicand_i(feed_q[25:24]),
    .divisor_i (fixed_q),
    .rest_o    (rest_1),
    .digit_o   (digit_1)
  );
  voting_digit u_digit_2 (
    .is_root_i (is_root),
    .rest_i    (rest_1),
    .digits_i  (digits_1),
    .radicand_i(feed_q[23:22]),
    .divisor_i (fixed_q),
    .rest_o    (rest_2),
    .digit_o   (digit_2)
  );
  voting_digit u_digit_3 (
    .is_root_i (is_root),
    .rest_i    (rest_2),
    .digits_i  (digits_2),
    .radicand_i(feed_q[21:20]),
    .divisor_i (fixed_q),
    .rest_o    (rest_3),
    .digit_o   (digit_3)
  );
  voting_digit u_digit_4 (
    .is_root_i (is_root),
    .rest_i    (rest_3),
    .digits_i  (digits_3),
    .radicand_i(feed_q[19:18]),
    .divisor_i (fixed_q),
    .rest_o    (rest_4),
    .digit_o   (digit_4)
  );

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      operation_q <= operation_i;
      zero_q      <= x_i[30:23] == 8'd0 || (operation_i == 2'd0 && y_i[30:23] == 8'd0);
      exponent_q  <= exponent_d;
      rest_q      <= operation_i == Divide ? {8'd0, x_significand} : 32'd0;
      digits_q    <= 28'd0;
      fixed_q     <= operation_i == Divide ? y_significand : x_significand;
      // If the exponent is odd, the radicand is one bit further to the left.
      feed_q      <= operation_i != Root ? {2'b00, y_significand} :
                     root_exponent[0] ? {x_significand, 2'b00} : {1'b0, x_significand, 1'b0};
    end else if (step_i) begin
      rest_q <= rest_4;
      if (operation_q == 2'd0) begin
        digits_q <= {4'd0, partial[27:4]};
        feed_q   <= {2'b00, partial[3:0], feed_q[23:4]};
      end else begin
        digits_q <= digits_4;
        feed_q   <= {feed_q[17:0], 8'd0};
      end
    end
  end

  // --- Rounding ---

  logic [27:0] found;   // the first bit, of weight 1 (product: 2), and later ones
  logic        more;    // further bits are not zero
  logic [22:0] fraction;
  logic        guard, sticky, round_up;
  logic [7:0]  exponent;
  logic [30:0] magnitude;

  assign found = operation_q == 2'd0 ? {digits_q[23:0], feed_q[23:20]} : digits_q;
  assign more  = operation_q == 2'd0 ? feed_q[19:0] != 20'd0 : rest_q != 32'd0;
  assign fraction  = found[27] ? found[26:4] : found[25:3];
  assign guard     = found[27] ? found[3] : found[2];
  assign sticky    = more || found[1:0] != 2'd0 || (found[27] && found[2]);
  assign round_up  = guard && (sticky || fraction[0]);
  assign exponent  = exponent_q + (found[27] ? 8'd127 : 8'd126);
  // Rounding may carry into the exponent, as intended.
  assign magnitude = {exponent, fraction} + {30'd0, round_up};
  assign result_o  = zero_q ? 31'd0 : magnitude;

  `ASSUME(OneAtATime_M, !(load_i && step_i), clk_i, 1'b0)

endmodule
