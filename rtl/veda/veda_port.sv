// SPDX-License-Identifier: Apache-2.0
// Control of the result port. It tracks the results in the rounding stages, and knows whether a
// result waits to be taken. A result that is not taken in the cycle in which it arrives is kept,
// and veda_output stores its lanes. From the next cycle on, everything stalls until the result is
// taken.
module veda_port #(
  parameter int RoundStages = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // A result before it is rounded.
  input  logic       valid_i,
  input  logic       outer_i,
  input  logic [1:0] en_i,
  // Signals of the port.
  input  logic       ready_i,
  output logic       valid_o,
  output logic       outer_o,
  output logic [1:0] en_o,
  output logic       hold_o,      // everything stalls
  output logic       hold_next_o  // hold of the next cycle
);

  logic                 hold_q, advance;
  logic [RoundStages:0] arrives;
  logic                 arriving_outer, kept_outer_q;
  logic [1:0]           arriving_en, kept_en_q;

  assign advance = !hold_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hold_q <= 1'b0;
    end else begin
      hold_q <= hold_next_o;
    end
  end

  assign arrives[0] = valid_i;
  for (genvar i = 1; i <= RoundStages; i++) begin : g_arrives
    logic arrives_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        arrives_q <= 1'b0;
      end else if (advance) begin
        arrives_q <= arrives[i-1];
      end
    end
    assign arrives[i] = arrives_q;
  end

  veda_delay #(
    .Width (3),
    .Stages(RoundStages)
  ) u_arriving (
    .clk_i,
    .advance_i(advance),
    .d_i      ({outer_i, en_i}),
    .q_o      ({arriving_outer, arriving_en})
  );

  always_ff @(posedge clk_i) begin
    if (advance) begin
      kept_outer_q <= arriving_outer;
      kept_en_q    <= arriving_en;
    end
  end

  assign valid_o     = hold_q || arrives[RoundStages];
  assign outer_o     = hold_q ? kept_outer_q : arriving_outer;
  assign en_o        = hold_q ? kept_en_q : arriving_en;
  assign hold_o      = hold_q;
  assign hold_next_o = valid_o && !ready_i;

endmodule
