// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// An alternative to systolic_evictor with the same ports. Scores are added one per cycle. After the
// last score of a tile, a tree of comparators examines all rows at once. The values are the same as
// those of systolic_evictor. The result comes $clog2(Rows) cycles later, and a tile ends before the
// next one starts. A wave uses the only adder row by row, so the next wave enters only when the
// present wave has ended. The design demonstrates how co-simulation reports different timing.
module systolic_evictor_tree #(
  parameter int Rows       = 32,
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [$clog2(Rows+1)-1:0] cmd_rows_i,  // rows of the tile: 1 to Rows
  input  logic                  cmd_stream_i,
  input  logic [IndexWidth-1:0] cmd_base_i,    // index of the first row
  input  logic                  cmd_signed_i,  // scores: signed (Q8.8) or unsigned (Q2.14)
  input  logic                  cmd_chain_i,   // starts from the previous tile's pair; 0: from
  input  logic                  cmd_found_i,   // the pair below, which is valid if found
  input  logic [ScoreWidth-1:0] cmd_min_i,
  input  logic [IndexWidth-1:0] cmd_index_i,

  input  logic                  load_valid_i,
  output logic                  load_ready_o,
  input  logic [ScoreWidth-1:0] load_score_i,
  input  logic                  load_protected_i,  // the token must not be chosen

  input  logic                  score_valid_i,
  output logic                  score_ready_o,
  input  logic [ScoreWidth-1:0] score_i,

  input  logic                  wave_valid_i,
  output logic                  wave_ready_o,
  input  logic                  wave_last_i,   // last wave of its tile
  input  logic [Rows*ScoreWidth-1:0] row_score_i,  // score of row i, of the wave taken i cycles ago

  output logic                  result_valid_o,
  input  logic                  result_ready_i,
  output logic                  result_found_o,  // at least one token is not protected
  output logic [ScoreWidth-1:0] result_min_o,
  output logic [IndexWidth-1:0] result_index_o,

  output logic                  update_valid_o,
  input  logic                  update_ready_i,
  output logic [ScoreWidth-1:0] update_score_o,
  output logic                  update_last_o    // last row of its tile
);

  `ASSERT_INIT(Rows_A, Rows >= 2 && (Rows & (Rows - 1)) == 0)
  `ASSERT_INIT(ScoreWidth_A, ScoreWidth >= 2)
  `ASSERT_INIT(IndexWidth_A, IndexWidth >= $clog2(Rows))

  localparam int CountWidth = $clog2(Rows + 1);
  localparam int RowWidth   = $clog2(Rows);
  localparam int Nodes      = 2 * Rows - 1;

  // Phases of the tile, one after another. Scores may follow loads immediately.
  logic                  busy_d, busy_q;        // from the command to the last update and result
  logic                  result_d, result_q;    // the result waits to be taken
  logic [CountWidth-1:0] rows_q;
  logic                  stream_q, signed_q, carry_found_q;
  logic [ScoreWidth-1:0] carry_min_q;
  logic [IndexWidth-1:0] base_q, carry_index_q;
  logic [CountWidth-1:0] load_d, load_q, score_d, score_q, read_d, read_q;
  logic [RowWidth:0]     climb_d, climb_q;      // remaining levels of the tree

  logic                  last_wave_d, last_wave_q;  // streamed: last-wave flag of the wave in the
                                                    // rows, or of the previous wave
  logic                  in_rows;                   // a wave is in the rows

  logic [ScoreWidth-1:0] sum_q [Rows];
  logic [Rows-1:0]       protected_q;

  logic cmd_take, load_take, score_take, wave_take, result_take, update_take;
  assign cmd_take    = cmd_valid_i & cmd_ready_o;
  assign load_take   = load_valid_i & load_ready_o;
  assign score_take  = score_valid_i & score_ready_o;
  assign wave_take   = wave_valid_i & wave_ready_o;
  assign result_take = result_valid_o & result_ready_i;
  assign update_take = update_valid_o & update_ready_i;

  assign cmd_ready_o    = ~busy_q;
  assign load_ready_o   = busy_q & (load_q != rows_q);
  assign score_ready_o  = busy_q & ~stream_q & (score_q != load_q);
  assign in_rows        = stream_q & (score_q != '0) & (score_q != rows_q);
  assign wave_ready_o   = busy_q & stream_q & (load_q == rows_q) & ~in_rows & ~last_wave_q;
  assign update_valid_o = busy_q & (~stream_q | last_wave_q) & (read_q != score_q);
  assign update_score_o = sum_q[read_q[RowWidth-1:0]];
  assign update_last_o  = read_q + CountWidth'(1) == rows_q;
  assign result_valid_o = result_q & (score_q == rows_q) & (climb_q == '0);

  always_comb begin
    busy_d      = busy_q;
    result_d    = result_q;
    load_d      = load_q;
    score_d     = score_q;
    read_d      = read_q;
    climb_d     = climb_q;
    last_wave_d = last_wave_q;
    if (load_take) begin
      load_d      = load_q + CountWidth'(1);
    end
    if (score_take) begin
      score_d     = score_q + CountWidth'(1);
      climb_d     = (RowWidth + 1)'(RowWidth);
    end else if (climb_q != '0) begin
      climb_d     = climb_q - (RowWidth + 1)'(1);
    end
    if (in_rows) begin
      score_d     = score_q + CountWidth'(1);
    end
    if (wave_take) begin
      score_d     = CountWidth'(1);
      last_wave_d = wave_last_i;
    end
    if (update_take) begin
      read_d      = read_q + CountWidth'(1);
    end
    if (result_take) begin
      result_d    = 1'b0;
    end
    if (busy_q & ~result_d & (read_d == rows_q)) begin
      busy_d      = 1'b0;
    end
    if (cmd_take) begin
      busy_d      = 1'b1;
      result_d    = ~cmd_stream_i;
      load_d      = '0;
      score_d     = '0;
      read_d      = '0;
      last_wave_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      result_q    <= 1'b0;
      load_q      <= '0;
      score_q     <= '0;
      read_q      <= '0;
      climb_q     <= '0;
      last_wave_q <= 1'b0;
    end else begin
      busy_q      <= busy_d;
      result_q    <= result_d;
      load_q      <= load_d;
      score_q     <= score_d;
      read_q      <= read_d;
      climb_q     <= climb_d;
      last_wave_q <= last_wave_d;
    end
  end

  // The pair with which the next tile may continue.
  logic                  pair_found_q;
  logic [ScoreWidth-1:0] pair_min_q;
  logic [IndexWidth-1:0] pair_index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pair_found_q <= 1'b0;
    end else if (result_take) begin
      pair_found_q <= result_found_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (result_take) begin
      pair_min_q   <= result_min_o;
      pair_index_q <= result_index_o;
    end
    if (cmd_take) begin
      rows_q        <= cmd_rows_i;
      base_q        <= cmd_base_i;
      stream_q      <= cmd_stream_i;
      signed_q      <= cmd_signed_i;
      carry_found_q <= cmd_chain_i ? pair_found_q : cmd_found_i;
      carry_min_q   <= cmd_chain_i ? pair_min_q : cmd_min_i;
      carry_index_q <= cmd_chain_i ? pair_index_q : cmd_index_i;
    end
  end

  // One adder for all rows. A wave enters with its score of row 0.
  logic [RowWidth-1:0]   add_row;
  logic [ScoreWidth-1:0] old, score, updated;
  logic [ScoreWidth:0]   sum;

  assign add_row = wave_take ? '0 : score_q[RowWidth-1:0];
  assign old     = sum_q[add_row];
  assign score   = stream_q ? row_score_i[add_row*ScoreWidth +: ScoreWidth] : score_i;
  assign sum     = {signed_q & old[ScoreWidth-1], old} + {signed_q & score[ScoreWidth-1], score};

  always_comb begin
    updated = sum[ScoreWidth-1:0];
    if (signed_q & (sum[ScoreWidth] ^ sum[ScoreWidth-1])) begin
      updated = {sum[ScoreWidth], {(ScoreWidth - 1){~sum[ScoreWidth]}}};
    end else if (~signed_q & sum[ScoreWidth]) begin
      updated = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_take) begin
      sum_q[load_q[RowWidth-1:0]]       <= load_score_i;
      protected_q[load_q[RowWidth-1:0]] <= load_protected_i;
    end
    if (score_take | wave_take | in_rows) begin
      sum_q[add_row] <= updated;
    end
  end

  // The tree: node 0 is the root, nodes 2n + 1 and 2n + 2 are below node n, and the leaves are the
  // rows in order. Of equal importances, the left node's, which belongs to the upper row, is kept.
  // Sign bits are inverted at the tree's inputs and outputs.
  logic [Nodes-1:0]      found;
  logic [ScoreWidth-1:0] key [Nodes];
  logic [RowWidth-1:0]   row [Nodes];

  for (genvar i = 0; i < Rows; i++) begin : gen_leaves
    assign found[Rows-1+i] = (CountWidth'(i) < rows_q) & ~protected_q[i];
    assign key[Rows-1+i]   = {sum_q[i][ScoreWidth-1] ^ signed_q, sum_q[i][ScoreWidth-2:0]};
    assign row[Rows-1+i]   = RowWidth'(i);
  end

  for (genvar n = 0; n < Rows - 1; n++) begin : gen_nodes
    logic                  right, found_q;
    logic [ScoreWidth-1:0] key_q;
    logic [RowWidth-1:0]   row_q;

    assign right = found[2*n+2] & (~found[2*n+1] | (key[2*n+2] < key[2*n+1]));

    always_ff @(posedge clk_i) begin
      found_q <= found[2*n+1] | found[2*n+2];
      key_q   <= right ? key[2*n+2] : key[2*n+1];
      row_q   <= right ? row[2*n+2] : row[2*n+1];
    end

    assign found[n] = found_q;
    assign key[n]   = key_q;
    assign row[n]   = row_q;
  end

  logic [ScoreWidth-1:0] carry_key;
  logic                  take;

  assign carry_key      = {carry_min_q[ScoreWidth-1] ^ signed_q, carry_min_q[ScoreWidth-2:0]};
  assign take           = found[0] & (~carry_found_q | (key[0] < carry_key));
  assign result_found_o = found[0] | carry_found_q;
  assign result_min_o   =
      take ? {key[0][ScoreWidth-1] ^ signed_q, key[0][ScoreWidth-2:0]} : carry_min_q;
  assign result_index_o = take ? base_q + IndexWidth'(row[0]) : carry_index_q;

  `COVER(Chained_C, cmd_take && cmd_chain_i)
  `COVER(Streamed_C, cmd_take && cmd_stream_i)
  `COVER(FullTile_C, cmd_take && cmd_rows_i == CountWidth'(Rows))
  `COVER(ScoreBeforeLastLoad_C, score_take && load_q != rows_q)
  `COVER(SaturatesSigned_C, score_take && signed_q && (sum[ScoreWidth] ^ sum[ScoreWidth-1]))
  `COVER(SaturatesUnsigned_C, score_take && !signed_q && sum[ScoreWidth])
  `COVER(WavesInTurn_C, wave_take && !wave_last_i)
  `COVER(UpdateWaits_C, update_valid_o && !update_ready_i)
  `COVER(ResultWaits_C, result_valid_o && !result_ready_i)
  `COVER(CarriedStays_C, result_take && carry_found_q && found[0] && !take)
  `COVER(NobodyLeaves_C, result_take && !result_found_o)

endmodule
