// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// A processing element: a multiplier with its register, an adder with its register, and the
// multiplexers that make it accumulate for itself or be a node of an adder tree (VEDA, figure 5a).
//
// The adder's local operand is the PE's own product. A type-A PE, transmitting, adds its own product
// and another PE's (at y_i); a type-B PE, both operands from other PEs (at x_i and y_i). The last PE
// of an array also accumulates what comes out of the tree: then its local operand is x_i.
module veda_pe #(
  parameter bit TypeB = 1'b0,
  parameter bit Last  = 1'b0
) (
  input  logic        clk_i,
  input  logic        advance_i,  // 0: everything keeps its state
  // Operands.
  input  logic        load_i,
  input  logic        lane_i,     // 0: the product is +0, whatever the operands
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  // One cycle later.
  input  logic [1:0]  ctrl_i,     // veda_pkg::Pe*
  input  logic        from_tree_i,  // Last only: the local operand is x_i
  input  logic [31:0] x_i,
  input  logic [31:0] y_i,
  output logic [31:0] product_o,
  output logic [31:0] sum_o
);

  logic [31:0] product_d, product_q;
  logic [31:0] left, right, sum_d, sum_q;

  fp16_mul u_mul (
    .a_i,
    .b_i,
    .product_o(product_d)
  );

  if (TypeB) begin : g_left_b
    assign left = ctrl_i == veda_pkg::PeTransmit || (Last && from_tree_i) ? x_i : product_q;
  end else begin : g_left_a
    assign left = product_q;
    logic unused_x;
    assign unused_x = ^x_i;
  end

  if (!Last) begin : g_not_last
    logic unused_from_tree;
    assign unused_from_tree = from_tree_i;
  end

  always_comb begin
    unique case (ctrl_i)
      veda_pkg::PeTransmit: right = y_i;
      veda_pkg::PeClear:    right = 32'd0;
      default:              right = sum_q;
    endcase
  end

  fp32_add u_add (
    .a_i  (left),
    .b_i  (right),
    .sum_o(sum_d)
  );

  // Neither is reset: a product is read in the cycle after its load, a sum after Clear or Transmit.
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      if (load_i) begin
        product_q <= lane_i ? product_d : 32'd0;
      end
      if (ctrl_i != veda_pkg::PeDisable) begin
        sum_q <= sum_d;
      end
    end
  end

  assign product_o = product_q;
  assign sum_o     = sum_q;

  // NaN has one form: nothing else ever comes into a register.
  `ASSERT(ProductCanonical_A, advance_i && load_i |->
      !(product_d[30:23] == 8'hFF && product_d[22:0] != 23'd0) || product_d == 32'h7FC0_0000,
      clk_i, 1'b0)
  `ASSERT(SumCanonical_A, advance_i && ctrl_i != veda_pkg::PeDisable |->
      !(sum_d[30:23] == 8'hFF && sum_d[22:0] != 23'd0) || sum_d == 32'h7FC0_0000,
      clk_i, 1'b0)
  // A product is 0, infinite, NaN or normal: exactness in FP32 rests on it.
  `ASSERT(ProductNormal_A, advance_i && load_i |->
      product_d[30:23] != 8'd0 || product_d[22:0] == 23'd0, clk_i, 1'b0)

`ifdef INC_ASSERT
  // What a test must have seen.
  logic load, multiply, work;
  assign load     = advance_i && load_i;
  assign multiply = load && lane_i;
  assign work     = advance_i && ctrl_i != veda_pkg::PeDisable;

  `COVER(Disable_C, advance_i && ctrl_i == veda_pkg::PeDisable)
  `COVER(Accumulate_C, advance_i && ctrl_i == veda_pkg::PeAccumulate)
  `COVER(Transmit_C, advance_i && ctrl_i == veda_pkg::PeTransmit)
  `COVER(Clear_C, advance_i && ctrl_i == veda_pkg::PeClear)
  `COVER(LaneOff_C, load && !lane_i)

  // Multiplier.
  `COVER(MulNan_C, multiply && a_i[14:10] == 5'd31 && a_i[9:0] != 10'd0)
  `COVER(MulInfinityZero_C, multiply && a_i[14:0] == 15'h7C00 && b_i[14:0] == 15'd0)
  `COVER(MulInfinity_C, multiply && product_d[30:0] == 31'h7F80_0000)
  `COVER(MulNegativeZero_C, multiply && product_d == 32'h8000_0000)
  `COVER(MulSubnormal_C, multiply && a_i[14:10] == 5'd0 && a_i[9:0] != 10'd0 && b_i[14:10] != 5'd0)
  `COVER(MulBothSubnormal_C,
      multiply && a_i[14:10] == 5'd0 && b_i[14:10] == 5'd0 && product_d[30:0] != 31'd0)

  // Adder.
  `COVER(AddNan_C, work && left == 32'h7FC0_0000)
  `COVER(AddInfinities_C, work && left[30:0] == 31'h7F80_0000 && right == {!left[31], left[30:0]})
  `COVER(AddInfinity_C, work && sum_d[30:0] == 31'h7F80_0000)
  `COVER(AddCancel_C, work && left[30:0] != 31'd0 && right == {!left[31], left[30:0]})
  `COVER(AddFar_C, work && u_add.distance >= 8'd26 && u_add.smaller[30:0] != 31'd0)
  `COVER(AddCarry_C, work && u_add.raw[27])
  `COVER(AddRoundUp_C, work && u_add.round_up)
  `COVER(AddTieEven_C, work && u_add.normalised[3:0] == 4'b0100)
  `COVER(AddTieOdd_C, work && u_add.normalised[3:0] == 4'b1100)
  `COVER(AddRoundIntoExponent_C, work && u_add.round_up && u_add.normalised[26:3] == 24'hFF_FFFF)
  `COVER(AddZeroes_C, work && left == 32'h8000_0000 && right == 32'd0)
`endif

endmodule
