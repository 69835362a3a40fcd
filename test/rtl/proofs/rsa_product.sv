// SPDX-License-Identifier: Apache-2.0
// The second description of a processing element. Its output is the sum that came with the wave, plus the product of
// the wave's operand and the bank's weight. The product is computed bit by bit from multiples of the operand.
module rsa_product_proof #(
  parameter int OperandBits = 5,
  parameter int PartBits    = 12
) (
  input logic                   clk_i,
  input logic                   step_i,
  input logic [1:0]             load_i,
  input logic [OperandBits-1:0] weight_i,
  input logic                   bank_i,
  input logic                   transposed_i,
  input logic                   add_transposed_i,
  input logic [OperandBits-1:0] left_operand_i,
  input logic [OperandBits-1:0] top_operand_i,
  input logic [PartBits-1:0]    left_part_i,
  input logic [PartBits-1:0]    top_part_i
);

  logic [OperandBits-1:0] operand;
  logic [PartBits-1:0]    part;

  rsa_pe #(
    .OperandBits(OperandBits),
    .PartBits   (PartBits)
  ) u_dut (
    .clk_i,
    .step_i,
    .load_i,
    .weight_i,
    .bank_i,
    .transposed_i,
    .add_transposed_i,
    .left_operand_i,
    .top_operand_i,
    .operand_o(operand),
    .left_part_i,
    .top_part_i,
    .part_o   (part)
  );

  // The highest bit of a two's complement number counts as negative.
  function automatic [PartBits-1:0] product;
    input [OperandBits-1:0] a;
    input [OperandBits-1:0] b;
    logic [PartBits-1:0]    wide;
    begin
      wide    = {{PartBits{a[OperandBits-1]}}, a};
      product = '0;
      for (int i = 0; i < OperandBits - 1; i++) begin
        if (b[i]) begin
          product = product + (wide << i);
        end
      end
      if (b[OperandBits-1]) begin
        product = product - (wide << (OperandBits - 1));
      end
    end
  endfunction

  // Operands and weights are bytes, signed or not.
  function automatic is_byte;
    input [OperandBits-1:0] number;
    is_byte = number[OperandBits-1-:2] != 2'b10;
  endfunction

  always_comb begin
    assume (is_byte(weight_i));
    assume (is_byte(left_operand_i));
    assume (is_byte(top_operand_i));
  end

  // The waves of the last steps, and the weights.
  logic [1:0]             loaded = 2'b00;
  logic [2:0]             waves  = 3'b000;  // known waves: the last one, the previous one, and the one that left
  logic [OperandBits-1:0] weights[2];
  logic [OperandBits-1:0] last_operand, last_weight, before_operand, before_weight;
  logic [PartBits-1:0]    expected;

  always_ff @(posedge clk_i) begin
    loaded <= loaded | load_i;
    for (int i = 0; i < 2; i++) begin
      if (load_i[i]) begin
        weights[i] <= weight_i;
      end
    end
    if (step_i) begin
      waves          <= {waves[1:0], loaded[bank_i]};
      last_operand   <= transposed_i ? top_operand_i : left_operand_i;
      last_weight    <= weights[bank_i];
      before_operand <= last_operand;
      before_weight  <= last_weight;
      expected       <= (add_transposed_i ? left_part_i : top_part_i) + product(before_operand, before_weight);
    end
  end

  always_comb begin
    if (waves[0]) begin
      assert (operand == last_operand);
    end
    if (waves[2]) begin
      assert (part == expected);
    end
  end

endmodule
