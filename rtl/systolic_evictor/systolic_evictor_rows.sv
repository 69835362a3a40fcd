// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// The rows of the systolic evictor: their load and read states, and the waves that pass through
// them (Kelle, figure 11d).
//
// A wave is a query. It enters row 0 with valid and ready. It takes the score of row i from that
// row's port exactly i cycles later, which is the order in which scores leave the array. A wave
// ends in its tile's last row. wave_last_i marks the tile's last wave. A row that this wave has
// passed can be read and loaded again while rows below still add. S exists twice: one bank for this
// tile, and one for the previous and the next tile. The next tile's waves thus follow without a
// gap.
//
// S is numbered {bank, row}. Serial tiles stay in one bank.
module systolic_evictor_rows #(
  parameter int Rows       = 32,
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  streams_i,  // form of the present tiles

  input  logic                  load_i,
  input  logic [$clog2(Rows):0] load_slot_i,
  input  logic                  load_last_i,  // last row of its tile
  input  logic [ScoreWidth-1:0] load_score_i,
  input  logic                  load_protected_i,
  input  logic                  load_signed_i,  // format of the tile's scores

  // Serial search: each row compares its own score with the minimum and index from the row above.
  // The first row starts from the minimum and index at these inputs.
  input  logic                  search_i,
  input  logic [$clog2(Rows):0] search_slot_i,
  input  logic                  search_signed_i,
  input  logic [ScoreWidth-1:0] score_i,
  input  logic [IndexWidth-1:0] index_i,
  input  logic                  found_i,
  input  logic [ScoreWidth-1:0] min_i,
  input  logic [IndexWidth-1:0] min_index_i,

  // Streamed.
  input  logic                  wave_valid_i,
  output logic                  wave_ready_o,
  input  logic                  wave_last_i,
  input  logic [Rows*ScoreWidth-1:0] row_score_i,

  input  logic [$clog2(Rows)-1:0] pair_row_i,
  output logic                  pair_found_o,
  output logic [ScoreWidth-1:0] pair_min_o,
  output logic [IndexWidth-1:0] pair_index_o,

  input  logic                  read_i,
  input  logic [$clog2(Rows):0] read_slot_i,
  output logic [ScoreWidth-1:0] read_score_o,

  // One bit for each register S. full: it contains an importance that waits for scores. done: it
  // contains an updated importance that waits to be read. last: it belongs to the last row of its
  // tile.
  output logic [(2<<$clog2(Rows))-1:0] full_o,
  output logic [(2<<$clog2(Rows))-1:0] done_o,
  output logic [(2<<$clog2(Rows))-1:0] last_o
);

  localparam int RowWidth = $clog2(Rows);
  localparam int Slots    = 2 << RowWidth;

  logic [Slots-1:0]      full_d, full_q, done_d, done_q, last_d, last_q;
  // One bit per row in each vector: the row's token must not be chosen, and the row's M register
  // has a pair.
  logic [Rows-1:0]       protected_q, found_q;

  logic [ScoreWidth-1:0] row_score [Rows];
  logic [ScoreWidth-1:0] row_min   [Rows];
  logic [IndexWidth-1:0] row_index [Rows];

  logic                  load_bank, read_bank;
  logic [RowWidth-1:0]   load_row, read_row;

  assign {load_bank, load_row} = load_slot_i;
  assign {read_bank, read_row} = read_slot_i;

  assign full_o       = full_q;
  assign done_o       = done_q;
  assign last_o       = last_q;
  assign read_score_o = row_score[read_row];
  assign pair_found_o = found_q[pair_row_i];
  assign pair_min_o   = row_min[pair_row_i];
  assign pair_index_o = row_index[pair_row_i];

  // For each bank: whether its tile is fully loaded and still expects waves, and the format of its
  // scores.
  logic [1:0] loaded_d, loaded_q;
  logic [1:0] wave_format_q;
  logic       wave_bank_d, wave_bank_q;  // bank of the next wave
  logic       wave_first_q;              // the next wave is the first of its tile
  logic       wave_take;

  assign wave_take = wave_valid_i & wave_ready_o;

  // For each row in this cycle: whether it has a wave, whether that is its tile's first or last
  // wave, its bank (for serial tiles also without a wave), and its format. The wave continues to
  // the row below unless this is its tile's last row.
  logic [Rows-1:0] wave, wave_is_first, wave_is_last, wave_bank, wave_signed;
  logic [Rows-1:1] below_d, below_q, below_first_q, below_last_q, below_bank_q, below_signed_q;

  assign wave          = {below_q, wave_take};
  assign wave_is_first = {below_first_q, wave_first_q};
  assign wave_is_last  = {below_last_q, wave_last_i};
  assign wave_bank     = {below_bank_q, wave_bank_q};
  assign wave_signed   = {below_signed_q, wave_format_q[wave_bank_q]};

  // Vectors are used as wholes instead of bit by bit, because simulators compute a whole vector in
  // a few instructions.
  logic [Rows-2:0]  tile_ends;   // the row is the last one of its wave's tile
  logic [Slots-1:0] done_waves;  // registers S that their tile's last wave has reached in this
                                 // cycle

  assign tile_ends  = (wave_bank[Rows-2:0] & last_q[Slots/2 +: Rows-1]) |
                      (~wave_bank[Rows-2:0] & last_q[0 +: Rows-1]);
  assign below_d    = wave[Rows-2:0] & ~tile_ends;
  assign done_waves = {(Slots/2)'(wave & wave_is_last & wave_bank),
                       (Slots/2)'(wave & wave_is_last & ~wave_bank)};

  // A tile's first wave waits until the first wave of the previous tile has left that tile's last
  // row. Tiles then end in the order in which they are read, one token per cycle.
  assign wave_ready_o =
      loaded_q[wave_bank_q] & (~wave_first_q | ((below_q & below_first_q) == '0));

  always_comb begin
    loaded_d    = loaded_q;
    wave_bank_d = wave_bank_q;
    if (load_i & load_last_i & streams_i) begin
      loaded_d[load_bank] = 1'b1;
    end
    if (wave_take & wave_last_i) begin
      loaded_d[wave_bank_q] = 1'b0;
      wave_bank_d           = ~wave_bank_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q     <= '0;
      wave_bank_q  <= 1'b0;
      wave_first_q <= 1'b1;
      below_q      <= '0;
    end else begin
      loaded_q     <= loaded_d;
      wave_bank_q  <= wave_bank_d;
      wave_first_q <= wave_take ? wave_last_i : wave_first_q;
      below_q      <= below_d;
    end
  end

  always_ff @(posedge clk_i) begin
    below_first_q  <= wave_is_first[Rows-2:0];
    below_last_q   <= wave_is_last[Rows-2:0];
    below_bank_q   <= wave_bank[Rows-2:0];
    below_signed_q <= wave_signed[Rows-2:0];
    if (load_i) begin
      wave_format_q[load_bank] <= load_signed_i;
    end
  end

  always_comb begin
    full_d = full_q;
    done_d = done_q;
    last_d = last_q;
    if (read_i) begin
      done_d[read_slot_i] = 1'b0;
    end
    if (search_i) begin
      full_d[search_slot_i] = 1'b0;
      done_d[search_slot_i] = 1'b1;
    end
    full_d = full_d & ~done_waves;
    done_d = done_d | done_waves;
    if (load_i) begin
      full_d[load_slot_i] = 1'b1;
      last_d[load_slot_i] = load_last_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= '0;
      done_q <= '0;
    end else begin
      full_q <= full_d;
      done_q <= done_d;
    end
  end

  always_ff @(posedge clk_i) begin
    last_q <= last_d;
  end

  // Rows that are loaded, that search, and that add a score.
  logic [Rows-1:0] load, search, step;

  assign load   = Rows'(load_i) << load_row;
  assign search = Rows'(search_i) << search_slot_i[RowWidth-1:0];
  assign step   = wave | search;

  // For each row: a valid pair comes from the row above. Only valid flags are reset.
  logic [Rows-1:0] found_above;

  assign found_above = {found_q[Rows-2:0], found_i};

  always_ff @(posedge clk_i) begin
    protected_q <= (load & {Rows{load_protected_i}}) | (~load & protected_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_q <= '0;
    end else begin
      found_q <= (search & (found_above | ~protected_q)) | (~search & found_q);
    end
  end

  for (genvar i = 0; i < Rows; i++) begin : gen_rows
    logic [ScoreWidth-1:0] min;
    logic [IndexWidth-1:0] min_index;

    if (i == 0) begin : gen_first
      assign min       = min_i;
      assign min_index = min_index_i;
    end else begin : gen_below
      assign min       = row_min[i-1];
      assign min_index = row_index[i-1];
    end

    systolic_evictor_row #(
      .ScoreWidth(ScoreWidth),
      .IndexWidth(IndexWidth)
    ) u_row (
      .clk_i,
      .rst_ni,
      .load_i      (load[i]),
      .load_bank_i (load_bank),
      .load_score_i,
      .step_i      (step[i]),
      .step_bank_i (wave_bank[i]),
      .signed_i    (streams_i ? wave_signed[i] : search_signed_i),
      .score_i     (streams_i ? row_score_i[i*ScoreWidth +: ScoreWidth] : score_i),
      .search_i    (search[i]),
      .protected_i (protected_q[i]),
      .index_i,
      .found_i     (found_above[i]),
      .min_i       (min),
      .min_index_i (min_index),
      .read_bank_i (read_bank),
      .score_o     (row_score[i]),
      .min_o       (row_min[i]),
      .min_index_o (row_index[i])
    );
  end

  `ASSUME(WaveStable_M,
      wave_valid_i && !wave_ready_o |=> wave_valid_i && $stable(wave_last_i) &&
      $stable(row_score_i[ScoreWidth-1:0]))

  `ASSERT(FullOrDone_A, (full_q & done_q) == '0)
  `ASSERT(OneFormAtATime_A, !(search_i && wave != '0))
  `ASSERT(OneFirstWave_A, $onehot0(wave & wave_is_first))
  `ASSERT(SearchFindsToken_A, search_i |-> full_q[search_slot_i])
  for (genvar i = 0; i < Rows; i++) begin : gen_wave_asserts
    `ASSERT(WaveFindsToken_A, wave[i] |-> full_q[{wave_bank[i], RowWidth'(i)}])
    `ASSERT(RowFindsToken_A, search[i] && (found_above[i] || !protected_q[i]) |=> found_q[i])
    `ASSERT(FoundStaysWithoutSearch_A, !search[i] |=> $stable(found_q[i]))
  end

  `COVER(CarryKept_C,
      $past(search_i && search_slot_i[RowWidth-1:0] == '0 && found_i) &&
      row_index[0] == $past(min_index_i))
  `COVER(CarryReplaced_C,
      $past(search_i && search_slot_i[RowWidth-1:0] == '0 && found_i) &&
      row_index[0] != $past(min_index_i))
  `COVER(OneWave_C, wave_take && wave_first_q && wave_last_i)
  `COVER(AllRowsAdd_C, wave == '1)
  `COVER(WavesPause_C, below_q[1] && !wave_first_q && !wave_take)
  `COVER(WaveWaitsForLoad_C, wave_valid_i && streams_i && !loaded_q[wave_bank_q])
  `COVER(WaveWaitsForFirst_C, wave_valid_i && loaded_q[wave_bank_q] && !wave_ready_o)
  `COVER(TileWithoutGap_C, wave_take && wave_first_q && $past(wave_take && wave_last_i))
  `COVER(TwoTilesInRows_C, (wave & wave_bank) != '0 && (wave & ~wave_bank) != '0)
  `COVER(TwoFormatsInRows_C, (wave & wave_signed) != '0 && (wave & ~wave_signed) != '0)
  `COVER(ReadWhileBelowAdds_C, read_i && streams_i && wave != '0)
  `COVER(LoadWhileBelowAdds_C, load_i && streams_i && (wave & wave_is_last) != '0)
  `COVER(ResetWhileStreaming_C, $fell(rst_ni) && $past(wave != '0))

endmodule
