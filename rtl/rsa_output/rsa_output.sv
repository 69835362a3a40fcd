// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Output-stationary systolic array: Rows x Cols 8-bit multipliers, each with the sum of one result.
// Rows of the array are rows of A, columns are columns of B, and k advances in time. For each k,
// one byte of every row's element enters from the left, and one byte of every column's element from
// above. A wave consists of the bytes of one k. It enters at the corner and reaches diagonal d of
// the array d steps later.
//
// - The bytes of B for one k are loaded once and stay for as many waves as A has bytes. Four-bit
//   elements are packed at the load port and always signed.
// - Bytes are signed or unsigned, stated at loading for B and by wave for A. A 16-bit element is a
//   signed high byte and an unsigned low byte. A wave states by how many bytes its products are
//   shifted, so that all pairs of bytes go to one 48-bit sum. 2^15 products of 16 by 16 bits, or
//   2^16 of 16 by 8, do not overflow it.
// - A wave states whether it begins sums, and whether it completes them for a number of rows (the
//   lowest ones) and columns. Each element copies its complete sum to a second register. Sums wait
//   there until the lowest sum of their column is complete, and then move down. Output lane i has
//   column i, the lowest row first, i steps after lane 0. The next sums are computed meanwhile. A
//   wave that completes them may enter when the rows of the previous sums have left. The array
//   stalls while an offered lane is not taken.
module rsa_output #(
  parameter int Rows = 4,
  parameter int Cols = 4
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      load_valid_i,
  output logic                      load_ready_o,
  input  logic                      load_signed_i,
  input  logic                      load_nibbles_i,  // four-bit elements, in the lower half
  input  logic [Cols*8-1:0]         load_data_i,

  input  logic                      in_valid_i,
  output logic                      in_ready_o,
  input  logic                      in_next_i,       // last wave that uses B's loaded bytes
  input  logic                      in_signed_i,
  input  logic [Rows*8-1:0]         in_data_i,
  input  logic [1:0]                in_shift_i,      // in bytes, at most 2
  input  logic                      in_first_i,      // the wave begins sums
  input  logic                      in_leave_i,      // the wave completes sums
  input  logic [$clog2(Rows+1)-1:0] in_rows_i,       // if leaving: rows with sums, lowest ones
  input  logic [$clog2(Cols+1)-1:0] in_lanes_i,      // columns with sums, first ones

  output logic [Cols-1:0]           out_valid_o,
  input  logic                      out_ready_i,     // for all lanes together
  output logic [Cols*48-1:0]        out_sums_o
);

  `ASSERT_INIT(Rows_A, Rows >= 2)
  `ASSERT_INIT(Cols_A, Cols >= 2)

  localparam int OperandBits = 9;
  localparam int SumBits     = 48;
  localparam int RowsWidth   = $clog2(Rows + 1);
  localparam int CountWidth  = $clog2(Cols + 1);
  localparam int Adds        = Rows + Cols;      // steps until the last element adds
  localparam int Leaves      = Rows + 3;         // steps until a wave's first sum is at lane 0

  logic step, load_take, in_take;
  assign load_take = load_valid_i && load_ready_o;
  assign in_take   = in_valid_i && in_ready_o;

  // --- Bytes of B, held until the last wave has used them ---

  logic                        full_d, full_q;
  logic [Cols*OperandBits-1:0] columns, columns_q;

  for (genvar c = 0; c < Cols; c++) begin : gen_columns
    assign columns[c*OperandBits +: OperandBits] = load_nibbles_i ?
        {{5{load_data_i[c*4+3]}}, load_data_i[c*4 +: 4]} :
        {load_signed_i & load_data_i[c*8+7], load_data_i[c*8 +: 8]};
  end

  assign load_ready_o = !full_q || (in_take && in_next_i);
  assign full_d       = load_take || (full_q && !(in_take && in_next_i));

  always_ff @(posedge clk_i) begin
    if (load_take) begin
      columns_q <= columns;
    end
  end

  // --- Sums that leave ---

  logic                  complete;
  logic                  leaves;         // at age 0: complete sums move to the outputs
  logic [RowsWidth-1:0]  left_d, left_q; // rows of these sums that remain after this step
  logic [CountWidth-1:0] count;

  assign complete   = in_take && in_leave_i;
  assign leaves     = complete || left_q != '0;
  assign in_ready_o = step && full_q && !(in_leave_i && left_q != '0);

  always_comb begin
    left_d = left_q;
    if (complete) begin
      left_d = in_rows_i - RowsWidth'(1);
    end else if (step && left_q != '0) begin
      left_d = left_q - RowsWidth'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      left_q <= '0;
    end else begin
      full_q <= full_d;
      left_q <= left_d;
    end
  end

  // --- Fields of a wave ---

  // State of the wave that entered n steps ago.
  logic [Adds:1]       first_q;
  logic [Adds*2+1:2]   shift_q;
  logic [Adds+1:1]     copy_q;
  logic [Leaves+Cols-1:1]                             leaves_q;
  logic [(Leaves+Cols)*CountWidth-1:CountWidth] count_q;

  assign count = complete ? in_lanes_i : count_q[CountWidth +: CountWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leaves_q <= '0;
    end else if (step) begin
      leaves_q <= {leaves_q[Leaves+Cols-2:1], leaves};
    end
  end

  // Waves that a reset has interrupted may still change sums. They do so before the first new wave,
  // which starts its own sums.
  always_ff @(posedge clk_i) begin
    if (step) begin
      first_q <= {first_q[Adds-1:1], in_take && in_first_i};
      shift_q <= {shift_q[Adds*2-1:2], in_shift_i};
      copy_q  <= {copy_q[Adds:1], complete};
      count_q <= {count_q[(Leaves+Cols-1)*CountWidth-1:CountWidth], count};
    end
  end

  // --- Array ---

  logic [Rows*OperandBits-1:0]          across;
  /* verilator tracing_off */
  logic [(Rows+1)*Cols*OperandBits-1:0] down;  // from row to row; the lowest entry is the input
  logic [(Rows+1)*Cols*SumBits-1:0]     aside;
  /* verilator tracing_on */
  logic                                 unused_down;  // outputs of the last row

  // Without a wave, the operands are 0.
  for (genvar r = 0; r < Rows; r++) begin : gen_across
    veda_delay #(
      .Width (OperandBits),
      .Stages(r)
    ) u_stagger (
      .clk_i,
      .advance_i(step),
      .d_i      (in_take ? {in_signed_i & in_data_i[r*8+7], in_data_i[r*8 +: 8]} : '0),
      .q_o      (across[r*OperandBits +: OperandBits])
    );
  end

  for (genvar c = 0; c < Cols; c++) begin : gen_down
    veda_delay #(
      .Width (OperandBits),
      .Stages(c)
    ) u_stagger (
      .clk_i,
      .advance_i(step),
      .d_i      (columns_q[c*OperandBits +: OperandBits]),
      .q_o      (down[c*OperandBits +: OperandBits])
    );
  end

  assign aside[Cols*SumBits-1:0] = '0;
  assign unused_down             = ^down[Rows*Cols*OperandBits +: Cols*OperandBits];

  for (genvar r = 0; r < Rows; r++) begin : gen_rows
    // The sum is complete in the first column but not yet in the last row.
    logic hold;
    if (r < Rows - 1) begin : gen_hold
      assign hold = |copy_q[Rows+2:r+4];
    end else begin : gen_no_hold
      assign hold = 1'b0;
    end

    rsa_output_row #(
      .Cols       (Cols),
      .OperandBits(OperandBits),
      .SumBits    (SumBits)
    ) u_row (
      .clk_i,
      .step_i (step),
      .a_i    (across[r*OperandBits +: OperandBits]),
      .b_i    (down[r*Cols*OperandBits +: Cols*OperandBits]),
      .b_o    (down[(r+1)*Cols*OperandBits +: Cols*OperandBits]),
      .first_i(first_q[r+2 +: Cols]),
      .shift_i(shift_q[(r+2)*2 +: Cols*2]),
      .copy_i (copy_q[r+3 +: Cols]),
      .hold_i (hold),
      .aside_i(aside[r*Cols*SumBits +: Cols*SumBits]),
      .aside_o(aside[(r+1)*Cols*SumBits +: Cols*SumBits])
    );
  end

  assign out_sums_o = aside[Rows*Cols*SumBits +: Cols*SumBits];
  for (genvar c = 0; c < Cols; c++) begin : gen_valid
    assign out_valid_o[c] = leaves_q[Leaves+c] && count_q[(Leaves+c)*CountWidth +: CountWidth] > CountWidth'(c);
  end

  assign step = out_ready_i || out_valid_o == '0;

  // The driver must hold its inputs until they are taken.
  `ASSUME(LoadStable_M, load_valid_i && !load_ready_o |=> load_valid_i && $stable(load_data_i) &&
      $stable(load_signed_i) && $stable(load_nibbles_i))
  `ASSUME(InStable_M, in_valid_i && !in_ready_o |=> in_valid_i && $stable(in_data_i) && $stable(in_next_i) &&
      $stable(in_signed_i) && $stable(in_shift_i) && $stable(in_first_i) && $stable(in_leave_i) &&
      $stable(in_rows_i) && $stable(in_lanes_i))
  `ASSUME(ShiftExists_M, in_take |-> in_shift_i != 2'd3)
  `ASSUME(RowsExist_M, complete |-> in_rows_i != '0 && in_rows_i <= RowsWidth'(Rows))
  `ASSUME(LanesExist_M, complete |-> in_lanes_i != '0 && in_lanes_i <= CountWidth'(Cols))

  `ASSERT(LanesStay_A, out_valid_o != '0 && !out_ready_i |=> $stable(out_valid_o) && $stable(out_sums_o))
  `ASSERT(WaveHasColumns_A, in_take |-> full_q)
  `ASSERT(SumsApart_A, complete |-> left_q == '0)
  `ASSERT(RowsLeave_A, left_q != '0 && step |=> leaves_q[1])

  `COVER(LoadWaits_C, load_valid_i && !load_ready_o)
  `COVER(LoadBehindWave_C, load_take && full_q)
  `COVER(ColumnsMissing_C, in_valid_i && step && !full_q)
  `COVER(ColumnsStay_C, in_take && !in_next_i)
  `COVER(LeaveWaits_C, in_valid_i && in_leave_i && step && full_q && left_q != '0)
  `COVER(SumsMeanwhile_C, in_take && !in_leave_i && left_q != '0)
  `COVER(BackToBack_C, in_take && in_first_i && copy_q[1])
  `COVER(OneWave_C, in_take && in_first_i && in_leave_i)
  `COVER(OneRow_C, complete && in_rows_i == RowsWidth'(1))
  `COVER(AllRows_C, complete && in_rows_i == RowsWidth'(Rows))
  `COVER(ToMoreRows_C, complete && copy_q[Rows-1:1] != '0 && in_rows_i == RowsWidth'(Rows))
  `COVER(NoShift_C, in_take && in_shift_i == 2'd0)
  `COVER(ShiftOne_C, in_take && in_shift_i == 2'd1)
  `COVER(ShiftTwo_C, in_take && in_shift_i == 2'd2)
  `COVER(UnsignedByUnsigned_C, in_take && !in_signed_i && load_valid_i && !load_signed_i)
  `COVER(Nibbles_C, load_take && load_nibbles_i)
  `COVER(OutWaits_C, out_valid_o != '0 && !out_ready_i && in_valid_i)
  `COVER(AllLanes_C, out_valid_o == '1)
  `COVER(FewLanes_C, complete && in_lanes_i < CountWidth'(Cols))

endmodule
