// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Computes a level: its quantisation step, the step's reciprocal, its zero point, and its range
// widened by the tolerance. Operands are taken in the cycle of start_i. The level is ready 35
// cycles later (done_o) and stays until the next start. Each operation is rounded once, as in FP32.
module cpq_level (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [3:0]  bits_i,       // bits of a code: 1 to 8
  input  logic [30:0] tolerance_i,  // FP32, without its sign
  input  logic        start_i,
  input  logic [31:0] min_i,
  input  logic [31:0] max_i,
  output logic        done_o,
  output logic [31:0] min_o,
  output logic [31:0] max_o,
  output logic [31:0] low_o,
  output logic [31:0] high_o,
  output logic [31:0] step_o,
  output logic [31:0] reciprocal_o,
  output logic [17:0] zero_o  // two's complement
);

  localparam logic [5:0] Idle = 6'd0;
  // min and max are valid in cycle 1, the width in cycle 2.
  localparam logic [5:0] FirstDivision = 6'd2;
  localparam logic [5:0] Low           = 6'd3;
  localparam logic [5:0] High          = 6'd4;
  localparam logic [5:0] Step          = FirstDivision + 6'd15;
  localparam logic [5:0] Reciprocal    = Step + 6'd16;
  localparam logic [5:0] Done          = Reciprocal + 6'd2;

  logic [5:0] cycle_d, cycle_q;

  always_comb begin
    cycle_d = cycle_q == Idle || cycle_q == Done ? Idle : cycle_q + 6'd1;
    if (start_i) begin
      cycle_d = 6'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= Idle;
    end else begin
      cycle_q <= cycle_d;
    end
  end

  assign done_o = cycle_q == Done;

  logic [31:0] min_q, max_q, width_q, slack_q, low_q, high_q, step_q;

  // --- Sums: the width, then each end of the range ---

  logic [31:0] sum_a, sum_b, sum, slack;

  always_comb begin
    sum_a = max_q;
    sum_b = {!min_q[31], min_q[30:0]};
    if (cycle_q == Low) begin
      sum_a = min_q;
      sum_b = {1'b1, slack_q[30:0]};
    end
    if (cycle_q == High) begin
      sum_b = slack_q;
    end
  end

  fp32_add u_add (
    .a_i  (sum_a),
    .b_i  (sum_b),
    .sum_o(sum)
  );

  fp32_mul u_slack (
    .a_i      ({1'b0, tolerance_i}),
    .b_i      (width_q),
    .product_o(slack)
  );

  // --- Step: from the width, but at least 2^-16 of the greatest magnitude ---

  logic [31:0] codes, quotient;
  logic [30:0] magnitude, finest;
  logic        unused_done;

  always_comb begin
    unique case (bits_i)
      4'd1:    codes = 32'h3F80_0000;  // 1
      4'd2:    codes = 32'h4040_0000;  // 3
      4'd3:    codes = 32'h40E0_0000;  // 7
      4'd4:    codes = 32'h4170_0000;
      4'd5:    codes = 32'h41F8_0000;
      4'd6:    codes = 32'h427C_0000;
      4'd7:    codes = 32'h42FE_0000;
      default: codes = 32'h437F_0000;  // 255
    endcase
  end

  // If min is negative and max positive, width / 255 exceeds 2^-16 of either magnitude.
  assign magnitude = min_q[31] ? min_q[30:0] : max_q[30:0];
  assign finest    = {magnitude[30:23] - 8'd16, magnitude[22:0]};

  fp32_div u_div (
    .clk_i,
    .rst_ni,
    .en_i      (1'b1),
    .start_i   (cycle_q == FirstDivision || cycle_q == Step + 6'd1),
    .a_i       (cycle_q == FirstDivision ? width_q : 32'h3F80_0000),
    .b_i       (cycle_q == FirstDivision ? codes : step_q),
    .done_o    (unused_done),
    .quotient_o(quotient)
  );

  // --- Zero ---

  logic [19:0] steps;

  cpq_product u_zero (
    .clk_i,
    .value_i     (min_q),
    .reciprocal_i(quotient[30:0]),
    .steps_o     (steps)
  );

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      min_q <= min_i;
      max_q <= max_i;
    end
    width_q <= sum;    // sums of min and max in cycles 1 and 2
    slack_q <= slack;  // slack of the width, in cycles 2 and 3
    if (cycle_q == Low) begin
      low_q <= sum;
    end
    if (cycle_q == High) begin
      high_q <= sum;
    end
    if (cycle_q == Step) begin
      step_q <= quotient[30:0] > finest ? quotient : {1'b0, finest};
    end
  end

  assign min_o        = min_q;
  assign max_o        = max_q;
  assign low_o        = low_q;
  assign high_o       = high_q;
  assign step_o       = step_q;
  assign reciprocal_o = quotient;
  assign zero_o       = 18'(-steps);

  `ASSERT(ZeroFits_A, done_o |-> steps[19:17] == 3'd0 || steps[19:17] == 3'b111)

endmodule
