// SPDX-License-Identifier: Apache-2.0

// An output lane with its accumulators. A wave's sum is added to an entry or starts a new one. The
// entry is read one step before the addition.
module rsa_lane #(
  parameter int Sums     = 8,   // number of accumulators
  parameter int SumBits  = 32,
  parameter int PartBits = 19
) (
  input  logic                    clk_i,
  input  logic                    step_i,

  input  logic [$clog2(Sums)-1:0] next_index_i,  // accumulator of the next step's wave
  input  logic                    valid_i,       // a wave arrives at this lane
  input  logic                    add_i,
  input  logic [$clog2(Sums)-1:0] index_i,
  input  logic [PartBits-1:0]     part_i,

  output logic [SumBits-1:0]      sum_o          // sum of the previous step's wave
);

  logic [SumBits-1:0] sums_q [Sums];
  logic [SumBits-1:0] read_q, sum, sum_q;
  logic               same_q;  // the entry being read is written in the same step

  always_comb begin
    sum = {{(SumBits-PartBits){part_i[PartBits-1]}}, part_i};
    if (add_i) begin
      sum = sum + (same_q ? sum_q : read_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      read_q <= sums_q[next_index_i];
      same_q <= valid_i && next_index_i == index_i;
      sum_q  <= sum;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i && valid_i) begin
      sums_q[index_i] <= sum;
    end
  end

  assign sum_o = sum_q;

endmodule
