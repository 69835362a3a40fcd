// SPDX-License-Identifier: Apache-2.0

// One output of the macro: the weights of its column, their adder tree, and the sum over bits,
// highest bit first.
module cim_macro_column #(
  parameter int Inputs     = 32,
  parameter int WeightBits = 8,
  parameter int SumBits    = 29
) (
  input  logic                      clk_i,

  input  logic                      load_i,
  input  logic [$clog2(Inputs)-1:0] load_row_i,
  input  logic [WeightBits-1:0]     load_weight_i,

  input  logic                      step_i,    // one bit of each input
  input  logic                      start_i,   // first bit of a sum
  input  logic                      negate_i,  // the bit counts as negative
  input  logic [Inputs-1:0]         bits_i,
  output logic [SumBits-1:0]        sum_o
);

  localparam int TreeBits = WeightBits + $clog2(Inputs);

  logic [Inputs*WeightBits-1:0] weights_q;
  logic [TreeBits-1:0]          tree;
  logic [SumBits-1:0]           term, kept, sum_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      weights_q[load_row_i*WeightBits +: WeightBits] <= load_weight_i;
    end
  end

  cim_macro_tree #(
    .Inputs    (Inputs),
    .WeightBits(WeightBits)
  ) u_tree (
    .bits_i,
    .weights_i(weights_q),
    .sum_o    (tree)
  );

  // The new sum is twice the sum of the higher bits plus the tree's sum for this bit. For a
  // negative bit, it adds the complement plus 1, which subtracts.
  assign term = {{(SumBits-TreeBits){tree[TreeBits-1]}}, tree};
  assign kept = start_i ? '0 : {sum_q[SumBits-2:0], 1'b0};

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      sum_q <= kept + (negate_i ? ~term : term) + SumBits'(negate_i);
    end
  end

  assign sum_o = sum_q;

endmodule
