// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Two PE arrays in parallel: products of vectors and matrices, FP16 operands, FP32 sums.
//
// An operand beat has one pair of operands for each lane (lane = array * Rows * Cols + row * Cols +
// column) and its own configuration, which may change from beat to beat:
//
//   inner  a and b are pieces of a vector and of a column. The array's total, the sum over the
//          lanes, is added to the sum of the previous beats, from first to last. The result is in
//          lane 0.
//   outer  a is one element, in the array's lane 0; b is a piece of a row. Each lane accumulates
//          its own sum from first to last. Every lane has a result.
//   split  each array computes its own product (en_i, first_i and last_i have a bit per array; a
//          result of inner is in the array's lane 0). Otherwise both act as one array of twice the
//          size: the bits of the three signals are equal, and outer's element is only in lane 0.
//
// Results come in the order of their last beats. The latency after a last beat is the sum of
// MulStages, the additions' cycles, and RoundStages. The additions take one cycle for outer. For
// inner they take TreeStages for each level of the trees, for the level that joins the arrays, and
// for the accumulation. If a result is not taken, it stays at the port, and the whole unit stalls
// from the next cycle on until it is taken. A beat of outer waits until the tree has finished
// earlier beats of inner. Other changes of configuration take no time. Results are FP32, or FP16 in
// the lower half of the lane (narrow_i, at the last beat).
//
// With PartialSums = 2, an adder has two stages, and a sum's beats alternate between two partial
// sums (odd_i; first_i at the first beat of each). A sum of several beats is followed by two beats
// without operands (merge_i). The first waits for the last addition, and the second adds both
// partial sums.
module veda_pe_arrays #(
  parameter int Rows = 8,  // rows of one array: a power of two, at least 2
  parameter int Cols = 8,  // columns of one array: a power of two, at least 2
  parameter int MulStages   = 1,  // registers of a multiplier: 1 to 3
  parameter int TreeStages  = 1,  // registers per level of the trees: at least 1
  parameter int RoundStages = 0,  // registers of the rounding: 0 to 2
  parameter int PartialSums = 1   // partial sums per sum: 1 or 2
) (
  input  logic                clk_i,
  input  logic                rst_ni,   // must span a rising edge of the clock: PEs and lanes have
                                        // no reset
  // Operand beats.
  input  logic                valid_i,
  output logic                ready_o,
  input  logic                outer_i,
  input  logic                split_i,
  input  logic                narrow_i,
  input  logic [1:0]          en_i,     // arrays that take part
  input  logic [1:0]          first_i,  // first beat of a sum, or of its second partial sum
  input  logic [1:0]          last_i,
  input  logic [1:0]          odd_i,    // beat of the second partial sum
  input  logic [1:0]          merge_i,  // beat without operands; the last one adds the partial sums
  input  logic [2*Rows*Cols-1:0]    lane_i,  // lanes that have operands
  input  logic [2*Rows*Cols*16-1:0] a_i,
  input  logic [2*Rows*Cols*16-1:0] b_i,
  // Result beats.
  output logic                valid_o,
  input  logic                ready_i,
  output logic                outer_o,
  output logic [1:0]          en_o,     // arrays that have results
  output logic [2*Rows*Cols*32-1:0] result_o  // 0 in lanes without a result
);

  `ASSERT_INIT(MulStages_A, MulStages >= 1 && MulStages <= 3)
  `ASSERT_INIT(TreeStages_A, TreeStages >= 1)
  `ASSERT_INIT(RoundStages_A, RoundStages >= 0 && RoundStages <= 2)
  `ASSERT_INIT(PartialSums_A, PartialSums == 1 || PartialSums == 2)

  localparam int ArrayLanes = Rows * Cols;
  localparam int Lanes      = 2 * ArrayLanes;

  // A beat's age is the number of cycles since it was taken, starting with 0. At age MulStages its
  // products are ready, and in outer mode the adders begin. In inner mode, adders of level l of the
  // trees begin (l - 1) * Level + TreeStages cycles after age MulStages - 1. An array has Levels
  // levels; one more level joins the arrays, and one accumulates. Sums are ready PartialSums cycles
  // later.
  localparam int Levels     = $clog2(ArrayLanes);
  localparam int Level      = TreeStages - 1 + PartialSums;
  localparam int Join       = MulStages - 1 + Levels * Level + TreeStages;
  localparam int Accumulate = Join + Level;
  localparam int OuterEnd   = MulStages + PartialSums - 1;
  localparam int InnerEnd   = Accumulate + PartialSums - 1;
  // Age of the oldest inner beat that delays an outer beat, whose adders would work MulStages
  // cycles from now.
  localparam int Busy       = Accumulate - MulStages;

  // Beats in flight, by age. Only the flags that mark the other registers as valid are reset.
  logic [OuterEnd:1]     outer_q;
  logic [OuterEnd:0]     outer;
  logic [InnerEnd:1]     inner_q, split_q, narrow_q;
  logic [InnerEnd:0]     inner, split, narrow;
  logic [2*InnerEnd-1:0] en_q, last_q;
  logic [2*InnerEnd+1:0] en, last;  // age a at 2 * a
  logic [2*Accumulate-1:0] first_q, odd_q, merge_q;
  logic [2*Accumulate+1:0] first, odd, merge;  // the beat's control at each age

  logic hold, hold_next;  // stall: a result that was not taken stays at the port
  logic advance;
  logic take;

  assign advance = !hold;
  assign ready_o = advance && !(outer_i && inner_q[Busy:1] != '0);
  assign take    = valid_i && ready_o;

  assign outer  = {outer_q, take && outer_i};
  assign inner  = {inner_q, take && !outer_i};
  assign split  = {split_q, split_i};
  assign narrow = {narrow_q, narrow_i};
  assign en     = {en_q, en_i};
  assign first  = {first_q, first_i};
  assign last   = {last_q, last_i};
  assign odd    = {odd_q, odd_i};
  assign merge  = {merge_q, merge_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outer_q <= '0;
      inner_q <= '0;
    end else if (advance) begin
      outer_q <= outer[OuterEnd-1:0];
      inner_q <= inner[InnerEnd-1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      split_q  <= split[InnerEnd-1:0];
      narrow_q <= narrow[InnerEnd-1:0];
      en_q     <= en[2*InnerEnd-1:0];
      first_q  <= first[2*Accumulate-1:0];
      last_q   <= last[2*InnerEnd-1:0];
      odd_q    <= odd[2*Accumulate-1:0];
      merge_q  <= merge[2*Accumulate-1:0];
    end
  end

  // Control of an array's PEs: first its levels, from the lowest, then its last PE. The control of
  // the second array follows.
  localparam int CtrlWidth = (Levels + 1) * 3;
  logic [2*CtrlWidth-1:0] ctrl;

  function automatic [2:0] sum_ctrl;
    input adds;
    input begins;
    input ends;
    input second;
    input merges;
    if (PartialSums == 1 || !(second || merges)) begin
      sum_ctrl = !adds ? veda_pkg::PeDisable : begins ? veda_pkg::PeClear : veda_pkg::PeAccumulate;
    end else if (!adds || (merges && !ends)) begin
      sum_ctrl = veda_pkg::PeDisable;
    end else begin
      sum_ctrl = merges ? veda_pkg::PeMerge : begins ? veda_pkg::PeClearOdd : veda_pkg::PeAccumulateOdd;
    end
  endfunction

  for (genvar h = 0; h < 2; h++) begin : g_ctrl
    localparam int Outer = 2 * MulStages + h;
    localparam int Inner = 2 * (h == 0 ? Join : Accumulate) + h;
    logic [2:0] outer_ctrl, inner_ctrl;
    assign outer_ctrl = sum_ctrl(outer[MulStages] && en[Outer], first[Outer], last[Outer], odd[Outer],
                                 merge[Outer]);
    assign inner_ctrl = sum_ctrl(en[Inner], first[Inner], last[Inner], odd[Inner], merge[Inner]);

    for (genvar l = 1; l <= Levels; l++) begin : g_level
      localparam int Age = MulStages - 1 + (l - 1) * Level + TreeStages;
      assign ctrl[h*CtrlWidth+(l-1)*3+:3] =
          inner[Age] && en[2*Age+h] ? veda_pkg::PeTransmit : outer_ctrl;
    end

    if (h == 0) begin : g_join
      // Inner mode: adds both arrays' totals or, if split, accumulates the first array's total.
      assign ctrl[h*CtrlWidth+Levels*3+:3] =
          inner[Join] ? (split[Join] ? inner_ctrl : veda_pkg::PeTransmit) : outer_ctrl;
    end else begin : g_accumulate
      assign ctrl[h*CtrlWidth+Levels*3+:3] = inner[Accumulate] ? inner_ctrl : outer_ctrl;
    end
  end

  logic [31:0]         total_0, total_1, last_sum_0;
  logic [31:0]         total_1_late;  // delayed by a level: the second array accumulates after the
                                      // join
  logic [31:0]         first_result;  // first array's result, held until the second's is ready
  logic [Lanes*32-1:0] sum;

  assign last_sum_0 = sum[(ArrayLanes-1)*32+:32];

  veda_delay #(
    .Width (64),
    .Stages(Level)
  ) u_level (
    .clk_i,
    .advance_i(advance),
    .d_i      ({total_1, last_sum_0}),
    .q_o      ({total_1_late, first_result})
  );

  // Outer's element goes to all lanes of its array.
  logic [Lanes*16-1:0] a;
  logic [15:0]         element_1;
  assign element_1 = split_i ? a_i[ArrayLanes*16+:16] : a_i[15:0];
  assign a = outer_i ? {{ArrayLanes{element_1}}, {ArrayLanes{a_i[15:0]}}} : a_i;

  // Products are loaded into the last of their registers.
  logic [1:0] load;
  assign load = {2{inner[MulStages-1] || outer[MulStages-1]}} & en[2*(MulStages-1)+:2];

  veda_pe_array #(
    .Rows       (Rows),
    .Cols       (Cols),
    .MulStages  (MulStages),
    .TreeStages (TreeStages),
    .PartialSums(PartialSums)
  ) u_array_0 (
    .clk_i,
    .hold_i     (hold_next),
    .load_i     (load[0]),
    .lane_i     (lane_i[ArrayLanes-1:0]),
    .a_i        (a[ArrayLanes*16-1:0]),
    .b_i        (b_i[ArrayLanes*16-1:0]),
    .ctrl_i     (ctrl[CtrlWidth-1:0]),
    .from_tree_i(inner[Join]),
    .x_i        (total_0),
    .y_i        (total_1),
    .total_o    (total_0),
    .sum_o      (sum[ArrayLanes*32-1:0])
  );

  veda_pe_array #(
    .Rows       (Rows),
    .Cols       (Cols),
    .MulStages  (MulStages),
    .TreeStages (TreeStages),
    .PartialSums(PartialSums)
  ) u_array_1 (
    .clk_i,
    .hold_i     (hold_next),
    .load_i     (load[1]),
    .lane_i     (lane_i[Lanes-1:ArrayLanes]),
    .a_i        (a[Lanes*16-1:ArrayLanes*16]),
    .b_i        (b_i[Lanes*16-1:ArrayLanes*16]),
    .ctrl_i     (ctrl[2*CtrlWidth-1:CtrlWidth]),
    .from_tree_i(inner[Accumulate]),
    .x_i        (split[Join+PartialSums] ? total_1_late : last_sum_0),
    .y_i        (32'd0),
    .total_o    (total_1),
    .sum_o      (sum[Lanes*32-1:ArrayLanes*32])
  );

  // Results before they are rounded.
  logic       inner_result_q, outer_result_q, result_split_q, result_narrow_q;
  logic [1:0] result_en_q;
  logic [1:0] inner_en, outer_en, result_en;

  assign inner_en = last[2*InnerEnd+:2] & en[2*InnerEnd+:2];
  assign outer_en = last[2*OuterEnd+:2] & en[2*OuterEnd+:2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inner_result_q <= 1'b0;
      outer_result_q <= 1'b0;
    end else if (advance) begin
      inner_result_q <= inner[InnerEnd] && inner_en != 2'b00;
      outer_result_q <= outer[OuterEnd] && outer_en != 2'b00;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      result_split_q  <= split[InnerEnd];
      result_narrow_q <= outer[OuterEnd] ? narrow[OuterEnd] : narrow[InnerEnd];
      result_en_q     <= outer[OuterEnd] ? outer_en : inner_en;
    end
  end

  // The sum of joined arrays is in the first array's lane.
  assign result_en = inner_result_q && !result_split_q
                         ? 2'b01 : result_en_q & {2{inner_result_q || outer_result_q}};

  veda_port #(
    .RoundStages(RoundStages)
  ) u_port (
    .clk_i,
    .rst_ni,
    .valid_i    (inner_result_q || outer_result_q),
    .outer_i    (outer_result_q),
    .en_i       (result_en),
    .ready_i,
    .valid_o,
    .outer_o,
    .en_o,
    .hold_o     (hold),
    .hold_next_o(hold_next)
  );

  for (genvar i = 0; i < Lanes; i++) begin : g_result
    localparam int Array = i / ArrayLanes;
    logic        valid;
    logic [31:0] value;
    if (i % ArrayLanes == 0) begin : g_first_lane
      assign valid = result_en[Array];
      if (Array == 0) begin : g_array_0
        assign value = outer_result_q ? sum[31:0]
                                      : result_split_q ? first_result : sum[(Lanes-1)*32+:32];
      end else begin : g_array_1
        assign value = outer_result_q ? sum[i*32+:32] : sum[(Lanes-1)*32+:32];
      end
    end else begin : g_lane
      assign valid = outer_result_q && result_en[Array];
      assign value = sum[i*32+:32];
    end
    veda_output #(
      .RoundStages(RoundStages)
    ) u_output (
      .clk_i,
      .hold_i  (hold_next),
      .valid_i (valid),
      .narrow_i(result_narrow_q),
      .sum_i   (value),
      .result_o(result_o[i*32+:32])
    );
  end

  // Obligations of the driver: a beat stays until it is taken, and joined arrays act as one.
  `ASSUME(ValidStays_M, valid_i && !ready_o |=> valid_i)
  `ASSUME(BeatStays_M,
      valid_i && !ready_o |=>
      $stable({outer_i, split_i, narrow_i, en_i, first_i, last_i, odd_i, merge_i, lane_i}) && $stable({a_i, b_i}))
  `ASSUME(SomeArray_M, valid_i |-> en_i != 2'b00)
  `ASSUME(One_M, valid_i && !split_i |-> en_i == 2'b11 && ^first_i == 1'b0 && ^last_i == 1'b0 &&
      ^odd_i == 1'b0 && ^merge_i == 1'b0)
  `ASSUME(Sums_M, valid_i && PartialSums == 1 |-> odd_i == 2'b00 && merge_i == 2'b00)

  // Guarantees: a result stays until it is taken, and no result is lost or invented.
  `ASSERT(ResultStays_A, valid_o && !ready_i |=> valid_o && $stable({outer_o, en_o, result_o}))
  `ASSERT(ResultSomewhere_A, valid_o |-> en_o != 2'b00)
  // No PE is a tree node and an outer-mode accumulator in the same cycle.
  `ASSERT(TreeFree_A, outer[MulStages] |-> inner[Accumulate:MulStages] == '0)
  `ASSERT(OneResult_A, !(inner_result_q && outer_result_q))

`ifdef INC_ASSERT
  // Cover points.
  logic       taken_before_q;  // a beat was taken in the previous cycle, with this configuration:
  logic       outer_before_q, split_before_q;
  logic [1:0] open_q;  // sums that have begun but not ended
  logic       outer_taken, inner_taken;

  assign outer_taken = take && outer_i;
  assign inner_taken = take && !outer_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_before_q <= 1'b0;
      outer_before_q <= 1'b0;
      split_before_q <= 1'b0;
      open_q         <= 2'b00;
    end else begin
      taken_before_q <= take;
      if (take) begin
        outer_before_q <= outer_i;
        split_before_q <= split_i;
        open_q         <= (open_q & ~en_i) | (en_i & ~last_i);
      end
    end
  end

  `COVER(Inner_C, inner_taken && !split_i)
  `COVER(InnerSplit_C, inner_taken && split_i)
  `COVER(Outer_C, outer_taken && !split_i)
  `COVER(OuterSplit_C, outer_taken && split_i)

  `COVER(SeveralTiles_C, inner_taken && first_i == 2'b00)
  `COVER(OneTile_C, inner_taken && (first_i & last_i) != 2'b00)
  `COVER(OnlyFirst_C, take && en_i == 2'b01)
  `COVER(OnlySecond_C, take && en_i == 2'b10)
  `COVER(RaggedEnd_C, take && split_i && ^(last_i & en_i))
  `COVER(RaggedLanes_C, take && lane_i != '1)
  `COVER(AllLanes_C, take && lane_i == '1)
  `COVER(GapInSum_C, advance && !valid_i && open_q != 2'b00)

  // Reconfiguration from one beat to the next.
  `COVER(OuterToInner_C, inner_taken && taken_before_q && outer_before_q)
  `COVER(InnerToOuter_C, outer_taken && !outer_before_q)
  `COVER(TreeBusy_C, valid_i && advance && !ready_o)
  `COVER(SplitJoin_C,
      inner_taken && !split_i && taken_before_q && !outer_before_q && split_before_q)
  `COVER(JoinSplit_C,
      inner_taken && split_i && taken_before_q && !outer_before_q && !split_before_q)
  `COVER(OuterSplitJoin_C,
      outer_taken && !split_i && taken_before_q && outer_before_q && split_before_q)
  `COVER(OuterJoinSplit_C,
      outer_taken && split_i && taken_before_q && outer_before_q && !split_before_q)

  // Results, and how long they wait.
  `COVER(Wide_C, (inner_result_q || outer_result_q) && advance && !result_narrow_q)
  `COVER(Narrow_C, (inner_result_q || outer_result_q) && advance && result_narrow_q)
  `COVER(InnerStall_C, valid_o && !outer_o && !ready_i && valid_i)
  `COVER(OuterStall_C, valid_o && outer_o && !ready_i && valid_i)
  `COVER(Streaming_C, valid_o && ready_i && take)
  `COVER(KeptAndNext_C, hold && ready_i && u_port.arrives[RoundStages])
  `COVER(KeptLong_C, hold && !ready_i && u_port.arrives[RoundStages])
`endif

endmodule
