// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Reconfigurable systolic array (Kelle, section 5.2, figure 11): Rows x Cols 8-bit multipliers,
// weight stationary. A fold consists of the loaded rows of the stationary operand and the waves
// that pass through them. A wave is one byte of each of up to Rows or Cols elements of A. It enters
// at the corner and reaches diagonal d of the array d steps later.
//
// - The operand is loaded in its stored form, one row per cycle, and products use it plain or
//   transposed. In a plain product, wave element i passes row i from left to right, and sums leave
//   at the bottom, one for each column. In a transposed product, element i passes column i from top
//   to bottom, and sums leave at the right, one for each row. Waves of both kinds may follow each
//   other.
// - There are two banks: the next fold is loaded while waves pass the present one. A row can be
//   loaded when the last wave of the fold before the previous one has passed it. Waves may enter
//   when the first row of their fold is loaded, but a fold's last wave only after its last row. If
//   a wave reaches a row that is not loaded yet, the whole array waits.
// - Bytes are signed or unsigned, by row for the stationary operand and by wave for A. A 16-bit
//   element is a signed high byte and an unsigned low byte. Each pair of bytes is a pass with its
//   own sums. Four-bit elements are packed at the load port and always signed.
// - Each output lane has 32-bit accumulators. A wave states the accumulator entry to which its sums
//   are added (or in which they begin), whether the sums then leave, and for how many lanes. Lane i
//   of a wave leaves i steps after lane 0, as the systolic evictor expects. The array stalls while
//   an offered lane is not taken.
//
// Elements of A without a row (transposed: a column) of the operand must be 0.
module rsa #(
  parameter int Rows = 4,
  parameter int Cols = 4,
  parameter int Sums = 8   // accumulators per lane, at least 4: a row of A may need 4 passes
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    load_valid_i,
  output logic                    load_ready_o,
  input  logic                    load_last_i,     // last row of its fold
  input  logic                    load_signed_i,
  input  logic                    load_nibbles_i,  // four-bit elements, in the lower half
  input  logic [Cols*8-1:0]       load_data_i,

  input  logic                    in_valid_i,
  output logic                    in_ready_o,
  input  logic                    in_last_i,       // last wave of its fold
  input  logic                    in_transposed_i,
  input  logic                    in_signed_i,
  input  logic [((Rows > Cols) ? Rows : Cols)*8-1:0] in_data_i,
  input  logic [$clog2(Sums)-1:0] in_sum_i,        // accumulator of the wave
  input  logic                    in_add_i,        // adds to the accumulator's value
  input  logic                    in_leave_i,      // the sums are complete
  input  logic [$clog2(((Rows > Cols) ? Rows : Cols)+1)-1:0] in_lanes_i,  // number of lanes with sums,
                                                                          // from the lowest

  output logic [((Rows > Cols) ? Rows : Cols)-1:0] out_valid_o,
  input  logic                    out_ready_i,     // for all lanes together
  output logic [((Rows > Cols) ? Rows : Cols)*32-1:0] out_sums_o
);

  `ASSERT_INIT(Rows_A, Rows >= 2)
  `ASSERT_INIT(Cols_A, Cols >= 2)
  `ASSERT_INIT(Sums_A, Sums >= 4)

  localparam int Lanes       = (Rows > Cols) ? Rows : Cols;
  localparam int OperandBits = 9;
  localparam int SumBits     = 32;
  localparam int PartBits    = 2 * OperandBits - 1 + $clog2(Lanes);
  localparam int Diagonals   = Rows + Cols - 1;
  localparam int RowWidth    = $clog2(Rows);
  localparam int IndexWidth  = $clog2(Sums);
  localparam int AgeWidth    = $clog2(Rows + Cols);
  localparam int CountWidth  = $clog2(Lanes + 1);

  logic step, missing, load_take, in_take;
  assign load_take = load_valid_i && load_ready_o;
  assign in_take   = in_valid_i && in_ready_o;

  // --- Folds ---

  logic                load_bank_d, load_bank_q;  // bank that is loaded
  logic                wave_bank_d, wave_bank_q;  // bank that waves enter
  logic [1:0]          full_d, full_q;            // the bank is loaded, and not all waves have
                                                  // entered
  logic [RowWidth-1:0] load_row_d, load_row_q;    // loaded rows of the fold being loaded
  logic                first_d, first_q;          // the next wave is the first of its fold
  logic                chase_d, chase_q;          // waves enter a fold that is still being loaded
  logic [RowWidth-1:0] front_d, front_q;          // row that the first wave of the fold has reached
  logic [AgeWidth-1:0] age_d [2];                 // steps since each bank's last wave entered
  logic [AgeWidth-1:0] age_q [2];

  assign missing      = chase_q && front_q == load_row_q;
  assign load_ready_o = !full_q[load_bank_q] && age_q[load_bank_q] >= AgeWidth'(load_row_q) + AgeWidth'(Cols);
  assign in_ready_o   = step && (full_q[wave_bank_q] ||
      (load_bank_q == wave_bank_q && load_row_q != '0 && !in_last_i));

  always_comb begin
    load_bank_d = load_bank_q;
    wave_bank_d = wave_bank_q;
    full_d      = full_q;
    load_row_d  = load_row_q;
    first_d     = first_q;
    chase_d     = chase_q;
    front_d     = front_q;
    for (int b = 0; b < 2; b++) begin
      age_d[b] = age_q[b];
      if (step && age_q[b] != AgeWidth'(Rows + Cols - 1)) begin
        age_d[b] = age_q[b] + AgeWidth'(1);
      end
    end
    if (step) begin
      front_d = front_q + RowWidth'(1);
    end
    if (in_take) begin
      first_d = in_last_i;
      if (first_q) begin
        chase_d = !full_q[wave_bank_q];
        front_d = RowWidth'(1);
      end
      if (in_last_i) begin
        full_d[wave_bank_q] = 1'b0;
        age_d[wave_bank_q]  = AgeWidth'(1);
        wave_bank_d         = !wave_bank_q;
      end
    end
    if (load_take) begin
      load_row_d = load_row_q + RowWidth'(1);
      if (load_last_i) begin
        full_d[load_bank_q] = 1'b1;
        chase_d             = 1'b0;
        load_row_d          = '0;
        load_bank_d         = !load_bank_q;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_bank_q <= 1'b0;
      wave_bank_q <= 1'b0;
      full_q      <= '0;
      load_row_q  <= '0;
      first_q     <= 1'b1;
      chase_q     <= 1'b0;
      age_q[0]    <= AgeWidth'(Rows + Cols - 1);
      age_q[1]    <= AgeWidth'(Rows + Cols - 1);
    end else begin
      load_bank_q <= load_bank_d;
      wave_bank_q <= wave_bank_d;
      full_q      <= full_d;
      load_row_q  <= load_row_d;
      first_q     <= first_d;
      chase_q     <= chase_d;
      age_q[0]    <= age_d[0];
      age_q[1]    <= age_d[1];
    end
  end

  always_ff @(posedge clk_i) begin
    front_q <= front_d;
  end

  // --- Fields of a wave ---

  // State of the wave that entered n steps ago, until its last lane's output.
  localparam int Steps = 2 * Lanes + 2;
  logic [Steps:1]              leave_q;
  logic [Steps-1:1]            valid_q, transposed_q, add_q;
  logic [Diagonals-1:1]        bank_q;
  logic [Steps*IndexWidth-1:IndexWidth] index_q;
  logic [(Steps+1)*CountWidth-1:CountWidth] count_q;
  logic [Diagonals+1:0]        transposed;
  logic [Diagonals-1:0]        bank;

  assign transposed = {transposed_q[Diagonals+1:1], in_transposed_i};
  assign bank       = {bank_q, wave_bank_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leave_q <= '0;
    end else if (step) begin
      leave_q <= {leave_q[Steps-1:1], in_take && in_leave_i};
    end
  end

  // Waves that a reset has interrupted may still write accumulators. They do so before the first
  // new wave, which starts its own sums.
  always_ff @(posedge clk_i) begin
    if (step) begin
      valid_q      <= {valid_q[Steps-2:1], in_take};
      transposed_q <= {transposed_q[Steps-2:1], in_transposed_i};
      add_q        <= {add_q[Steps-2:1], in_add_i};
      bank_q       <= bank[Diagonals-2:0];
      index_q      <= {index_q[(Steps-1)*IndexWidth-1:IndexWidth], in_sum_i};
      count_q      <= {count_q[Steps*CountWidth-1:CountWidth], in_lanes_i};
    end
  end

  // --- Array ---

  logic [Lanes*OperandBits-1:0]      lanes;
  logic [Cols*OperandBits-1:0]       weights;
  /* verilator tracing_off */
  logic [(Rows+1)*Cols*OperandBits-1:0] operands;  // from row to row; the lowest entry is the input
  logic [(Rows+1)*Cols*PartBits-1:0] parts;
  /* verilator tracing_on */

  for (genvar i = 0; i < Lanes; i++) begin : gen_stagger
    veda_delay #(
      .Width (OperandBits),
      .Stages(i)
    ) u_stagger (
      .clk_i,
      .advance_i(step),
      .d_i      ({in_signed_i & in_data_i[i*8+7], in_data_i[i*8 +: 8]}),
      .q_o      (lanes[i*OperandBits +: OperandBits])
    );
  end

  for (genvar c = 0; c < Cols; c++) begin : gen_weights
    assign weights[c*OperandBits +: OperandBits] = load_nibbles_i ?
        {{5{load_data_i[c*4+3]}}, load_data_i[c*4 +: 4]} :
        {load_signed_i & load_data_i[c*8+7], load_data_i[c*8 +: 8]};
  end

  logic unused_operands;  // outputs of the last row
  assign unused_operands = ^operands[Rows*Cols*OperandBits +: Cols*OperandBits];

  assign operands[Cols*OperandBits-1:0] = lanes[Cols*OperandBits-1:0];
  assign parts[Cols*PartBits-1:0]       = '0;

  for (genvar r = 0; r < Rows; r++) begin : gen_rows
    logic load;
    assign load = load_take && load_row_q == RowWidth'(r);

    rsa_row #(
      .Cols       (Cols),
      .OperandBits(OperandBits),
      .PartBits   (PartBits)
    ) u_row (
      .clk_i,
      .step_i          (step),
      .load_i          ({load && load_bank_q, load && !load_bank_q}),
      .weights_i       (weights),
      .bank_i          (bank[r +: Cols]),
      .transposed_i    (transposed[r +: Cols]),
      .add_transposed_i(transposed[r+2 +: Cols]),
      .operand_i       (lanes[r*OperandBits +: OperandBits]),
      .top_operands_i  (operands[r*Cols*OperandBits +: Cols*OperandBits]),
      .operands_o      (operands[(r+1)*Cols*OperandBits +: Cols*OperandBits]),
      .top_parts_i     (parts[r*Cols*PartBits +: Cols*PartBits]),
      .parts_o         (parts[(r+1)*Cols*PartBits +: Cols*PartBits])
    );
  end

  // --- Sums ---

  // Lane i has its sum Lanes + 2 + i steps after the wave entered. If rows and columns differ in
  // number, the shorter path is delayed to match.
  logic [Lanes*PartBits-1:0] down, right;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lanes
    if (i < Cols) begin : gen_down
      veda_delay #(
        .Width (PartBits),
        .Stages(Lanes - Rows)
      ) u_wait (
        .clk_i,
        .advance_i(step),
        .d_i      (parts[(Rows*Cols+i)*PartBits +: PartBits]),
        .q_o      (down[i*PartBits +: PartBits])
      );
    end else begin : gen_no_down
      assign down[i*PartBits +: PartBits] = '0;
    end
    if (i < Rows) begin : gen_right
      veda_delay #(
        .Width (PartBits),
        .Stages(Lanes - Cols)
      ) u_wait (
        .clk_i,
        .advance_i(step),
        .d_i      (parts[((i+2)*Cols-1)*PartBits +: PartBits]),
        .q_o      (right[i*PartBits +: PartBits])
      );
    end else begin : gen_no_right
      assign right[i*PartBits +: PartBits] = '0;
    end

    rsa_lane #(
      .Sums    (Sums),
      .SumBits (SumBits),
      .PartBits(PartBits)
    ) u_lane (
      .clk_i,
      .step_i      (step),
      .next_index_i(index_q[(Lanes+1+i)*IndexWidth +: IndexWidth]),
      .valid_i     (valid_q[Lanes+2+i]),
      .add_i       (add_q[Lanes+2+i]),
      .index_i     (index_q[(Lanes+2+i)*IndexWidth +: IndexWidth]),
      .part_i      (transposed_q[Lanes+2+i] ? right[i*PartBits +: PartBits] : down[i*PartBits +: PartBits]),
      .sum_o       (out_sums_o[i*SumBits +: SumBits])
    );
  end

  logic [Lanes-1:0] leaves;
  for (genvar i = 0; i < Lanes; i++) begin : gen_leaves
    assign leaves[i] = leave_q[Lanes+3+i] && count_q[(Lanes+3+i)*CountWidth +: CountWidth] > CountWidth'(i);
  end

  assign out_valid_o = missing ? '0 : leaves;
  assign step        = !missing && (out_ready_i || leaves == '0);

  // The driver must hold its inputs until they are taken.
  `ASSUME(LoadStable_M, load_valid_i && !load_ready_o |=> load_valid_i && $stable(load_data_i) &&
      $stable(load_last_i) && $stable(load_signed_i) && $stable(load_nibbles_i))
  `ASSUME(InStable_M, in_valid_i && !in_ready_o |=> in_valid_i && $stable(in_data_i) && $stable(in_last_i) &&
      $stable(in_transposed_i) && $stable(in_signed_i) && $stable(in_sum_i) && $stable(in_add_i) &&
      $stable(in_leave_i) && $stable(in_lanes_i))
  `ASSUME(FoldFits_M, load_take && load_row_q == RowWidth'(Rows - 1) |-> load_last_i)
  `ASSUME(LanesExist_M, in_take |-> in_lanes_i != '0 && in_lanes_i <= CountWidth'(Lanes))
  `ASSUME(SumExists_M, in_take |-> int'(in_sum_i) < Sums)

  `ASSERT(LanesStay_A, out_valid_o != '0 && !out_ready_i |=> $stable(out_valid_o) && $stable(out_sums_o))
  `ASSERT(NoOvertaking_A, chase_q |-> front_q <= load_row_q)
  `ASSERT(LastOfWhole_A, in_take && in_last_i |-> full_q[wave_bank_q])
  `ASSERT(NoLoadUnderWave_A, load_take |-> !full_q[load_bank_q])

  `COVER(Chase_C, in_take && first_q && !full_q[wave_bank_q])
  `COVER(RowMissing_C, missing)
  `COVER(LastWaits_C, in_valid_i && in_last_i && step && !full_q[wave_bank_q] && load_row_q != '0)
  `COVER(LoadWaitsForWave_C, load_valid_i && !load_ready_o && !full_q[load_bank_q])
  `COVER(LoadWaitsForBank_C, load_valid_i && full_q == '1)
  `COVER(LoadBehindWaves_C, load_take && in_take && load_bank_q != wave_bank_q)
  `COVER(OneRow_C, load_take && load_last_i && load_row_q == '0)
  `COVER(AllRows_C, load_take && load_row_q == RowWidth'(Rows - 1))
  `COVER(OneWave_C, in_take && first_q && in_last_i)
  `COVER(BackToBack_C, in_take && first_q && valid_q[1])
  `COVER(ToTransposed_C, in_take && valid_q[1] && in_transposed_i && !transposed_q[1])
  `COVER(FromTransposed_C, in_take && valid_q[1] && !in_transposed_i && transposed_q[1])
  `COVER(SameSums_C, in_take && valid_q[1] && in_add_i && in_sum_i == index_q[IndexWidth +: IndexWidth])
  `COVER(UnsignedByUnsigned_C, in_take && !in_signed_i && load_valid_i && !load_signed_i)
  `COVER(Nibbles_C, load_take && load_nibbles_i)
  `COVER(OutWaits_C, out_valid_o != '0 && !out_ready_i && in_valid_i)
  `COVER(AllLanes_C, out_valid_o == '1)
  `COVER(FewLanes_C, in_take && in_leave_i && in_lanes_i < CountWidth'(Lanes))

endmodule
