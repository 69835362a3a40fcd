// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Reduces a vector as it arrives: the sum of its squares, element by element, and the position of
// its smallest element (ties: the earliest token). An element is squared at the end of the cycle in
// which it is taken, and its square is added in the next cycle. The sum and position stay until
// they are taken, and stall later elements.
module voting_sums #(
  parameter int IndexWidth    = 12,
  parameter int PositionWidth = 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     take_i,
  input  logic [14:0]              element_i,  // FP16 without sign bit
  input  logic [IndexWidth-1:0]    index_i,
  input  logic                     first_i,  // first element of its vector
  input  logic                     last_i,
  // Position of the element taken in the previous cycle.
  input  logic [PositionWidth-1:0] position_i,

  output logic                     stall_o,  // 1: no element is taken
  output logic                     idle_o,

  output logic                     valid_o,
  input  logic                     ready_i,
  output logic [30:0]              sum_o,  // FP32 without sign bit
  output logic [IndexWidth-1:0]    smallest_o
);

  logic                     valid_d, valid_q, first_q, last_q;
  logic                     sum_valid_d, sum_valid_q;
  logic                     advance;
  logic [14:0]              element_q;
  logic [IndexWidth-1:0]    index_q;
  logic [31:0]              square_d, square_q, sum_d, sum_q;

  assign stall_o = sum_valid_q && !ready_i;
  assign advance = !stall_o;
  assign idle_o  = !valid_q && !sum_valid_q;
  assign valid_o = sum_valid_q;

  fp16_mul u_square (
    .clk_i,
    .advance_i(1'b1),
    .a_i      ({1'b0, element_i}),
    .b_i      ({1'b0, element_i}),
    .product_o(square_d)
  );

  assign valid_d     = advance ? take_i : valid_q;
  assign sum_valid_d = advance ? valid_q && last_q : sum_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= 1'b0;
      sum_valid_q <= 1'b0;
    end else begin
      valid_q     <= valid_d;
      sum_valid_q <= sum_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      first_q   <= first_i;
      last_q    <= last_i;
      element_q <= element_i;
      index_q   <= index_i;
      square_q  <= square_d;
    end
  end

  fp32_add u_sum (
    .a_i      (first_q ? 32'd0 : sum_q),
    .b_i      (square_q),
    .sum_o    (sum_d)
  );

  logic [14:0]              least_q;
  logic [PositionWidth-1:0] least_position_q;
  logic [IndexWidth-1:0]    smallest_q;
  logic                     is_less;

  assign is_less = first_q || element_q < least_q ||
                   (element_q == least_q && position_i < least_position_q);

  always_ff @(posedge clk_i) begin
    if (valid_q && advance) begin
      sum_q <= sum_d;
      if (is_less) begin
        least_q          <= element_q;
        least_position_q <= position_i;
        smallest_q       <= index_q;
      end
    end
  end

  assign sum_o      = sum_q[30:0];
  assign smallest_o = smallest_q;

  `ASSUME(NothingTakenInAStall_M, stall_o |-> !take_i)
  `ASSERT(SumStays_A, valid_o && !ready_i |=> valid_o && $stable(sum_o) && $stable(smallest_o))
  `COVER(Stall_C, stall_o && valid_q)
  `COVER(TieEarlier_C,
      valid_q && !first_q && element_q == least_q && position_i < least_position_q)
  `COVER(TieLater_C,
      valid_q && !first_q && element_q == least_q && position_i > least_position_q)

endmodule
