// SPDX-License-Identifier: Apache-2.0

// A processing element: the stationary operands of two folds, a multiplier between registers, and
// an adder with a register. It works in two directions. In a plain product, the operand comes from
// the left and the partial sum from above. In a transposed product, the operand comes from above
// and the partial sum from the left. A wave's operand and weight are registered in one step,
// multiplied in the next, and added in the one after. The operand moves on after one step.
/* verilator tracing_off */
module rsa_pe #(
  parameter int OperandBits = 9,   // signed: a byte and its sign
  parameter int PartBits    = 19
) (
  input  logic                   clk_i,
  input  logic                   step_i,  // waves move

  input  logic [1:0]             load_i,  // load enables of the banks
  input  logic [OperandBits-1:0] weight_i,

  input  logic                   bank_i,            // bank of the arriving wave
  input  logic                   transposed_i,      // the arriving wave is transposed
  input  logic                   add_transposed_i,  // the wave that adds is transposed

  input  logic [OperandBits-1:0] left_operand_i,
  input  logic [OperandBits-1:0] top_operand_i,
  output logic [OperandBits-1:0] operand_o,
  input  logic [PartBits-1:0]    left_part_i,
  input  logic [PartBits-1:0]    top_part_i,
  output logic [PartBits-1:0]    part_o
);

  // Width of a product of two bytes, each signed or unsigned: 255 * 255 is the largest.
  localparam int ProductBits = 2 * OperandBits - 1;

  logic [OperandBits-1:0] weight, operand;
  logic [PartBits-1:0]    part;
  /* verilator tracing_on */
  logic [OperandBits-1:0] weight0_q, weight1_q, weight_q, operand_q;
  logic [ProductBits-1:0] product_q;
  logic [PartBits-1:0]    part_q;

  assign weight  = bank_i ? weight1_q : weight0_q;
  assign operand = transposed_i ? top_operand_i : left_operand_i;
  assign part    = add_transposed_i ? left_part_i : top_part_i;

  always_ff @(posedge clk_i) begin
    if (load_i[0]) begin
      weight0_q <= weight_i;
    end
    if (load_i[1]) begin
      weight1_q <= weight_i;
    end
    if (step_i) begin
      operand_q <= operand;
      weight_q  <= weight;
      product_q <= ProductBits'($signed(operand_q) * $signed(weight_q));
      part_q    <= part + {{(PartBits-ProductBits){product_q[ProductBits-1]}}, product_q};
    end
  end

  assign operand_o = operand_q;
  assign part_o    = part_q;

endmodule
