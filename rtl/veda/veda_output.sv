// SPDX-License-Identifier: Apache-2.0
// One lane of the result port: its rounding, and a register for a result that arrives while the
// consumer is not ready. The arrays stall one cycle later, so that only this register depends on
// the consumer's ready.
module veda_output #(
  parameter int RoundStages = 0  // 1: registers after the rounding; 2: also before it
) (
  input  logic        clk_i,
  input  logic        hold_i,  // the arrays stall in the next cycle
  input  logic        valid_i,
  input  logic        narrow_i,
  input  logic [31:0] sum_i,
  output logic [31:0] result_o
);

  logic        hold_q, advance;
  logic        valid, narrow;
  logic [31:0] sum, result, rounded, kept_q;

  // Each lane has its own stall flag, like each PE, so that one flag drives few registers. Not
  // reset, as in a PE.
  always_ff @(posedge clk_i) begin
    hold_q <= hold_i;
  end
  assign advance = !hold_q;

  veda_delay #(
    .Width (34),
    .Stages(RoundStages > 1 ? 1 : 0)
  ) u_front (
    .clk_i,
    .advance_i(advance),
    .d_i      ({valid_i, narrow_i, sum_i}),
    .q_o      ({valid, narrow, sum})
  );

  veda_result u_result (
    .valid_i (valid),
    .narrow_i(narrow),
    .sum_i   (sum),
    .result_o(result)
  );

  veda_delay #(
    .Width (32),
    .Stages(RoundStages > 0 ? 1 : 0)
  ) u_behind (
    .clk_i,
    .advance_i(advance),
    .d_i      (result),
    .q_o      (rounded)
  );

  always_ff @(posedge clk_i) begin
    if (advance) begin
      kept_q <= rounded;
    end
  end

  assign result_o = hold_q ? kept_q : rounded;

endmodule
