// SPDX-License-Identifier: Apache-2.0

// A processing element of the output-stationary array: a multiplier between registers, a stationary
// sum, and a second register. A complete sum waits in the second register before it moves down its
// column, while the next sum is computed. A's operand comes from the left, B's from above. Both are
// registered in one step, multiplied in the next, and added in the one after. They move on after
// one step.
/* verilator tracing_off */
module rsa_output_pe #(
  parameter int OperandBits = 9,   // signed: a byte and its sign
  parameter int SumBits     = 48
) (
  input  logic                   clk_i,
  input  logic                   step_i,   // waves move

  input  logic [OperandBits-1:0] a_i,
  output logic [OperandBits-1:0] a_o,
  input  logic [OperandBits-1:0] b_i,
  output logic [OperandBits-1:0] b_o,

  input  logic                   first_i,  // for the adding wave: begins the sum
  input  logic [1:0]             shift_i,  // for the adding wave: shift in bytes, at most 2
  input  logic                   copy_i,   // the sum is complete
  input  logic                   hold_i,   // the element below has not copied its sum yet
  output logic                   hold_o,   // hold_i of the element on the right
  input  logic [SumBits-1:0]     aside_i,  // sum from above
  output logic [SumBits-1:0]     aside_o
);

  // Width of a product of two bytes, each signed or unsigned: 255 * 255 is the largest.
  localparam int ProductBits = 2 * OperandBits - 1;

  logic [SumBits-1:0]     added;
  /* verilator tracing_on */
  logic [OperandBits-1:0] a_q, b_q;
  logic [ProductBits-1:0] product_q;
  logic [SumBits-1:0]     sum_q, aside_q;
  logic                   hold_q;

  always_comb begin
    added = {{(SumBits-ProductBits){product_q[ProductBits-1]}}, product_q};
    if (shift_i[0]) begin
      added = added << 8;
    end
    if (shift_i[1]) begin
      added = added << 16;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      a_q       <= a_i;
      b_q       <= b_i;
      product_q <= ProductBits'($signed(a_q) * $signed(b_q));
      sum_q     <= first_i ? added : sum_q + added;
      hold_q    <= hold_i;
      if (copy_i || !hold_i) begin
        aside_q <= copy_i ? sum_q : aside_i;
      end
    end
  end

  assign a_o     = a_q;
  assign b_o     = b_q;
  assign hold_o  = hold_q;
  assign aside_o = aside_q;

endmodule
