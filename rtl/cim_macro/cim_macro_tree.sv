// SPDX-License-Identifier: Apache-2.0

// Adder tree of a column: adds the weights whose input bit is set.
module cim_macro_tree #(
  parameter int Inputs     = 32,
  parameter int WeightBits = 8
) (
  input  logic [Inputs-1:0]                    bits_i,
  input  logic [Inputs*WeightBits-1:0]         weights_i,
  output logic [WeightBits+$clog2(Inputs)-1:0] sum_o  // signed
);

  localparam int Levels = $clog2(Inputs);
  localparam int Width  = WeightBits + Levels;

  // Each level of the tree overwrites the first half of the nodes of the level below.
  logic [Width-1:0] node [Inputs];

  always_comb begin
    for (int i = 0; i < Inputs; i++) begin
      node[i] = bits_i[i] ?
          {{Levels{weights_i[i*WeightBits+WeightBits-1]}}, weights_i[i*WeightBits +: WeightBits]} : '0;
    end
    for (int l = 1; l <= Levels; l++) begin
      for (int i = 0; i < (Inputs >> l); i++) begin
        node[i] = node[2*i] + node[2*i+1];
      end
    end
  end

  assign sum_o = node[0];

endmodule
