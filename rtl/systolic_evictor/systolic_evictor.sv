// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Systolic evictor (Kelle, section 5.3, figure 11c and d). It adds scores to the importance of the
// tokens in a tile and finds the least important one at the same time. A tile has as many tokens as
// the evictor has rows; longer rows of scores pass as several tiles. A tile consists of a command,
// its old importances (load), its scores, and its updated importances (update). The command selects
// one of two forms of scores:
//
// - Serial (decode: one query): one score per cycle, row after row, on a separate channel. The pair
//   (smallest importance, its index) moves down the rows with the scores and continues in the next
//   tile. The next tile loads into rows that have been read while this one runs, so full tiles take
//   a score every cycle. A score may arrive when its row is loaded. The result is valid in the
//   cycle after the tile's last score. It must be taken before the next tile's first score.
//
// - Streamed (prefill: many queries): a wave is one query. When a tile is loaded, one wave can
//   enter row 0 every cycle, and all rows add at the same time (systolic_evictor_rows.sv). There is
//   no result, because a prefill's victims are chosen only after its last query has been added.
//
// A command with the other form of scores begins when all earlier tiles have been read.
module systolic_evictor #(
  parameter int Rows       = 32,
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [$clog2(Rows+1)-1:0] cmd_rows_i,  // rows of the tile: 1 to Rows
  input  logic                  cmd_stream_i,  // streamed: only the format below is used
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

  `ASSERT_INIT(Rows_A, Rows >= 3)
  `ASSERT_INIT(ScoreWidth_A, ScoreWidth >= 2)
  `ASSERT_INIT(IndexWidth_A, IndexWidth >= 1)

  localparam int CountWidth = $clog2(Rows + 1);
  localparam int RowWidth   = $clog2(Rows);

  // State of each register S, numbered {bank, row}: systolic_evictor_rows.sv.
  logic [(2<<RowWidth)-1:0] full, done, last;

  logic cmd_take, load_take, score_take, result_take, update_take;
  assign cmd_take    = cmd_valid_i & cmd_ready_o;
  assign load_take   = load_valid_i & load_ready_o;
  assign score_take  = score_valid_i & score_ready_o;
  assign result_take = result_valid_o & result_ready_i;
  assign update_take = update_valid_o & update_ready_i;

  // --- Command ---

  // A command waits here for the load stage and the score stage. Each stage takes the command when
  // it has finished the previous tile. A streamed command does not use the score stage.
  logic                  load_waits_d, load_waits_q;
  logic                  score_waits_d, score_waits_q;
  logic [CountWidth-1:0] rows_q;
  logic [IndexWidth-1:0] base_q;
  logic                  stream_q, signed_q, chain_q, found_q;
  logic [ScoreWidth-1:0] min_q;
  logic [IndexWidth-1:0] min_index_q;
  logic                  load_start, score_start;

  assign cmd_ready_o = ~load_waits_q & ~score_waits_q;

  always_comb begin
    load_waits_d  = load_waits_q;
    score_waits_d = score_waits_q;
    if (load_start) begin
      load_waits_d = 1'b0;
    end
    if (score_start) begin
      score_waits_d = 1'b0;
    end
    if (cmd_take) begin
      load_waits_d  = 1'b1;
      score_waits_d = ~cmd_stream_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_waits_q  <= 1'b0;
      score_waits_q <= 1'b0;
    end else begin
      load_waits_q  <= load_waits_d;
      score_waits_q <= score_waits_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_take) begin
      rows_q      <= cmd_rows_i;
      stream_q    <= cmd_stream_i;
      base_q      <= cmd_base_i;
      signed_q    <= cmd_signed_i;
      chain_q     <= cmd_chain_i;
      found_q     <= cmd_found_i;
      min_q       <= cmd_min_i;
      min_index_q <= cmd_index_i;
    end
  end

  // --- Form of scores ---

  // Form of the tiles in the rows; undefined if there are none. When it changes, both banks are
  // empty.
  logic streams_q, can_start, loading_d, loading_q;

  assign can_start = (stream_q == streams_q) | (~loading_q & (full == '0) & (done == '0));

  always_ff @(posedge clk_i) begin
    if (load_start) begin
      streams_q <= stream_q;
    end
  end

  // --- Load ---

  logic                  load_bank_d, load_bank_q, read_bank_d, read_bank_q;
  logic [RowWidth-1:0]   load_row_d, load_row_q;
  logic [CountWidth-1:0] load_rows_q;
  logic                  load_signed_q;
  logic                  load_last;
  logic [RowWidth:0]     load_slot, read_slot;
  logic                  load_reads;  // streamed: reads the row being loaded

  assign load_slot    = {load_bank_q, load_row_q};
  assign load_reads   = streams_q & update_take & (read_slot == load_slot);
  assign load_ready_o = loading_q & ~full[load_slot] & (~done[load_slot] | load_reads);
  assign load_last    = CountWidth'(load_row_q) + CountWidth'(1) == load_rows_q;
  assign load_start   = load_waits_q & can_start & (~loading_q | (load_take & load_last));

  always_comb begin
    loading_d   = loading_q;
    load_bank_d = load_bank_q;
    load_row_d  = load_row_q;
    if (load_take) begin
      load_bank_d = load_bank_q ^ (load_last & streams_q);
      load_row_d  = load_last ? '0 : load_row_q + RowWidth'(1);
      loading_d   = ~load_last;
    end
    if (load_start) begin
      loading_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loading_q   <= 1'b0;
      load_bank_q <= 1'b0;
      load_row_q  <= '0;
    end else begin
      loading_q   <= loading_d;
      load_bank_q <= load_bank_d;
      load_row_q  <= load_row_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_start) begin
      load_rows_q   <= rows_q;
      load_signed_q <= signed_q;
    end
  end

  // --- Score ---

  logic                  scoring_d, scoring_q;
  logic [RowWidth:0]     score_slot;
  logic [RowWidth-1:0]   score_row_d, score_row_q;
  logic [IndexWidth-1:0] score_index_d, score_index_q;
  logic                  score_signed_q, score_chain_q, score_found_q;
  logic [ScoreWidth-1:0] score_min_q;
  logic [IndexWidth-1:0] score_min_index_q;
  logic                  score_last;

  assign score_slot    = {read_bank_q, score_row_q};
  assign score_last    = last[score_slot];
  assign score_ready_o = scoring_q & full[score_slot] & (~result_valid_o | result_ready_i);
  assign score_start   = score_waits_q & can_start & (~scoring_q | (score_take & score_last));

  always_comb begin
    scoring_d     = scoring_q;
    score_row_d   = score_row_q;
    score_index_d = score_index_q;
    if (score_take) begin
      score_row_d   = score_last ? '0 : score_row_q + RowWidth'(1);
      score_index_d = score_index_q + IndexWidth'(1);
      scoring_d     = ~score_last;
    end
    if (score_start) begin
      scoring_d     = 1'b1;
      score_index_d = base_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scoring_q   <= 1'b0;
      score_row_q <= '0;
    end else begin
      scoring_q   <= scoring_d;
      score_row_q <= score_row_d;
    end
  end

  always_ff @(posedge clk_i) begin
    score_index_q <= score_index_d;
    if (score_start) begin
      score_signed_q    <= signed_q;
      score_chain_q     <= chain_q;
      score_found_q     <= found_q;
      score_min_q       <= min_q;
      score_min_index_q <= min_index_q;
    end
  end

  // --- Result ---

  // The pair stays in the M register of the tile's last row, because no score is accepted while it
  // waits.
  logic                result_valid_d, result_valid_q;
  logic [RowWidth-1:0] result_row_d, result_row_q;

  always_comb begin
    result_valid_d = result_valid_q;
    result_row_d   = result_row_q;
    if (result_take) begin
      result_valid_d = 1'b0;
    end
    if (score_take & score_last) begin
      result_valid_d = 1'b1;
      result_row_d   = score_row_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= 1'b0;
      result_row_q   <= '0;
    end else begin
      result_valid_q <= result_valid_d;
      result_row_q   <= result_row_d;
    end
  end

  assign result_valid_o = result_valid_q;

  // --- Update ---

  logic [RowWidth-1:0] read_row_d, read_row_q;

  assign read_slot      = {read_bank_q, read_row_q};
  assign update_valid_o = done[read_slot];
  assign update_last_o  = last[read_slot];

  always_comb begin
    read_bank_d = read_bank_q;
    read_row_d  = read_row_q;
    if (update_take) begin
      read_bank_d = read_bank_q ^ (update_last_o & streams_q);
      read_row_d  = update_last_o ? '0 : read_row_q + RowWidth'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_bank_q <= 1'b0;
      read_row_q  <= '0;
    end else begin
      read_bank_q <= read_bank_d;
      read_row_q  <= read_row_d;
    end
  end

  systolic_evictor_rows #(
    .Rows      (Rows),
    .ScoreWidth(ScoreWidth),
    .IndexWidth(IndexWidth)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .streams_i       (streams_q),
    .load_i          (load_take),
    .load_slot_i     (load_slot),
    .load_last_i     (load_last),
    .load_score_i,
    .load_protected_i,
    .load_signed_i   (load_signed_q),
    .search_i        (score_take),
    .search_slot_i   (score_slot),
    .search_signed_i (score_signed_q),
    .score_i,
    .index_i         (score_index_q),
    .found_i         (score_chain_q ? result_found_o : score_found_q),
    .min_i           (score_chain_q ? result_min_o : score_min_q),
    .min_index_i     (score_chain_q ? result_index_o : score_min_index_q),
    .wave_valid_i,
    .wave_ready_o,
    .wave_last_i,
    .row_score_i,
    .pair_row_i      (result_row_q),
    .pair_found_o    (result_found_o),
    .pair_min_o      (result_min_o),
    .pair_index_o    (result_index_o),
    .read_i          (update_take),
    .read_slot_i     (read_slot),
    .read_score_o    (update_score_o),
    .full_o          (full),
    .done_o          (done),
    .last_o          (last)
  );

  // The driver must hold its inputs until they are taken.
  `ASSUME(CmdStable_M,
      cmd_valid_i && !cmd_ready_o |=> cmd_valid_i && $stable(cmd_rows_i) && $stable(cmd_base_i))
  `ASSUME(CmdRowsInRange_M,
      cmd_valid_i |-> cmd_rows_i >= CountWidth'(1) && cmd_rows_i <= CountWidth'(Rows))
  `ASSUME(LoadStable_M, load_valid_i && !load_ready_o |=> load_valid_i && $stable(load_score_i))
  `ASSUME(ScoreStable_M, score_valid_i && !score_ready_o |=> score_valid_i && $stable(score_i))

  // This block holds its outputs until they are taken.
  `ASSERT(ResultStable_A,
      result_valid_o && !result_ready_i |=> result_valid_o && $stable(result_found_o) &&
      $stable(result_min_o) && $stable(result_index_o))
  `ASSERT(UpdateStable_A,
      update_valid_o && !update_ready_i |=> update_valid_o && $stable(update_score_o) &&
      $stable(update_last_o))
  `ASSERT(FormChangesInOneBank_A,
      load_start && stream_q != streams_q |-> load_bank_q == read_bank_q)
  `ASSERT(ResultAfterLastScore_A, score_take && score_last |=> result_valid_o)

  `COVER(FullTile_C, cmd_take && cmd_rows_i == CountWidth'(Rows))
  `COVER(RaggedTile_C, cmd_take && cmd_rows_i < CountWidth'(Rows))
  `COVER(OneRow_C, cmd_take && cmd_rows_i == CountWidth'(1))
  `COVER(CarryGiven_C, cmd_take && !cmd_chain_i && cmd_found_i)
  `COVER(NoCarry_C, cmd_take && !cmd_chain_i && !cmd_found_i)
  `COVER(ChainWithPair_C, score_take && score_chain_q && score_row_q == '0 && result_found_o)
  `COVER(ChainWithoutPair_C, score_take && score_chain_q && score_row_q == '0 && !result_found_o)
  `COVER(NoneFound_C, result_take && !result_found_o)
  `COVER(Found_C, result_take && result_found_o)
  `COVER(CmdWaits_C, cmd_valid_i && !cmd_ready_o)
  `COVER(LoadWaitsForScore_C, load_valid_i && loading_q && !streams_q && full[load_slot])
  `COVER(LoadWaitsForRead_C, load_valid_i && loading_q && !streams_q && done[load_slot])
  `COVER(ScoreWaitsForLoad_C, score_valid_i && scoring_q && !full[score_slot])
  `COVER(ScoreWaitsForResult_C, score_valid_i && scoring_q && result_valid_o && !result_ready_i)
  `COVER(ResultWaits_C, result_valid_o && !result_ready_i)
  `COVER(UpdateWaits_C, update_valid_o && !update_ready_i)
  `COVER(LoadsAhead_C, load_take && score_take && load_row_q < score_row_q)
  `COVER(BackToBack_C, score_take && score_row_q == '0 && result_take)
  `COVER(FormatSwitch_C, score_start && scoring_q && signed_q != score_signed_q)
  `COVER(AllChannels_C, cmd_take && load_take && score_take && update_take)
  `COVER(RaggedStream_C, cmd_take && cmd_stream_i && cmd_rows_i < CountWidth'(Rows))
  `COVER(OneRowStream_C, cmd_take && cmd_stream_i && cmd_rows_i == CountWidth'(1))
  `COVER(StreamLoadWaitsForWaves_C, load_valid_i && loading_q && streams_q && full[load_slot])
  `COVER(StreamLoadWaitsForRead_C, load_valid_i && streams_q && done[load_slot] && !load_ready_o)
  `COVER(LoadedWhileRead_C, load_take && load_reads)
  `COVER(StreamWaitsForSerial_C, load_waits_q && stream_q && !can_start)
  `COVER(SerialWaitsForStream_C, load_waits_q && !stream_q && !can_start)
  `COVER(ChainOverStream_C, score_take && score_chain_q && $past(streams_q, 4))
  `COVER(ResetWhileBusy_C, $fell(rst_ni) && $past(scoring_q))

endmodule
