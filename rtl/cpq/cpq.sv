// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Pruning unit and quantisation unit with hierarchical extension (Titanus, section IV). A group has
// one value for each lane. Each value comes with its channel's entry in the scale-zero buffer. The
// result of a group is the data to store and the new entries. One group is processed at a time:
//
// - RANGE widens the channels' ranges to include the values that pruning keeps. 2 cycles.
// - OPEN makes level 0 of each channel that has a range, one channel after another. 2 cycles, plus
//   36 per level.
// - QUANTISE makes a level for each value outside its channel's last level, and then computes all
//   codes. 5 cycles, plus 36 per level.
//
// Settings must be constant from a group's first cycle to its last.
module cpq #(
  parameter int Lanes = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [3:0]           bits_i,        // bits of a code: 1 to 8
  input  logic [6:0]           max_levels_i,  // levels of a channel: 1 to 64
  input  logic [30:0]          threshold_i,   // FP32 without its sign
  input  logic [30:0]          tolerance_i,   // tolerance, also FP32 without its sign

  input  logic                 group_valid_i,
  output logic                 group_ready_o,
  input  logic [1:0]           group_kind_i,  // 0 RANGE, 1 OPEN, 2 QUANTISE
  input  logic [Lanes*32-1:0]  group_values_i,
  input  logic [Lanes*186-1:0] group_entries_i,

  output logic                     level_valid_o,  // a level for the scale-zero buffer, which
                                                   // always accepts it
  output logic [$clog2(Lanes)-1:0] level_lane_o,
  output logic [5:0]               level_label_o,
  output logic [31:0]              level_step_o,
  output logic [17:0]              level_zero_o,

  output logic                 result_valid_o,
  input  logic                 result_ready_i,
  output logic [Lanes-1:0]     result_survives_o,
  output logic [Lanes-1:0]     result_stored_o,   // valid in QUANTISE
  output logic [Lanes-1:0]     result_opened_o,
  output logic [Lanes-1:0]     result_clamped_o,  // valid in QUANTISE
  output logic [Lanes*8-1:0]   result_codes_o,    // valid in QUANTISE
  output logic [Lanes*6-1:0]   result_labels_o,   // valid in QUANTISE
  output logic [Lanes*186-1:0] result_entries_o
);

  `ASSERT_INIT(Lanes_A, Lanes >= 2)

  localparam int LaneWidth = $clog2(Lanes);

  localparam logic [1:0] Range    = 2'd0;
  localparam logic [1:0] Open     = 2'd1;
  localparam logic [1:0] Quantise = 2'd2;

  localparam logic [2:0] StIdle    = 3'd0;
  localparam logic [2:0] StExamine = 3'd1;
  localparam logic [2:0] StLevel   = 3'd2;
  localparam logic [2:0] StProduct = 3'd3;
  localparam logic [2:0] StRound   = 3'd4;
  localparam logic [2:0] StClamp   = 3'd5;
  localparam logic [2:0] StResult  = 3'd6;

  logic [2:0]       state_d, state_q;
  logic [1:0]       kind_q;
  logic [Lanes-1:0] needs, needs_d, needs_q, opened_q, clamped_q;
  logic [Lanes-1:0] survives, ranged, opens, clamped;
  logic             group_take, level_start, level_done;

  assign group_ready_o  = state_q == StIdle || (state_q == StResult && result_ready_i);
  assign result_valid_o = state_q == StResult;
  assign group_take     = group_valid_i && group_ready_o;

  // --- Levels: the lowest lane that needs a new level comes first ---

  logic [LaneWidth-1:0] lane;

  always_comb begin
    lane = '0;
    for (int i = Lanes - 1; i >= 0; i--) begin
      if (needs_q[i]) begin
        lane = LaneWidth'(i);
      end
    end
  end

  always_comb begin
    needs = '0;
    if (kind_q == Open) begin
      needs = ranged;
    end
    if (kind_q == Quantise) begin
      needs = opens;
    end
    needs_d = needs_q;
    if (state_q == StExamine) begin
      needs_d = needs;
    end
    if (level_done) begin
      needs_d[lane] = 1'b0;
    end
  end

  // The state that follows if no lane needs a level.
  logic [2:0] after_levels;
  assign after_levels = kind_q == Quantise ? StProduct : StResult;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StExamine: state_d = needs != '0 ? StLevel : after_levels;
      StLevel:   if (level_done && needs_d == '0) state_d = after_levels;
      StProduct: state_d = StRound;
      StRound:   state_d = StClamp;
      StClamp:   state_d = StResult;
      StResult:  if (result_ready_i) state_d = StIdle;
      default:   state_d = StIdle;
    endcase
    if (group_take) begin
      state_d = StExamine;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      state_q <= state_d;
    end
  end

  // A level's computation starts in the first cycle in which state StLevel handles a lane.
  logic begun_d, begun_q;
  assign level_start = state_q == StLevel && !begun_q;
  assign begun_d     = state_q == StLevel && !level_done;

  always_ff @(posedge clk_i) begin
    begun_q <= begun_d;  // 0 in the cycle after a state change
    needs_q <= needs_d;
    if (group_take) begin
      kind_q <= group_kind_i;
    end
    if (state_q == StExamine) begin
      opened_q  <= needs;
      clamped_q <= clamped;
    end
  end

  // --- Lanes ---

  logic [31:0]  mins [Lanes], maxs [Lanes];
  logic [5:0]   labels [Lanes];
  logic [177:0] made;
  logic [31:0]  made_min, made_max, made_low, made_high, made_step, made_reciprocal;
  logic [17:0]  made_zero;
  logic [5:0]   levels [Lanes];

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    cpq_lane u_lane (
      .clk_i,
      .bits_i,
      .max_levels_i,
      .threshold_i,
      .take_i     (group_take),
      .value_i    (group_values_i[i*32+:32]),
      .entry_i    (group_entries_i[i*186+:186]),
      .range_i    (state_q == StExamine && kind_q == Range),
      .level_i    (level_done && lane == LaneWidth'(i)),
      .made_i     (made),
      .survives_o (survives[i]),
      .ranged_o   (ranged[i]),
      .opens_o    (opens[i]),
      .clamped_o  (clamped[i]),
      .level_min_o(mins[i]),
      .level_max_o(maxs[i]),
      .stored_o   (result_stored_o[i]),
      .code_o     (result_codes_o[i*8+:8]),
      .label_o    (labels[i]),
      .entry_o    (result_entries_o[i*186+:186])
    );
    assign levels[i] = result_entries_o[i*186+179+:6];
    assign result_labels_o[i*6+:6] = labels[i];
  end

  cpq_level u_level (
    .clk_i,
    .rst_ni,
    .bits_i,
    .tolerance_i,
    .start_i     (level_start),
    .min_i       (mins[lane]),
    .max_i       (maxs[lane]),
    .done_o      (level_done),
    .min_o       (made_min),
    .max_o       (made_max),
    .low_o       (made_low),
    .high_o      (made_high),
    .step_o      (made_step),
    .reciprocal_o(made_reciprocal),
    .zero_o      (made_zero)
  );

  logic [5:0] lane_levels;
  assign lane_levels = levels[lane];

  assign made = {made_min, made_max, made_low, made_high, made_reciprocal, made_zero};

  assign level_valid_o = level_done;
  assign level_lane_o  = lane;
  assign level_label_o = lane_levels;  // label of the level that the lane is given
  assign level_step_o  = made_step;
  assign level_zero_o  = made_zero;

  assign result_survives_o = survives;
  assign result_opened_o   = opened_q;
  assign result_clamped_o  = clamped_q;

  `ASSERT(LevelIsNeeded_A, level_done |-> (needs_q & (Lanes'(1) << lane)) != '0)
  `ASSERT(NoLevelBeyond_A, level_done |-> {1'b0, lane_levels} < max_levels_i)
  `ASSERT(OnlySurvivors_A, result_valid_o && kind_q == Quantise |->
      (result_stored_o & ~survives) == '0)
  `ASSUME(Kind_A, group_valid_i |-> group_kind_i <= Quantise)
  `ASSUME(Bits_A, group_valid_i |-> bits_i >= 4'd1 && bits_i <= 4'd8)

  `COVER(AllOpen_C, state_q == StExamine && kind_q == Quantise && opens == '1)
  `COVER(Clamped_C, state_q == StExamine && kind_q == Quantise && clamped != '0)
  `COVER(ZeroCode_C, result_valid_o && kind_q == Quantise &&
      (survives & ~result_stored_o) != '0)
  `COVER(Level0_C, state_q == StExamine && kind_q == Open && ranged != '0)
  `COVER(NothingToOpen_C, state_q == StExamine && kind_q == Open && ranged == '0)
  `COVER(Waits_C, result_valid_o && !result_ready_i)
  `COVER(BackToBack_C, result_valid_o && group_take)

endmodule
