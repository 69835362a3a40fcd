// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Threshold of a vector: mean_factor * mean - deviation_factor * deviation, from its length and the
// sum of its squares. All operations are FP32 and rounded (docs/numerics.md). The threshold is
// ready 49 cycles after start_i and stays until it is taken.
module voting_threshold #(
  parameter int LengthWidth = 13
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   start_i,  // while idle
  input  logic [LengthWidth-1:0] length_i,  // at least 1
  input  logic [30:0]            sum_i,  // FP32 without sign bits
  input  logic [30:0]            mean_factor_i,
  input  logic [30:0]            deviation_factor_i,

  output logic                   idle_o,
  output logic                   done_o,
  input  logic                   take_i,
  output logic [31:0]            threshold_o
);

  `ASSERT_INIT(LengthWidth_A, LengthWidth >= 2 && LengthWidth <= 20)

  // The steps. A quotient or root takes seven cycles and one more to round, a product six and one,
  // a difference one. The variance takes one more cycle, because its root begins with shifts.
  localparam logic [2:0] Mean      = 3'd0;  // 1 / length
  localparam logic [2:0] Square    = 3'd1;  // mean * mean
  localparam logic [2:0] Scaled    = 3'd2;  // mean_factor * mean
  localparam logic [2:0] Moment    = 3'd3;  // sum / length
  localparam logic [2:0] Variance  = 3'd4;  // moment - square, at least 0
  localparam logic [2:0] Deviation = 3'd5;  // root of the variance
  localparam logic [2:0] Spread    = 3'd6;  // deviation_factor * deviation
  localparam logic [2:0] Threshold = 3'd7;  // scaled - spread

  localparam logic [1:0] Multiply = 2'd0;
  localparam logic [1:0] Divide   = 2'd1;
  localparam logic [1:0] Root     = 2'd2;

  logic       busy_d, busy_q, done_d, done_q;
  logic [2:0] step_d, step_q, cycle_d, cycle_q, last_cycle;
  logic       ends;  // the step's result is ready

  always_comb begin
    unique case (step_q)
      Threshold:               last_cycle = 3'd0;
      Variance:                last_cycle = 3'd1;
      Mean, Moment, Deviation: last_cycle = 3'd7;
      default:                 last_cycle = 3'd6;
    endcase
  end

  assign ends   = busy_q && cycle_q == last_cycle;
  assign idle_o = !busy_q && !done_q;
  assign done_o = done_q;

  always_comb begin
    busy_d  = busy_q;
    done_d  = done_q;
    step_d  = step_q;
    cycle_d = cycle_q + 3'd1;
    if (take_i) begin
      done_d = 1'b0;
    end
    if (ends) begin
      cycle_d = 3'd0;
      step_d  = step_q + 3'd1;
      if (step_q == Threshold) begin
        busy_d = 1'b0;
        done_d = 1'b1;
      end
    end
    if (start_i) begin
      busy_d  = 1'b1;
      step_d  = Mean;
      cycle_d = 3'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      busy_q <= busy_d;
      done_q <= done_d;
    end
  end

  always_ff @(posedge clk_i) begin
    step_q  <= step_d;
    cycle_q <= cycle_d;
  end

  // --- Values ---

  // Values have no sign bits, except in differences.
  logic [30:0] sum_q, mean_factor_q, deviation_factor_q, length_d, length_q;
  logic [30:0] mean_q, square_q, scaled_q, moment_q;
  logic [30:0] result, variance;
  logic [31:0] difference, threshold_q;

  // The length as FP32.
  logic [19:0] shifted;  // without the leading one
  logic [4:0]  top;
  always_comb begin
    top = 5'd0;
    for (int i = 0; i < LengthWidth; i++) begin
      if (length_i[i]) begin
        top = 5'(i);
      end
    end
  end
  assign shifted  = 20'(length_i) << (5'd20 - top);
  assign length_d = {8'd127 + {3'd0, top}, shifted, 3'd0};

  // A difference: moment - square, or scaled - spread.
  logic [30:0] minuend, subtrahend;
  assign minuend    = step_q == Variance ? moment_q : scaled_q;
  assign subtrahend = step_q == Variance ? square_q : moment_q;  // moment_q also holds the spread
  fp32_add u_difference (
    .a_i      ({1'b0, minuend}),
    .b_i      ({1'b1, subtrahend}),
    .sum_o    (difference)
  );
  logic makes_variance;
  assign makes_variance = busy_q && step_q == Variance && !ends;
  assign variance = difference[31] ? 31'd0 : difference[30:0];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      sum_q              <= sum_i;
      length_q           <= length_d;
      mean_factor_q      <= mean_factor_i;
      deviation_factor_q <= deviation_factor_i;
    end
    if (ends) begin
      unique case (step_q)
        Mean:           mean_q      <= result;
        Square:         square_q    <= result;
        Scaled:         scaled_q    <= result;
        Moment, Spread: moment_q    <= result;
        Threshold:      threshold_q <= difference;
        default: ;
      endcase
    end
    if (makes_variance) begin
      square_q <= variance;
    end
  end

  assign threshold_o = threshold_q;

  // Operands of the next step.
  logic [30:0] x, y;
  logic [1:0]  operation;
  always_comb begin
    x         = mean_factor_q;
    y         = mean_q;
    operation = Multiply;
    unique case (step_d)
      Mean: begin
        x         = 31'h3F80_0000;
        y         = length_d;
        operation = Divide;
      end
      Square: begin
        x = result;
        y = result;
      end
      Moment: begin
        x         = sum_q;
        y         = length_q;
        operation = Divide;
      end
      Deviation: begin
        x         = square_q;  // contains the variance by now
        operation = Root;
      end
      Spread: begin
        x = deviation_factor_q;
        y = result;
      end
      default: ;
    endcase
  end

  voting_serial u_serial (
    .clk_i,
    .load_i     (start_i || ends),
    .operation_i(operation),
    .x_i        (x),
    .y_i        (y),
    .step_i     (busy_q && !ends && !start_i),
    .result_o   (result)
  );

  `ASSUME(StartsIdle_M, start_i |-> idle_o)
  `ASSUME(TakesWhatIsDone_M, take_i |-> done_q)
  `ASSERT(StaysUntilTaken_A, done_q && !take_i |=> done_q && $stable(threshold_o))
  `COVER(VarianceBelowZero_C, makes_variance && difference[31])
  `COVER(NoDeviation_C, makes_variance && variance == 31'd0)
  `COVER(BelowZero_C, ends && step_q == Threshold && difference[31])
  `COVER(Zero_C, ends && step_q == Threshold && difference == 32'd0)

endmodule
