// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// An array of PE rows. The last PEs of the rows, when transmitting, form the second-level tree,
// just as the PEs of a row form the first-level tree. Rows are counted from 1. Row i = o * 2^(l-1),
// o odd, is a node of level l. A node of level 1 adds the totals of its own row and the next one.
// Row Rows/2 has the array's total. The last PE of the last row is free to join arrays or to
// accumulate.
module veda_pe_array #(
  parameter int Rows = 8,
  parameter int Cols = 8,
  parameter int MulStages   = 1,
  parameter int TreeStages  = 1,
  parameter int PartialSums = 1
) (
  input  logic                    clk_i,
  input  logic                    hold_i,
  input  logic                    load_i,
  input  logic [Rows*Cols-1:0]    lane_i,  // lane = row * Cols + column
  input  logic [Rows*Cols*16-1:0] a_i,
  input  logic [Rows*Cols*16-1:0] b_i,
  input  logic [($clog2(Rows*Cols)+1)*3-1:0] ctrl_i,  // lowest bits: level 1; highest: the last PE
  // The last PE.
  input  logic                    from_tree_i,
  input  logic [31:0]             x_i,
  input  logic [31:0]             y_i,
  output logic [31:0]             total_o,
  output logic [Rows*Cols*32-1:0] sum_o
);

  `ASSERT_INIT(Rows_A, Rows >= 2 && (Rows & (Rows - 1)) == 0)

  localparam int Levels    = $clog2(Rows * Cols);
  localparam int RowLevels = $clog2(Cols);

  logic [Rows*32-1:0] total;  // total of each row
  logic [(Rows-1)*32-1:0] spare;  // sum of each row's last PE, as a node of the second level

  for (genvar i = 1; i <= Rows; i++) begin : g_row
    localparam int Level = $clog2((i & -i) + 1);
    localparam int Reach = Level > 1 ? 1 << (Level - 2) : 0;
    localparam int Row   = i - 1;  // counted from 0

    logic [31:0] x, y;
    logic [2:0]  spare_ctrl;

    if (i == Rows) begin : g_last
      assign x          = x_i;
      assign y          = y_i;
      assign spare_ctrl = ctrl_i[Levels*3+:3];
    end else if (Level == 1) begin : g_totals
      assign x          = total[Row*32+:32];
      assign y          = total[(Row+1)*32+:32];
      assign spare_ctrl = ctrl_i[RowLevels*3+:3];
    end else begin : g_spares
      assign x          = spare[(Row-Reach)*32+:32];
      assign y          = spare[(Row+Reach)*32+:32];
      assign spare_ctrl = ctrl_i[(RowLevels+Level-1)*3+:3];

      // Only arrays of at least 4 rows have such nodes.
      `COVER(TreeOfRows_C, spare_ctrl == veda_pkg::PeTransmit)
    end

    veda_pe_row #(
      .Cols       (Cols),
      .Last       (i == Rows),
      .MulStages  (MulStages),
      .TreeStages (TreeStages),
      .PartialSums(PartialSums)
    ) u_row (
      .clk_i,
      .hold_i,
      .load_i,
      .lane_i     (lane_i[Row*Cols+:Cols]),
      .a_i        (a_i[Row*Cols*16+:Cols*16]),
      .b_i        (b_i[Row*Cols*16+:Cols*16]),
      .ctrl_i     ({spare_ctrl, ctrl_i[RowLevels*3-1:0]}),
      .from_tree_i(i == Rows && from_tree_i),
      .x_i        (x),
      .y_i        (y),
      .total_o    (total[Row*32+:32]),
      .sum_o      (sum_o[Row*Cols*32+:Cols*32])
    );

    if (i < Rows) begin : g_spare
      assign spare[Row*32+:32] = sum_o[(Row*Cols+Cols-1)*32+:32];
    end
  end

  assign total_o = spare[(Rows/2-1)*32+:32];

endmodule
