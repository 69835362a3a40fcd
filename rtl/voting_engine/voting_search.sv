// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Running maximum. It finds the slot with the most votes among the arriving slots whose position is
// at least protect_i. In a tie, the earliest token wins. The result is ready in the cycle after the
// last slot.
module voting_search #(
  parameter int IndexWidth    = 12,
  parameter int CountWidth    = 16,
  parameter int PositionWidth = 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     take_i,
  input  logic                     first_i,
  input  logic                     last_i,
  input  logic [IndexWidth-1:0]    index_i,
  input  logic [CountWidth-1:0]    count_i,
  input  logic [PositionWidth-1:0] position_i,
  input  logic [PositionWidth-1:0] protect_i,

  output logic                     valid_o,
  input  logic                     ready_i,
  output logic                     found_o,
  output logic [IndexWidth-1:0]    index_o
);

  logic                     valid_d, valid_q, found_q, found;
  logic [CountWidth-1:0]    most_q;
  logic [PositionWidth-1:0] position_q;
  logic [IndexWidth-1:0]    index_q;
  logic                     is_more;

  always_comb begin
    valid_d = valid_q && !ready_i;
    if (take_i && last_i) begin
      valid_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else begin
      valid_q <= valid_d;
    end
  end

  assign found   = found_q && !first_i;
  assign is_more = position_i >= protect_i &&
                   (!found || count_i > most_q || (count_i == most_q && position_i < position_q));

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      found_q <= found || is_more;
      if (is_more) begin
        most_q     <= count_i;
        position_q <= position_i;
        index_q    <= index_i;
      end
    end
  end

  assign valid_o = valid_q;
  assign found_o = found_q;
  assign index_o = index_q;

  `ASSUME(TakenFirst_M, take_i |-> !valid_q)
  `ASSERT(ResultStable_A,
      valid_o && !ready_i |=> valid_o && $stable(found_o) && $stable(index_o))
  `COVER(NoneFound_C, valid_q && !found_q)
  `COVER(Protected_C, take_i && position_i < protect_i)
  `COVER(MostTieEarlier_C, take_i && found && count_i == most_q && position_i < position_q)
  `COVER(MostTieLater_C, take_i && found && count_i == most_q && position_i > position_q)

endmodule
