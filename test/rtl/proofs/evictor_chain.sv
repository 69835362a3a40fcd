// SPDX-License-Identifier: Apache-2.0
// The second description of the evictor's serial tiles. It stores everything that the channels have
// taken, and computes the expected results from the first command on: sums in integers, and the
// first token among those with the smallest sum.
module evictor_chain_proof #(
  parameter int Rows       = 3,
  parameter int ScoreWidth = 2,
  parameter int IndexWidth = 3
) (
  input logic                  clk_i,
  input logic                  cmd_valid_i,
  input logic [1:0]            cmd_rows_i,
  input logic [IndexWidth-1:0] cmd_base_i,
  input logic                  cmd_signed_i,
  input logic                  cmd_chain_i,
  input logic                  cmd_found_i,
  input logic [ScoreWidth-1:0] cmd_min_i,
  input logic [IndexWidth-1:0] cmd_index_i,
  input logic                  load_valid_i,
  input logic [ScoreWidth-1:0] load_score_i,
  input logic                  load_protected_i,
  input logic                  score_valid_i,
  input logic [ScoreWidth-1:0] score_i,
  input logic                  result_ready_i,
  input logic                  update_ready_i
);

  localparam int Tiles  = 2;
  localparam int Tokens = Rows * Tiles;

  logic                  started = 1'b0;  // set after the reset
  logic                  cmd_ready, load_ready, score_ready, wave_ready;
  logic                  result_valid, result_found, update_valid, update_last;
  logic [ScoreWidth-1:0] result_min, update_score;
  logic [IndexWidth-1:0] result_index;

  systolic_evictor #(
    .Rows      (Rows),
    .ScoreWidth(ScoreWidth),
    .IndexWidth(IndexWidth)
  ) u_dut (
    .clk_i,
    .rst_ni        (started),
    .cmd_valid_i,
    .cmd_ready_o   (cmd_ready),
    .cmd_rows_i,
    .cmd_stream_i  (1'b0),
    .cmd_base_i,
    .cmd_signed_i,
    .cmd_chain_i,
    .cmd_found_i,
    .cmd_min_i,
    .cmd_index_i,
    .load_valid_i,
    .load_ready_o  (load_ready),
    .load_score_i,
    .load_protected_i,
    .score_valid_i,
    .score_ready_o (score_ready),
    .score_i,
    .wave_valid_i  (1'b0),
    .wave_ready_o  (wave_ready),
    .wave_last_i   (1'b0),
    .row_score_i   ('0),
    .result_valid_o(result_valid),
    .result_ready_i,
    .result_found_o(result_found),
    .result_min_o  (result_min),
    .result_index_o(result_index),
    .update_valid_o(update_valid),
    .update_ready_i,
    .update_score_o(update_score),
    .update_last_o (update_last)
  );

  // --- Inputs taken since the reset ---

  // For each channel that takes one word per row: complete tiles, and rows of the current tile.
  logic [1:0] commands = '0;
  logic [1:0] results = '0;
  logic [1:0] load_tile = '0;
  logic [1:0] load_row = '0;
  logic [1:0] score_tile = '0;
  logic [1:0] score_row = '0;
  logic [1:0] update_tile = '0;
  logic [1:0] update_row = '0;

  logic [1:0]            rows[Tiles];
  logic [Tiles-1:0]      signs, chains, has_carry;
  logic [IndexWidth-1:0] base[Tiles], carry_index[Tiles];
  logic [ScoreWidth-1:0] carry[Tiles];
  logic [ScoreWidth-1:0] importance[Tokens], score[Tokens];
  logic [Tokens-1:0]     protected;

  function automatic is_last;
    input [1:0] tile;
    input [1:0] row;
    is_last = row + 2'd1 == (tile == 0 ? rows[0] : rows[1]);
  endfunction

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (started && cmd_valid_i && cmd_ready) begin
      commands <= commands + 2'd1;
    end
    if (started && load_valid_i && load_ready) begin
      load_tile <= load_tile + 2'(is_last(load_tile, load_row));
      load_row  <= is_last(load_tile, load_row) ? 2'd0 : load_row + 2'd1;
    end
    if (started && score_valid_i && score_ready) begin
      score_tile <= score_tile + 2'(is_last(score_tile, score_row));
      score_row  <= is_last(score_tile, score_row) ? 2'd0 : score_row + 2'd1;
    end
    if (started && result_valid && result_ready_i) begin
      results <= results + 2'd1;
    end
    if (started && update_valid && update_ready_i) begin
      update_tile <= update_tile + 2'(is_last(update_tile, update_row));
      update_row  <= is_last(update_tile, update_row) ? 2'd0 : update_row + 2'd1;
    end
    for (int t = 0; t < Tiles; t++) begin
      if (started && cmd_valid_i && cmd_ready && commands == t) begin
        rows[t]        <= cmd_rows_i;
        signs[t]       <= cmd_signed_i;
        chains[t]      <= cmd_chain_i;
        has_carry[t]   <= cmd_found_i;
        base[t]        <= cmd_base_i;
        carry[t]       <= cmd_min_i;
        carry_index[t] <= cmd_index_i;
      end
      for (int r = 0; r < Rows; r++) begin
        if (started && load_valid_i && load_ready && load_tile == t && load_row == r) begin
          importance[t*Rows+r] <= load_score_i;
          protected[t*Rows+r]  <= load_protected_i;
        end
        if (started && score_valid_i && score_ready && score_tile == t && score_row == r) begin
          score[t*Rows+r] <= score_i;
        end
      end
    end
  end

  // --- Derived values ---

  function automatic signed [ScoreWidth+1:0] value_of;
    input [ScoreWidth-1:0] bits;
    input                  is_signed;
    value_of = $signed({{2{is_signed & bits[ScoreWidth-1]}}, bits});
  endfunction

  logic signed [ScoreWidth+1:0] sum, best, least, greatest;
  logic [IndexWidth-1:0]        best_index;
  logic                         found;

  // Steps through all tiles in order, and compares the values at the channels on the way.
  always_comb begin
    found      = 1'b0;
    best       = '0;
    best_index = '0;
    sum        = '0;
    for (int t = 0; t < Tiles; t++) begin
      if (!chains[t]) begin
        found      = has_carry[t];
        best       = value_of(carry[t], signs[t]);
        best_index = carry_index[t];
      end
      least    = signs[t] ? -(1 << (ScoreWidth - 1)) : 0;
      greatest = signs[t] ? (1 << (ScoreWidth - 1)) - 1 : (1 << ScoreWidth) - 1;
      for (int r = 0; r < Rows; r++) begin
        sum = value_of(importance[t*Rows+r], signs[t]) + value_of(score[t*Rows+r], signs[t]);
        if (sum > greatest) begin
          sum = greatest;
        end else if (sum < least) begin
          sum = least;
        end
        if (started && update_valid && update_tile == t && update_row == r) begin
          assert (update_score == sum[ScoreWidth-1:0]);
          assert (update_last == (r + 1 == rows[t]));
        end
        // The first of equal sums wins.
        if (r < rows[t] && !protected[t*Rows+r] && (!found || sum < best)) begin
          found      = 1'b1;
          best       = sum;
          best_index = base[t] + IndexWidth'(r);
        end
      end
      if (started && result_valid && results == t) begin
        assert (result_found == found);
        assert (!found || result_min == best[ScoreWidth-1:0]);
        assert (!found || result_index == best_index);
      end
    end
  end

  // The driver must keep rows within the tile and limit the number of tiles. Chained tiles must have one format (a pair
  // has no format of its own) and follow another tile.
  always_comb begin
    if (cmd_valid_i) begin
      assume (cmd_rows_i >= 1 && cmd_rows_i <= Rows);
      assume (commands < Tiles);
      if (cmd_chain_i) begin
        assume (commands == 1 && cmd_signed_i == signs[0]);
      end
    end
  end

endmodule
