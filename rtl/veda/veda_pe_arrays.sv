// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Two PE arrays side by side: the products of vectors with matrices, FP16 operands, FP32 sums.
//
// An operand beat has one pair of operands for each lane (lane = array * Rows * Cols + row * Cols +
// column) and says itself how it is to be multiplied, so that configurations change from beat to
// beat:
//
//   inner  a and b are pieces of a vector and of a column: the array's total, the sum over the lanes,
//          is added to the sum of the beats before it, from first to last. The result is in lane 0.
//   outer  a is one element, in the array's lane 0; b is a piece of a row: each lane accumulates for
//          itself from first to last. A result in every lane.
//   split  each array works on a product of its own (en_i, first_i, last_i per array; a result of
//          inner is in the array's lane 0). Otherwise both are one, twice as large: the three have
//          equal bits, and outer's element is in lane 0 only.
//
// Results come in the order of their last beats: Fill cycles later in inner, 2 in outer. While a
// result is not taken nothing moves. A beat of outer waits until the tree has done with the beats of
// inner before it; every other change of configuration costs nothing. Results are FP32, or FP16 in
// the lower half of the lane (narrow_i, at the last beat).
module veda_pe_arrays #(
  parameter int Rows = 8,  // of one array: a power of two, at least 2
  parameter int Cols = 8   // likewise
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Operand beats.
  input  logic                valid_i,
  output logic                ready_o,
  input  logic                outer_i,
  input  logic                split_i,
  input  logic                narrow_i,
  input  logic [1:0]          en_i,     // arrays that take part
  input  logic [1:0]          first_i,  // of a sum
  input  logic [1:0]          last_i,
  input  logic [2*Rows*Cols-1:0]    lane_i,  // lanes that have operands
  input  logic [2*Rows*Cols*16-1:0] a_i,
  input  logic [2*Rows*Cols*16-1:0] b_i,
  // Result beats.
  output logic                valid_o,
  input  logic                ready_i,
  output logic                outer_o,
  output logic [1:0]          en_o,     // arrays that have results
  output logic [2*Rows*Cols*32-1:0] result_o  // 0 in lanes without
);

  localparam int ArrayLanes = Rows * Cols;
  localparam int Lanes      = 2 * ArrayLanes;

  // Stages behind the multipliers' registers: the trees' levels, the adder that joins the arrays,
  // the one that accumulates. A beat is in stage s in the s-th cycle after it was taken.
  localparam int Levels     = $clog2(ArrayLanes);
  localparam int Join       = Levels + 1;
  localparam int Accumulate = Levels + 2;

  // What is in the stages; of outer, there is only stage 1. Only what says whether the rest counts is reset.
  logic                    outer_q;
  logic [Accumulate:1]     inner_q, split_q, narrow_q;
  logic [2*Accumulate-1:0] en_q, first_q, last_q;  // stage s at 2 * (s - 1)

  logic advance;
  logic take;

  assign advance = !valid_o || ready_i;
  // Until a beat of inner comes to its last stage, PEs that outer needs will be nodes of the tree.
  assign ready_o = advance && !(outer_i && inner_q[Join:1] != '0);
  assign take    = valid_i && ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outer_q <= 1'b0;
      inner_q <= '0;
    end else if (advance) begin
      outer_q <= take && outer_i;
      inner_q <= {inner_q[Accumulate-1:1], take && !outer_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      split_q  <= {split_q[Accumulate-1:1], split_i};
      narrow_q <= {narrow_q[Accumulate-1:1], narrow_i};
      en_q     <= {en_q[2*Accumulate-3:0], en_i};
      first_q  <= {first_q[2*Accumulate-3:0], first_i};
      last_q   <= {last_q[2*Accumulate-3:0], last_i};
    end
  end

  // Control of an array's PEs: its levels, lowest first, and its last PE; then the other array's.
  localparam int CtrlWidth = (Levels + 1) * 2;
  logic [2*CtrlWidth-1:0] ctrl;

  function automatic [1:0] sum_ctrl;
    input en;
    input first;
    sum_ctrl = !en ? veda_pkg::PeDisable : first ? veda_pkg::PeClear : veda_pkg::PeAccumulate;
  endfunction

  for (genvar h = 0; h < 2; h++) begin : g_ctrl
    logic [1:0] outer_ctrl;
    assign outer_ctrl = sum_ctrl(outer_q && en_q[h], first_q[h]);

    for (genvar l = 1; l <= Levels; l++) begin : g_level
      assign ctrl[h*CtrlWidth+(l-1)*2+:2] =
          inner_q[l] && en_q[2*(l-1)+h] ? veda_pkg::PeTransmit : outer_ctrl;
    end

    if (h == 0) begin : g_join
      // Adds up the arrays, or accumulates the first one's totals.
      logic [1:0] join_ctrl;
      assign join_ctrl = split_q[Join] ? sum_ctrl(en_q[2*(Join-1)], first_q[2*(Join-1)])
                                       : veda_pkg::PeTransmit;
      assign ctrl[h*CtrlWidth+Levels*2+:2] = inner_q[Join] ? join_ctrl : outer_ctrl;
    end else begin : g_accumulate
      assign ctrl[h*CtrlWidth+Levels*2+:2] =
          inner_q[Accumulate]
              ? sum_ctrl(en_q[2*(Accumulate-1)+h], first_q[2*(Accumulate-1)+h]) : outer_ctrl;
    end
  end

  logic [31:0]         total_0, total_1, last_sum_0;
  logic [31:0]         total_1_q;  // a stage later: the second array accumulates after the join
  logic [31:0]         first_result_q;  // of the first array, until the second one's is there
  logic [Lanes*32-1:0] sum;

  assign last_sum_0 = sum[(ArrayLanes-1)*32+:32];

  always_ff @(posedge clk_i) begin
    if (advance) begin
      if (inner_q[Join] && split_q[Join]) begin
        total_1_q <= total_1;
      end
      if (inner_q[Accumulate] && split_q[Accumulate]) begin
        first_result_q <= last_sum_0;
      end
    end
  end

  // Outer's element goes to all lanes of its array.
  logic [Lanes*16-1:0] a;
  logic [15:0]         element_1;
  assign element_1 = split_i ? a_i[ArrayLanes*16+:16] : a_i[15:0];
  assign a = outer_i ? {{ArrayLanes{element_1}}, {ArrayLanes{a_i[15:0]}}} : a_i;

  veda_pe_array #(
    .Rows(Rows),
    .Cols(Cols)
  ) u_array_0 (
    .clk_i,
    .advance_i  (advance),
    .load_i     (take && en_i[0]),
    .lane_i     (lane_i[ArrayLanes-1:0]),
    .a_i        (a[ArrayLanes*16-1:0]),
    .b_i        (b_i[ArrayLanes*16-1:0]),
    .ctrl_i     (ctrl[CtrlWidth-1:0]),
    .from_tree_i(inner_q[Join]),
    .x_i        (total_0),
    .y_i        (total_1),
    .total_o    (total_0),
    .sum_o      (sum[ArrayLanes*32-1:0])
  );

  veda_pe_array #(
    .Rows(Rows),
    .Cols(Cols)
  ) u_array_1 (
    .clk_i,
    .advance_i  (advance),
    .load_i     (take && en_i[1]),
    .lane_i     (lane_i[Lanes-1:ArrayLanes]),
    .a_i        (a[Lanes*16-1:ArrayLanes*16]),
    .b_i        (b_i[Lanes*16-1:ArrayLanes*16]),
    .ctrl_i     (ctrl[2*CtrlWidth-1:CtrlWidth]),
    .from_tree_i(inner_q[Accumulate]),
    .x_i        (split_q[Accumulate] ? total_1_q : last_sum_0),
    .y_i        (32'd0),
    .total_o    (total_1),
    .sum_o      (sum[Lanes*32-1:ArrayLanes*32])
  );

  // What is at the result port.
  logic       inner_result_q, outer_result_q, result_split_q, result_narrow_q;
  logic [1:0] result_en_q;
  logic [1:0] inner_en, outer_en;

  assign inner_en = last_q[2*(Accumulate-1)+:2] & en_q[2*(Accumulate-1)+:2];
  assign outer_en = last_q[1:0] & en_q[1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inner_result_q <= 1'b0;
      outer_result_q <= 1'b0;
    end else if (advance) begin
      inner_result_q <= inner_q[Accumulate] && inner_en != 2'b00;
      outer_result_q <= outer_q && outer_en != 2'b00;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      result_split_q  <= split_q[Accumulate];
      result_narrow_q <= outer_q ? narrow_q[1] : narrow_q[Accumulate];
      result_en_q     <= outer_q ? outer_en : inner_en;
    end
  end

  assign valid_o = inner_result_q || outer_result_q;
  assign outer_o = outer_result_q;
  // The sum of arrays that are one is in the lane of the first.
  assign en_o = inner_result_q && !result_split_q ? 2'b01 : result_en_q & {2{valid_o}};

  for (genvar i = 0; i < Lanes; i++) begin : g_result
    localparam int Array = i / ArrayLanes;
    logic        valid;
    logic [31:0] value;
    if (i % ArrayLanes == 0) begin : g_first_lane
      assign valid = en_o[Array];
      if (Array == 0) begin : g_array_0
        assign value = outer_result_q ? sum[31:0]
                                      : result_split_q ? first_result_q : sum[(Lanes-1)*32+:32];
      end else begin : g_array_1
        assign value = outer_result_q ? sum[i*32+:32] : sum[(Lanes-1)*32+:32];
      end
    end else begin : g_lane
      assign valid = outer_result_q && en_o[Array];
      assign value = sum[i*32+:32];
    end
    veda_result u_result (
      .valid_i (valid),
      .narrow_i(result_narrow_q),
      .sum_i   (value),
      .result_o(result_o[i*32+:32])
    );
  end

  // What the driver owes: a beat stays until it is taken; arrays that are one act as one.
  `ASSUME(ValidStays_M, valid_i && !ready_o |=> valid_i)
  `ASSUME(BeatStays_M,
      valid_i && !ready_o |=>
      $stable({outer_i, split_i, narrow_i, en_i, first_i, last_i, lane_i}) && $stable({a_i, b_i}))
  `ASSUME(SomeArray_M, valid_i |-> en_i != 2'b00)
  `ASSUME(One_M, valid_i && !split_i |-> en_i == 2'b11 && ^first_i == 1'b0 && ^last_i == 1'b0)

  // What the array promises: a result stays until it is taken, and nothing else is lost or made up.
  `ASSERT(ResultStays_A, valid_o && !ready_i |=> valid_o && $stable({outer_o, en_o, result_o}))
  `ASSERT(ResultSomewhere_A, valid_o |-> en_o != 2'b00)
  // No PE is a node of the tree and an accumulator of outer at once.
  `ASSERT(TreeFree_A, outer_q |-> inner_q[Join:1] == '0)
  `ASSERT(LastPeFree_A, !(outer_q && inner_q[Accumulate]))
  `ASSERT(OneResult_A, !(inner_result_q && outer_result_q))

`ifdef INC_ASSERT
  // What a test must have seen.
  logic       taken_before_q;  // a beat was taken in the cycle before, configured as:
  logic       outer_before_q, split_before_q;
  logic [1:0] open_q;  // sums begun and not ended
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

  // Results, and how they wait.
  `COVER(Wide_C, valid_o && !result_narrow_q)
  `COVER(Narrow_C, valid_o && result_narrow_q)
  `COVER(InnerStall_C, inner_result_q && !ready_i && valid_i)
  `COVER(OuterStall_C, outer_result_q && !ready_i && valid_i)
  `COVER(Streaming_C, valid_o && ready_i && take)
`endif

endmodule
