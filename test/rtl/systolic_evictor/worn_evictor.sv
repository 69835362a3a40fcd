// SPDX-License-Identifier: Apache-2.0
// The systolic evictor with a fault in its state. The Commands-th command sets a bit, which from then on affects only
// signed tiles.
module worn_evictor #(
  parameter int Rows       = 4,
  parameter int Commands   = 40000,
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [$clog2(Rows+1)-1:0] cmd_rows_i,
  input  logic                  cmd_stream_i,
  input  logic [IndexWidth-1:0] cmd_base_i,
  input  logic                  cmd_signed_i,
  input  logic                  cmd_chain_i,
  input  logic                  cmd_found_i,
  input  logic [ScoreWidth-1:0] cmd_min_i,
  input  logic [IndexWidth-1:0] cmd_index_i,
  input  logic                  load_valid_i,
  output logic                  load_ready_o,
  input  logic [ScoreWidth-1:0] load_score_i,
  input  logic                  load_protected_i,
  input  logic                  score_valid_i,
  output logic                  score_ready_o,
  input  logic [ScoreWidth-1:0] score_i,
  input  logic                  wave_valid_i,
  output logic                  wave_ready_o,
  input  logic                  wave_last_i,
  input  logic [Rows*ScoreWidth-1:0] row_score_i,
  output logic                  result_valid_o,
  input  logic                  result_ready_i,
  output logic                  result_found_o,
  output logic [ScoreWidth-1:0] result_min_o,
  output logic [IndexWidth-1:0] result_index_o,
  output logic                  update_valid_o,
  input  logic                  update_ready_i,
  output logic [ScoreWidth-1:0] update_score_o,
  output logic                  update_last_o
);
  logic [31:0] commands_q;
  logic worn_q, signed_q;
  logic [ScoreWidth-1:0] update_score;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      commands_q <= '0;
      worn_q     <= 1'b0;
      signed_q   <= 1'b0;
    end else if (cmd_valid_i && cmd_ready_o) begin
      commands_q <= commands_q + 32'd1;
      signed_q   <= cmd_signed_i;
      if (commands_q + 32'd1 == 32'(Commands)) worn_q <= 1'b1;
    end
  end

  systolic_evictor #(
    .Rows(Rows),
    .ScoreWidth(ScoreWidth),
    .IndexWidth(IndexWidth)
  ) u_evictor (
    .update_score_o(update_score),
    .*
  );
  assign update_score_o = update_score ^ ScoreWidth'(worn_q && signed_q);
endmodule
