// SPDX-License-Identifier: Apache-2.0
// The second description of voting_search. No slot of the election has more votes than the winner, or as many votes and
// an earlier token. Slots have distinct numbers, and their tokens distinct positions.
module voting_election_proof #(
  parameter int IndexWidth    = 2,
  parameter int CountWidth    = 3,
  parameter int PositionWidth = 3
) (
  input logic                     clk_i,
  input logic                     take_i,
  input logic                     last_i,
  input logic [IndexWidth-1:0]    index_i,
  input logic [CountWidth-1:0]    count_i,
  input logic [PositionWidth-1:0] position_i,
  input logic [PositionWidth-1:0] protect_i,
  input logic                     ready_i
);

  localparam int Slots = 1 << IndexWidth;

  logic                  started = 1'b0;  // set after the reset
  logic                  first   = 1'b1;  // the next slot is the first of its election
  logic                  valid, found;
  logic [IndexWidth-1:0] index;

  voting_search #(
    .IndexWidth   (IndexWidth),
    .CountWidth   (CountWidth),
    .PositionWidth(PositionWidth)
  ) u_dut (
    .clk_i,
    .rst_ni    (started),
    .take_i    (started && take_i),
    .first_i   (first),
    .last_i,
    .index_i,
    .count_i,
    .position_i,
    .protect_i,
    .valid_o   (valid),
    .ready_i,
    .found_o   (found),
    .index_o   (index)
  );

  logic [Slots-1:0]               taken = '0;  // slots taken in this election
  logic [Slots-1:0]               candidate = '0;
  logic [Slots*CountWidth-1:0]    counts;
  logic [Slots*PositionWidth-1:0] positions;

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (started && take_i) begin
      first     <= last_i;
      taken     <= ((first ? '0 : taken) | (Slots'(1) << index_i));
      candidate <= ((first ? '0 : candidate) | (Slots'(position_i >= protect_i) << index_i));
      counts[index_i*CountWidth+:CountWidth]          <= count_i;
      positions[index_i*PositionWidth+:PositionWidth] <= position_i;
    end
  end

  // Ranks slots by votes, then by age. The larger rank wins.
  function automatic [CountWidth+PositionWidth-1:0] rank;
    input [IndexWidth-1:0] slot;
    rank = {counts[slot*CountWidth+:CountWidth], ~positions[slot*PositionWidth+:PositionWidth]};
  endfunction

  always_comb begin
    if (started && valid) begin
      assert (found == (candidate != '0));
      if (found) begin
        assert (candidate[index]);
        for (int i = 0; i < Slots; i++) begin
          assert (!candidate[i] || rank(i) <= rank(index));
        end
      end
    end
  end

  always_comb begin
    if (take_i) begin
      assume (!valid);
      assume (first || !taken[index_i]);
      for (int i = 0; i < Slots; i++) begin
        assume (first || !taken[i] || positions[i*PositionWidth+:PositionWidth] != position_i);
      end
    end
  end

endmodule
