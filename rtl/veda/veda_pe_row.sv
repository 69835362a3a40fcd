// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// A row of PEs. When transmitting, their adders form the first-level tree (VEDA, figure 5d).
// Counted from 1, PE i = o * 2^(l-1), o odd, is a node of level l. In level 1, the type-A PEs add
// their own and the next PE's product. A type-B PE of level l adds the sums of the PEs 2^(l-2)
// before and after it. PE Cols/2 has the row's total. The tree does not need the adder of PE Cols,
// which is a node of the second-level tree.
module veda_pe_row #(
  parameter int Cols = 8,  // a power of two, at least 2
  parameter bit Last = 1'b0,  // holds the array's last PE
  parameter int MulStages   = 1,
  parameter int TreeStages  = 1,
  parameter int PartialSums = 1
) (
  input  logic                    clk_i,
  input  logic                    hold_i,
  input  logic                    load_i,
  input  logic [Cols-1:0]         lane_i,
  input  logic [Cols*16-1:0]      a_i,
  input  logic [Cols*16-1:0]      b_i,
  input  logic [($clog2(Cols)+1)*3-1:0] ctrl_i,  // lowest bits: level 1; highest: PE Cols
  // PE Cols as a node of the second level.
  input  logic                    from_tree_i,
  input  logic [31:0]             x_i,
  input  logic [31:0]             y_i,
  output logic [31:0]             total_o,
  output logic [Cols*32-1:0]      sum_o
);

  `ASSERT_INIT(Cols_A, Cols >= 2 && (Cols & (Cols - 1)) == 0)

  localparam int Levels = $clog2(Cols);

  logic [Cols*32-1:0] product;

  for (genvar i = 1; i <= Cols; i++) begin : g_pe
    // The lowest bit set in i is 2^(level - 1).
    localparam int Level = $clog2((i & -i) + 1);
    if (i == Cols) begin : g_spare
      veda_pe #(
        .TypeB      (1'b1),
        .Last       (Last),
        .MulStages  (MulStages),
        .TreeStages (TreeStages),
        .PartialSums(PartialSums)
      ) u_pe (
        .clk_i,
        .hold_i,
        .load_i,
        .lane_i   (lane_i[i-1]),
        .a_i      (a_i[(i-1)*16+:16]),
        .b_i      (b_i[(i-1)*16+:16]),
        .ctrl_i   (ctrl_i[Levels*3+:3]),
        .from_tree_i,
        .x_i,
        .y_i,
        .product_o(product[(i-1)*32+:32]),
        .sum_o    (sum_o[(i-1)*32+:32])
      );
    end else if (Level == 1) begin : g_type_a
      veda_pe #(
        .MulStages  (MulStages),
        .TreeStages (TreeStages),
        .PartialSums(PartialSums)
      ) u_pe (
        .clk_i,
        .hold_i,
        .load_i,
        .lane_i     (lane_i[i-1]),
        .a_i        (a_i[(i-1)*16+:16]),
        .b_i        (b_i[(i-1)*16+:16]),
        .ctrl_i     (ctrl_i[2:0]),
        .from_tree_i(1'b0),
        .x_i        (32'd0),
        .y_i        (product[i*32+:32]),
        .product_o  (product[(i-1)*32+:32]),
        .sum_o      (sum_o[(i-1)*32+:32])
      );
    end else begin : g_type_b
      localparam int Reach = 1 << (Level - 2);
      veda_pe #(
        .TypeB      (1'b1),
        .MulStages  (MulStages),
        .TreeStages (TreeStages),
        .PartialSums(PartialSums)
      ) u_pe (
        .clk_i,
        .hold_i,
        .load_i,
        .lane_i     (lane_i[i-1]),
        .a_i        (a_i[(i-1)*16+:16]),
        .b_i        (b_i[(i-1)*16+:16]),
        .ctrl_i     (ctrl_i[(Level-1)*3+:3]),
        .from_tree_i(1'b0),
        .x_i        (sum_o[(i-1-Reach)*32+:32]),
        .y_i        (sum_o[(i-1+Reach)*32+:32]),
        .product_o  (product[(i-1)*32+:32]),
        .sum_o      (sum_o[(i-1)*32+:32])
      );

      // Only rows of at least 4 PEs have such nodes.
      `COVER(TreeInRow_C, ctrl_i[(Level-1)*3+:3] == veda_pkg::PeTransmit)
    end
  end

  assign total_o = sum_o[(Cols/2-1)*32+:32];

  // Only the products of type-B PEs leave their PE: each goes to the type-A PE before it.
  logic unused_product;
  assign unused_product = ^product;

endmodule
