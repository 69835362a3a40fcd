// SPDX-License-Identifier: Apache-2.0

// A row of the output-stationary array. A wave reaches column c one step after column c - 1, and a
// row one step after the row above. Therefore each column has its own control bits.
/* verilator tracing_off */
module rsa_output_row #(
  parameter int Cols        = 4,
  parameter int OperandBits = 9,
  parameter int SumBits     = 48
) (
  input  logic                        clk_i,
  input  logic                        step_i,

  input  logic [OperandBits-1:0]      a_i,      // operand of the first column
  input  logic [Cols*OperandBits-1:0] b_i,
  output logic [Cols*OperandBits-1:0] b_o,

  input  logic [Cols-1:0]             first_i,
  input  logic [Cols*2-1:0]           shift_i,
  input  logic [Cols-1:0]             copy_i,
  input  logic                        hold_i,   // hold_i of the first column
  input  logic [Cols*SumBits-1:0]     aside_i,
  output logic [Cols*SumBits-1:0]     aside_o
);

  // Values passed from column to column. The lowest entry is the input.
  logic [(Cols+1)*OperandBits-1:0] operands;
  logic [Cols:0]                   hold;
  logic                            unused_right;  // outputs of the last column

  assign operands[OperandBits-1:0] = a_i;
  assign hold[0]                   = hold_i;
  assign unused_right              = ^{operands[Cols*OperandBits +: OperandBits], hold[Cols]};

  for (genvar c = 0; c < Cols; c++) begin : gen_pe
    rsa_output_pe #(
      .OperandBits(OperandBits),
      .SumBits    (SumBits)
    ) u_pe (
      .clk_i,
      .step_i,
      .a_i    (operands[c*OperandBits +: OperandBits]),
      .a_o    (operands[(c+1)*OperandBits +: OperandBits]),
      .b_i    (b_i[c*OperandBits +: OperandBits]),
      .b_o    (b_o[c*OperandBits +: OperandBits]),
      .first_i(first_i[c]),
      .shift_i(shift_i[c*2 +: 2]),
      .copy_i (copy_i[c]),
      .hold_i (hold[c]),
      .hold_o (hold[c+1]),
      .aside_i(aside_i[c*SumBits +: SumBits]),
      .aside_o(aside_o[c*SumBits +: SumBits])
    );
  end

endmodule
/* verilator tracing_on */
