// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// A processing element (PE): a multiplier and an adder, each with its register. Multiplexers let it
// either accumulate or act as a node of an adder tree (VEDA, figure 5a).
//
// When transmitting, a type-A PE adds its own product and another PE's product (at y_i), and a
// type-B PE adds two operands from other PEs (at x_i and y_i). The adder's local operand is the
// PE's own product. The last PE of an array also accumulates the output of the tree; its local
// operand is then x_i.
//
// Operands from other PEs first pass TreeStages - 1 registers. With PartialSums = 2, the adder has
// an internal register, so the loop from a sum to itself takes two cycles. The PE then has two
// alternating partial sums.
module veda_pe #(
  parameter bit TypeB      = 1'b0,
  parameter bit Last       = 1'b0,
  parameter int MulStages   = 1,  // registers of the multiplier: 1 to 3
  parameter int TreeStages  = 1,  // registers for operands from other PEs: at least 1
  parameter int PartialSums = 1   // partial sums per sum: 1 or 2
) (
  input  logic        clk_i,
  input  logic        hold_i,     // stalls in the next cycle
  // Operands.
  input  logic        lane_i,     // 0: the product is +0 for any operands
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  input  logic        load_i,     // loads the product; given MulStages - 1 cycles after the
                                  // operands
  // Control, given one cycle after the load, or after the last register of operands from other PEs.
  input  logic [2:0]  ctrl_i,     // veda_pkg::Pe*
  input  logic        from_tree_i,  // only in the last PE: x_i is the local operand
  input  logic [31:0] x_i,
  input  logic [31:0] y_i,
  output logic [31:0] product_o,
  output logic [31:0] sum_o
);

  logic        hold_q, advance;
  logic        lane;
  logic [15:0] a, b;
  logic [31:0] product_d, product_q;
  logic [31:0] first, sent_first, sent_second;  // the operands of Transmit
  logic [31:0] left, right, sum_d;

  // This PE has its own stall flag, so that stalls in this PE depend on no other register. Not
  // reset, because nothing is stalled at the end of a reset.
  always_ff @(posedge clk_i) begin
    hold_q <= hold_i;
  end
  assign advance = !hold_q;

  veda_delay #(
    .Width (32),
    .Stages(MulStages > 2 ? 1 : 0)
  ) u_operands (
    .clk_i,
    .advance_i(advance),
    .d_i      ({a_i, b_i}),
    .q_o      ({a, b})
  );
  veda_delay #(
    .Width (1),
    .Stages(MulStages - 1)
  ) u_lane (
    .clk_i,
    .advance_i(advance),
    .d_i      (lane_i),
    .q_o      (lane)
  );

  fp16_mul #(
    .Cut(MulStages > 1)
  ) u_mul (
    .clk_i,
    .advance_i(advance),
    .a_i      (a),
    .b_i      (b),
    .product_o(product_d)
  );

  if (TypeB) begin : g_first_b
    assign first = x_i;
  end else begin : g_first_a
    assign first = product_q;
    logic unused_x;
    assign unused_x = ^x_i;
  end

  veda_delay #(
    .Width (64),
    .Stages(TreeStages - 1)
  ) u_sent (
    .clk_i,
    .advance_i(advance),
    .d_i      ({first, y_i}),
    .q_o      ({sent_first, sent_second})
  );

  logic [31:0] local_operand;
  assign local_operand = Last && from_tree_i ? sent_first : product_q;

  if (!Last) begin : g_not_last
    logic unused_from_tree;
    assign unused_from_tree = from_tree_i;
  end

  logic [2:0]  ctrl;
  logic [PartialSums*32-1:0] sums;
  logic        writes_first, writes_second;
  logic [1:0]  writes;  // late: applies when the adder's sum is ready
  logic        unused_writes;

  assign ctrl = {PartialSums == 2 && ctrl_i[2], ctrl_i[1:0]};

  always_comb begin
    unique case (ctrl)
      veda_pkg::PeTransmit: left = sent_first;
      veda_pkg::PeMerge:    left = sums[31:0];
      default:              left = local_operand;
    endcase
    unique case (ctrl)
      veda_pkg::PeTransmit:   right = sent_second;
      veda_pkg::PeClear:      right = 32'd0;
      veda_pkg::PeClearOdd:   right = 32'd0;
      veda_pkg::PeAccumulate: right = sums[31:0];
      default:                right = sums[(PartialSums-1)*32+:32];
    endcase
  end

  assign writes_second = ctrl == veda_pkg::PeAccumulateOdd || ctrl == veda_pkg::PeClearOdd;
  assign writes_first  = ctrl != veda_pkg::PeDisable && !writes_second;
  assign unused_writes = writes[1];

  veda_delay #(
    .Width (2),
    .Stages(PartialSums - 1)
  ) u_writes (
    .clk_i,
    .advance_i(advance),
    .d_i      ({writes_second, writes_first}),
    .q_o      (writes)
  );

  fp32_adder #(
    .Cut(PartialSums > 1)
  ) u_add (
    .clk_i,
    .advance_i(advance),
    .a_i      (left),
    .b_i      (right),
    .sum_o    (sum_d)
  );

  // Not reset, like all registers of a PE. A product is read only in the cycle after its load, and
  // a sum only after Clear or Transmit.
  always_ff @(posedge clk_i) begin
    if (advance) begin
      if (load_i) begin
        product_q <= lane ? product_d : 32'd0;
      end
    end
  end

  for (genvar i = 0; i < PartialSums; i++) begin : g_sum
    logic [31:0] sum_q;
    always_ff @(posedge clk_i) begin
      if (advance && writes[i]) begin
        sum_q <= sum_d;
      end
    end
    assign sums[i*32+:32] = sum_q;
  end

  assign product_o = product_q;
  assign sum_o     = sums[31:0];

  // Registers hold NaN only in its canonical form.
  `ASSERT(ProductCanonical_A, advance && load_i |->
      !(product_d[30:23] == 8'hFF && product_d[22:0] != 23'd0) || product_d == 32'h7FC0_0000,
      clk_i, 1'b0)
  `ASSERT(SumCanonical_A, advance && writes != 2'b00 |->
      !(sum_d[30:23] == 8'hFF && sum_d[22:0] != 23'd0) || sum_d == 32'h7FC0_0000,
      clk_i, 1'b0)
  // A product is 0, infinite, NaN or normal; exactness in FP32 depends on this.
  `ASSERT(ProductNormal_A, advance && load_i |->
      product_d[30:23] != 8'd0 || product_d[22:0] == 23'd0, clk_i, 1'b0)

`ifdef INC_ASSERT
  // Cover points.
  logic        load, multiply, work, written;
  logic [14:0] a_late, b_late;  // magnitudes of the product's operands
  veda_delay #(
    .Width (30),
    .Stages(MulStages - 1)
  ) u_late (
    .clk_i,
    .advance_i(advance),
    .d_i      ({a_i[14:0], b_i[14:0]}),
    .q_o      ({a_late, b_late})
  );
  assign load     = advance && load_i;
  assign multiply = load && lane;
  assign work     = advance && ctrl != veda_pkg::PeDisable;
  assign written  = advance && writes != 2'b00;

  `COVER(Disable_C, advance && ctrl == veda_pkg::PeDisable)
  `COVER(Accumulate_C, advance && ctrl == veda_pkg::PeAccumulate)
  `COVER(Transmit_C, advance && ctrl == veda_pkg::PeTransmit)
  `COVER(Clear_C, advance && ctrl == veda_pkg::PeClear)
  if (PartialSums > 1) begin : g_cover_sums
    `COVER(AccumulateOdd_C, advance && ctrl == veda_pkg::PeAccumulateOdd)
    `COVER(ClearOdd_C, advance && ctrl == veda_pkg::PeClearOdd)
    `COVER(Merge_C, advance && ctrl == veda_pkg::PeMerge)
  end
  `COVER(LaneOff_C, load && !lane)

  // Multiplier.
  `COVER(MulNan_C, multiply && a_late[14:10] == 5'd31 && a_late[9:0] != 10'd0)
  `COVER(MulInfinityZero_C, multiply && a_late[14:0] == 15'h7C00 && b_late[14:0] == 15'd0)
  `COVER(MulInfinity_C, multiply && product_d[30:0] == 31'h7F80_0000)
  `COVER(MulNegativeZero_C, multiply && product_d == 32'h8000_0000)
  `COVER(MulSubnormal_C, multiply && a_late[14:10] == 5'd0 && a_late[9:0] != 10'd0 && b_late[14:10] != 5'd0)
  `COVER(MulBothSubnormal_C,
      multiply && a_late[14:10] == 5'd0 && b_late[14:10] == 5'd0 && product_d[30:0] != 31'd0)

  // Adder.
  `COVER(AddNan_C, work && left == 32'h7FC0_0000)
  `COVER(AddInfinities_C, work && left[30:0] == 31'h7F80_0000 && right == {!left[31], left[30:0]})
  `COVER(AddInfinity_C, written && sum_d[30:0] == 31'h7F80_0000)
  `COVER(AddCancel_C, work && left[30:0] != 31'd0 && right == {!left[31], left[30:0]})
  `COVER(AddFar_C, work && u_add.distance >= 8'd26 && u_add.smaller[30:0] != 31'd0)
  `COVER(AddCarry_C, written && u_add.raw[27])
  `COVER(AddRoundUp_C, written && u_add.round_up)
  `COVER(AddTieEven_C, written && u_add.normalised[3:0] == 4'b0100)
  `COVER(AddTieOdd_C, written && u_add.normalised[3:0] == 4'b1100)
  `COVER(AddRoundIntoExponent_C, written && u_add.round_up && u_add.normalised[26:3] == 24'hFF_FFFF)
  `COVER(AddZeroes_C, work && left == 32'h8000_0000 && right == 32'd0)
`endif

endmodule
