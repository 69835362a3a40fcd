// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Factors of a vector for NORMALISE, from its statistics. Softmax: the maximum and 1 / sum. RMS
// norm: 0 and 1 / sqrt(squares / n + epsilon). Layer norm: the mean and 1 / sqrt(max(0, squares / n
// - mean^2) + epsilon). One vector is processed at a time; its factors stay until they are taken.
// The adder and the multiplier are outside and shared with other modules: operands go out, and
// results come back in the same cycle.
module element_serial_factors (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,  // 0: all registers keep their values
  input  logic        softmax_i,
  input  logic        layer_i,
  input  logic [31:0] epsilon_i,
  input  logic [31:0] count_i,   // n, as FP32
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [31:0] first_i,
  input  logic [31:0] second_i,

  output logic        lend_o,    // needs the multiplier, for mean * mean
  output logic [31:0] mean_o,
  input  logic [31:0] square_i,
  output logic [31:0] sum_a_o,
  output logic [31:0] sum_b_o,
  input  logic [31:0] sum_i,

  output logic        ready_factors_o,
  input  logic        take_i,
  output logic [31:0] shift_o,
  output logic [31:0] scale_o
);

  localparam logic [31:0] One = 32'h3F80_0000;

  localparam logic [2:0] Idle      = 3'd0;
  localparam logic [2:0] Means     = 3'd1;  // divisions by n
  localparam logic [2:0] Variance  = 3'd2;  // mean of squares minus square of the mean
  localparam logic [2:0] Epsilon   = 3'd3;
  localparam logic [2:0] RootStart = 3'd4;
  localparam logic [2:0] Root      = 3'd5;
  localparam logic [2:0] Scale     = 3'd6;  // the last division

  logic [2:0]  state_d, state_q;
  logic        means_done, root_done, quotient_done;
  logic        take_statistics, start_scale;
  logic [31:0] mean_square, root, quotient;
  logic [31:0] first_q, operand_q;

  assign ready_o         = state_q == Idle && step_i;
  assign take_statistics = valid_i && ready_o;
  assign start_scale     = state_q == Root && root_done;
  assign lend_o          = state_q == Means && means_done && layer_i;
  assign ready_factors_o = state_q == Scale && quotient_done;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (take_statistics) begin
          state_d = softmax_i ? Scale : Means;
        end
      end
      Means: begin
        if (means_done) begin
          state_d = layer_i ? Variance : RootStart;
        end
      end
      Variance:  state_d = Epsilon;
      Epsilon:   state_d = RootStart;
      RootStart: state_d = Root;
      Root: begin
        if (root_done) begin
          state_d = Scale;
        end
      end
      default: begin
        if (take_i) begin
          state_d = Idle;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else if (step_i) begin
      state_q <= state_d;
    end
  end

  // Sums: mean of squares - square of the mean, then + epsilon. RMS norm computes only mean of
  // squares + epsilon.
  always_comb begin
    sum_a_o = operand_q;
    sum_b_o = epsilon_i;
    if (state_q == Means) begin
      sum_a_o = mean_square;
    end else if (state_q == Variance) begin
      sum_a_o = mean_square;
      sum_b_o = {!operand_q[31], operand_q[30:0]};
    end
  end

  // Registers for the square, the variance, and the operand of the root.
  always_ff @(posedge clk_i) begin
    if (step_i) begin
      if (take_statistics) begin
        first_q <= first_i;
      end else if (lend_o) begin
        first_q <= quotient;
      end
      if (lend_o) begin
        operand_q <= square_i;
      end else if (state_q == Variance) begin
        operand_q <= sum_i[31] ? 32'd0 : sum_i;
      end else begin
        operand_q <= sum_i;
      end
    end
  end

  assign mean_o  = quotient;
  assign shift_o = softmax_i || layer_i ? first_q : 32'd0;
  assign scale_o = quotient;

  // Divisions: 1 / sum, the mean, then 1 / root.
  fp32_div u_quotient (
    .clk_i,
    .rst_ni,
    .en_i      (step_i),
    .start_i   (take_statistics || start_scale),
    .a_i       (start_scale || softmax_i ? One : first_i),
    .b_i       (start_scale ? root : (softmax_i ? second_i : count_i)),
    .done_o    (quotient_done),
    .quotient_o(quotient)
  );

  fp32_div u_mean_square (
    .clk_i,
    .rst_ni,
    .en_i      (step_i),
    .start_i   (take_statistics),
    .a_i       (second_i),
    .b_i       (count_i),
    .done_o    (means_done),
    .quotient_o(mean_square)
  );

  fp32_sqrt u_root (
    .clk_i,
    .rst_ni,
    .en_i   (step_i),
    .start_i(state_q == RootStart),
    .x_i    (operand_q),
    .done_o (root_done),
    .root_o (root)
  );

  `ASSERT(TakesWhatIsThere_A, take_i |-> ready_factors_o)
  `COVER(NegativeVariance_C, step_i && state_q == Variance && sum_i[31])
  `COVER(FactorsWait_C, ready_factors_o && !take_i)
  `COVER(StatisticsWait_C, valid_i && state_q != Idle)

endmodule
