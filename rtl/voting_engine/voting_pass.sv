// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Output pass. Elements leave the FIFO one per cycle, each with its slot's count. The count gets a
// vote if the element is below the threshold; if the threshold is below 0, only the smallest
// element gives a vote. In the last vector of an entry, counts are added to the earlier votes and
// leave. Other counts are written back. A slot that no earlier vector of the entry has reached
// starts at 0.
module voting_pass #(
  parameter int Capacity   = 64,
  parameter int CountWidth = 16
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          clear_i,  // begins an entry: no slot has been reached
  output logic                          idle_o,

  input  logic                          start_i,  // reads the first element at once, if it is ready
  output logic                          ready_o,
  input  logic [$clog2(Capacity+1)-1:0] length_i,
  input  logic [31:0]                   threshold_i,
  input  logic [$clog2(Capacity)-1:0]   smallest_i,
  input  logic                          last_i,  // last vector of its entry

  output logic                          read_o,  // read from the FIFO; data are available in the
                                                 // next cycle
  input  logic [30:0]                   element_i,  // FP32 without sign bit

  input  logic                          count_valid_i,  // earlier votes
  output logic                          count_ready_o,
  input  logic [CountWidth-1:0]         count_i,

  output logic                          store_valid_o,
  input  logic                          store_ready_i,
  output logic [CountWidth-1:0]         store_o,
  output logic                          store_last_o
);

  localparam int IndexWidth  = $clog2(Capacity);
  localparam int LengthWidth = $clog2(Capacity + 1);

  // --- Reading ---

  logic                   active_d, active_q;
  logic [IndexWidth-1:0]  index, index_q;
  logic [LengthWidth-1:0] length, length_q, reached_d, reached_q;
  logic                   advance, read_last;

  assign ready_o   = !active_q && advance;
  assign read_o    = active_q ? advance : start_i && advance;
  assign index     = active_q ? index_q : '0;
  assign length    = active_q ? length_q : length_i;
  assign read_last = LengthWidth'(index) + LengthWidth'(1) == length;
  assign active_d  = read_o ? !read_last : active_q;

  always_comb begin
    reached_d = reached_q;
    if (read_o && read_last && length > reached_q) begin
      reached_d = length;
    end
    if (clear_i) begin
      reached_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else begin
      active_q <= active_d;
    end
  end

  logic [31:0]           threshold_q;
  logic [IndexWidth-1:0] smallest_q;
  logic                  last_q;

  always_ff @(posedge clk_i) begin
    reached_q <= reached_d;
    if (read_o) begin
      index_q <= index + IndexWidth'(1);
    end
    if (start_i && ready_o) begin
      length_q    <= length_i;
      threshold_q <= threshold_i;
      smallest_q  <= smallest_i;
      last_q      <= last_i;
    end
  end

  // --- Counting ---

  logic                  slot_valid_d, slot_valid_q, slot_new_q, slot_last_q;
  logic [IndexWidth-1:0] slot_q;
  logic [CountWidth-1:0] counted, count, more;
  logic [CountWidth:0]   total;
  logic                  votes, below_zero, leaves;

  assign slot_valid_d = advance ? read_o : slot_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_valid_q <= 1'b0;
    end else begin
      slot_valid_q <= slot_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_o) begin
      slot_q      <= index;
      slot_new_q  <= LengthWidth'(index) >= reached_q;
      slot_last_q <= read_last;
    end
  end

  voting_ram #(
    .Width(CountWidth),
    .Depth(Capacity)
  ) u_counts (
    .clk_i,
    .write_i     (slot_valid_q && !last_q),
    .write_at_i  (slot_q),
    .write_data_i(more),
    .read_i      (read_o),
    .read_at_i   (index),
    .read_data_o (counted)
  );

  assign below_zero = threshold_q[31];
  assign votes      = below_zero ? slot_q == smallest_q : element_i < threshold_q[30:0];
  assign count      = slot_new_q ? '0 : counted;
  assign more       = count + CountWidth'(votes && count != '1);
  assign total      = {1'b0, more} + {1'b0, count_i};

  assign leaves        = slot_valid_q && last_q;
  assign advance       = !leaves || (count_valid_i && store_ready_i);
  assign count_ready_o = leaves && store_ready_i;
  assign store_valid_o = leaves && count_valid_i;
  assign store_o       = total[CountWidth] ? '1 : total[CountWidth-1:0];
  assign store_last_o  = slot_last_q;
  assign idle_o        = !active_q && !slot_valid_q;

  `ASSERT(StoreStable_A,
      store_valid_o && !store_ready_i |=> store_valid_o && $stable(store_o) && $stable(store_last_o))
  `COVER(SmallestVote_C, slot_valid_q && below_zero && votes)
  `COVER(Vote_C, slot_valid_q && !below_zero && votes)
  `COVER(NoVote_C, slot_valid_q && !below_zero && !votes)
  `COVER(NewSlot_C, slot_valid_q && slot_new_q && !last_q && slot_q != '0 && reached_q != '0)
  `COVER(Saturates_C, leaves && total[CountWidth])
  `COVER(WaitsForCount_C, leaves && !count_valid_i)
  `COVER(WaitsForStore_C, leaves && count_valid_i && !store_ready_i)
  `COVER(PassBackToBack_C, start_i && ready_o && slot_valid_q)

endmodule
