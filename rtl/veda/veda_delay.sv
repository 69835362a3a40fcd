// SPDX-License-Identifier: Apache-2.0
// A delay line without reset. An input appears at the output after `Stages` cycles in which the
// line advances.
module veda_delay #(
  parameter int Width  = 1,
  parameter int Stages = 1  // 0: no register
) (
  input  logic             clk_i,
  input  logic             advance_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  logic [(Stages+1)*Width-1:0] stages;  // the lowest entry is the input
  logic                        unused_clk;

  assign stages[Width-1:0] = d_i;
  for (genvar i = 1; i <= Stages; i++) begin : g_stage
    logic [Width-1:0] stage_q;
    always_ff @(posedge clk_i) begin
      if (advance_i) begin
        stage_q <= stages[(i-1)*Width+:Width];
      end
    end
    assign stages[i*Width+:Width] = stage_q;
  end

  assign q_o        = stages[Stages*Width+:Width];
  assign unused_clk = ^{clk_i, advance_i};

endmodule
