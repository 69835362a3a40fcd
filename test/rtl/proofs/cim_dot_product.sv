// SPDX-License-Identifier: Apache-2.0
// The second description of the CIM macro. When the macro offers sums, these must be the dot
// products of the inputs and the weights that were in the macro when the vector was taken.
module cim_dot_product_proof #(
  parameter int Inputs     = 2,
  parameter int Outputs    = 2,
  parameter int WeightBits = 3,
  parameter int InputBits  = 2
) (
  input logic                          clk_i,
  input logic                          load_valid_i,
  input logic [$clog2(Inputs)-1:0]     load_row_i,
  input logic [Outputs*WeightBits-1:0] load_weights_i,
  input logic                          in_valid_i,
  input logic                          in_signed_i,
  input logic                          in_last_i,
  input logic [Inputs*InputBits-1:0]   in_vector_i,
  input logic                          out_ready_i
);

  localparam int SumBits = WeightBits + 2 * InputBits + $clog2(Inputs);

  logic                       started = 1'b0;  // set after the reset
  logic                       load_ready, in_ready, out_valid;
  logic [Outputs*SumBits-1:0] sums;

  cim_macro #(
    .Inputs    (Inputs),
    .Outputs   (Outputs),
    .WeightBits(WeightBits),
    .InputBits (InputBits)
  ) u_dut (
    .clk_i,
    .rst_ni      (started),
    .load_valid_i,
    .load_ready_o(load_ready),
    .load_row_i,
    .load_weights_i,
    .in_valid_i,
    .in_ready_o  (in_ready),
    .in_signed_i,
    .in_last_i,
    .in_vector_i,
    .out_valid_o (out_valid),
    .out_ready_i,
    .out_sums_o  (sums)
  );

  logic [Inputs-1:0]                    loaded = '0;
  logic [Inputs*Outputs*WeightBits-1:0] weights, used;  // weights in the macro, now and when the vector was taken
  logic [Inputs*2*InputBits-1:0]        vector;    // inputs of both passes
  logic                                 is_signed;
  logic                                 is_open = 1'b0;  // the current vector has a second pass
  logic                                 complete = 1'b0;
  logic                                 load_take, in_take;

  assign load_take = started && load_valid_i && load_ready;
  assign in_take   = started && in_valid_i && in_ready;

  function automatic signed [SumBits-1:0] weight_of;
    input int row;
    input int column;
    logic signed [WeightBits-1:0] weight;
    begin
      weight    = used[(row*Outputs+column)*WeightBits+:WeightBits];
      weight_of = weight;
    end
  endfunction

  // In signed mode, the highest bit of the first pass is the sign of the number.
  function automatic signed [SumBits-1:0] input_of;
    input int row;
    logic [2*InputBits-1:0] bits;
    begin
      bits     = vector[row*2*InputBits+:2*InputBits];
      input_of = {{SumBits{is_signed && bits[2*InputBits-1]}}, bits};
    end
  endfunction

  logic two_passes;
  logic taken = 1'b0;  // a vector was taken in the previous cycle
  logic whole;         // all rows have been loaded at least once

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (load_take) begin
      loaded[load_row_i]                                     <= 1'b1;
      weights[load_row_i*Outputs*WeightBits+:Outputs*WeightBits] <= load_weights_i;
    end
    // A row that arrives with the vector already counts for it.
    taken <= in_take;
    if (taken) begin
      used  <= weights;
      whole <= loaded == '1;
    end
    if (in_take) begin
      is_open    <= !in_last_i;
      complete   <= in_last_i;
      two_passes <= is_open;
      if (!is_open) begin
        is_signed <= in_signed_i;
      end
      for (int i = 0; i < Inputs; i++) begin
        if (is_open) begin
          vector[i*2*InputBits+:InputBits] <= in_vector_i[i*InputBits+:InputBits];
        end else begin
          // The input bits of a vector of one pass are in the upper half of `vector`, so its sum is
          // larger by a power of two.
          vector[i*2*InputBits+:2*InputBits] <= {in_vector_i[i*InputBits+:InputBits], {InputBits{1'b0}}};
        end
      end
    end
  end

  logic signed [SumBits-1:0] expected;

  // Therefore the expected sum of a vector of one pass is shifted back, which is exact.
  always_comb begin
    for (int o = 0; o < Outputs; o++) begin
      expected = '0;
      for (int i = 0; i < Inputs; i++) begin
        expected = expected + weight_of(i, o) * input_of(i);
      end
      if (!two_passes) begin
        expected = expected >>> InputBits;
      end
      if (started && out_valid && whole) begin
        assert (complete);
        assert (sums[o*SumBits+:SumBits] == expected);
      end
    end
  end

  // The driver must send at most two passes. Only the first pass may be signed.
  always_comb begin
    if (is_open) begin
      assume (!in_valid_i || (in_last_i && !in_signed_i));
    end
  end

endmodule
