// SPDX-License-Identifier: Apache-2.0

// A row of processing elements. A wave reaches column c one step after column c - 1, and a row one
// step after the row above. Therefore each column has its own control bits.
/* verilator tracing_off */
module rsa_row #(
  parameter int Cols        = 4,
  parameter int OperandBits = 9,
  parameter int PartBits    = 19
) (
  input  logic                        clk_i,
  input  logic                        step_i,

  input  logic [1:0]                  load_i,
  input  logic [Cols*OperandBits-1:0] weights_i,

  input  logic [Cols-1:0]             bank_i,
  input  logic [Cols-1:0]             transposed_i,
  input  logic [Cols-1:0]             add_transposed_i,

  input  logic [OperandBits-1:0]      operand_i,       // operand of the first column, plain
  input  logic [Cols*OperandBits-1:0] top_operands_i,
  output logic [Cols*OperandBits-1:0] operands_o,
  input  logic [Cols*PartBits-1:0]    top_parts_i,
  output logic [Cols*PartBits-1:0]    parts_o
);

  // Values passed from column to column. The lowest entry is the input.
  logic [(Cols+1)*OperandBits-1:0] operands;
  logic [(Cols+1)*PartBits-1:0]    parts;

  assign operands[OperandBits-1:0] = operand_i;
  assign parts[PartBits-1:0]       = '0;

  for (genvar c = 0; c < Cols; c++) begin : gen_pe
    rsa_pe #(
      .OperandBits(OperandBits),
      .PartBits   (PartBits)
    ) u_pe (
      .clk_i,
      .step_i,
      .load_i,
      .weight_i        (weights_i[c*OperandBits +: OperandBits]),
      .bank_i          (bank_i[c]),
      .transposed_i    (transposed_i[c]),
      .add_transposed_i(add_transposed_i[c]),
      .left_operand_i  (operands[c*OperandBits +: OperandBits]),
      .top_operand_i   (top_operands_i[c*OperandBits +: OperandBits]),
      .operand_o       (operands[(c+1)*OperandBits +: OperandBits]),
      .left_part_i     (parts[c*PartBits +: PartBits]),
      .top_part_i      (top_parts_i[c*PartBits +: PartBits]),
      .part_o          (parts[(c+1)*PartBits +: PartBits])
    );
  end

  assign operands_o = operands[(Cols+1)*OperandBits-1:OperandBits];
  assign parts_o    = parts[(Cols+1)*PartBits-1:PartBits];

endmodule
/* verilator tracing_on */
