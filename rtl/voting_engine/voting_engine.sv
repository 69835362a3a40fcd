// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Voting engine (VEDA, sections III and V). A command is either a vector of probabilities, whose
// token votes against tokens below its threshold, or an election. The consecutive vectors of one
// batch entry are processed as follows:
//
// - The positions of the slots come on the slot channel, from the entry's first command on
//   (cmd_first_i).
// - Elements enter the FIFO, one per cycle, and are summed at the same time. After a vector has
//   entered, its threshold is computed. Its elements then leave, one per cycle, and slots get their
//   votes, while the next vector enters.
// - The output pass of the last vector (cmd_last_i; the longest of the entry) adds to the earlier
//   votes, which arrive on the count channel, and outputs the new votes on the store channel.
//
// An entry or an election begins when all earlier work is done. An election takes one slot's
// position and votes per cycle, and outputs its result in the cycle after the last slot.
module voting_engine #(
  parameter int Capacity      = 64,  // elements of the FIFO, slots of the vote buffer: at least 4
  parameter int CountWidth    = 16,
  parameter int PositionWidth = 32
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          cmd_valid_i,
  output logic                          cmd_ready_o,
  input  logic                          cmd_elect_i,
  input  logic [$clog2(Capacity+1)-1:0] cmd_length_i,  // elements of the vector, or slots of the
                                                       // election
  input  logic                          cmd_first_i,   // first vector of its entry
  input  logic                          cmd_last_i,
  input  logic [$clog2(Capacity+1)-1:0] cmd_slots_i,   // slots of the entry
  input  logic [30:0]                   cmd_mean_factor_i,  // FP32 without sign bits
  input  logic [30:0]                   cmd_deviation_factor_i,
  input  logic [PositionWidth-1:0]      cmd_protect_i,

  input  logic                          slot_valid_i,
  output logic                          slot_ready_o,
  input  logic [PositionWidth-1:0]      slot_position_i,

  input  logic                          element_valid_i,
  output logic                          element_ready_o,
  input  logic [15:0]                   element_i,  // FP16

  input  logic                          count_valid_i,
  output logic                          count_ready_o,
  input  logic [CountWidth-1:0]         count_i,

  output logic                          store_valid_o,
  input  logic                          store_ready_i,
  output logic [CountWidth-1:0]         store_o,
  output logic                          store_last_o,

  output logic                          result_valid_o,
  input  logic                          result_ready_i,
  output logic                          result_found_o,
  output logic [$clog2(Capacity)-1:0]   result_index_o
);

  `ASSERT_INIT(Capacity_A, Capacity >= 4 && Capacity < 1048576)
  `ASSERT_INIT(CountWidth_A, CountWidth >= 2)

  localparam int IndexWidth  = $clog2(Capacity);
  localparam int LengthWidth = $clog2(Capacity + 1);

  logic cmd_take, slot_take, element_take;
  assign cmd_take     = cmd_valid_i && cmd_ready_o;
  assign slot_take    = slot_valid_i && slot_ready_o;
  assign element_take = element_valid_i && element_ready_o;

  // --- Command ---

  // A command waits here until the previous vector has entered, or until all earlier work is done.
  logic                     waits_d, waits_q;
  logic                     elect_q, first_q, last_q;
  logic [LengthWidth-1:0]   length_q, slots_q;
  logic [30:0]              mean_factor_q, deviation_factor_q;
  logic [PositionWidth-1:0] protect_q;
  logic                     begin_vector, begin_entry, begin_election, engine_idle;

  assign cmd_ready_o = !waits_q;

  always_comb begin
    waits_d = waits_q;
    if (begin_vector || begin_election) begin
      waits_d = 1'b0;
    end
    if (cmd_take) begin
      waits_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
    end else begin
      waits_q <= waits_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_take) begin
      elect_q            <= cmd_elect_i;
      first_q            <= cmd_first_i;
      last_q             <= cmd_last_i;
      length_q           <= cmd_length_i;
      slots_q            <= cmd_slots_i;
      mean_factor_q      <= cmd_mean_factor_i;
      deviation_factor_q <= cmd_deviation_factor_i;
      protect_q          <= cmd_protect_i;
    end
  end

  // --- Slots ---

  logic                   slots_open_d, slots_open_q, electing_d, electing_q;
  logic [LengthWidth-1:0] loaded_d, loaded_q, slots_end_q;
  logic                   slots_last;

  assign slots_last = loaded_q + LengthWidth'(1) == slots_end_q;

  always_comb begin
    slots_open_d = slots_open_q;
    electing_d   = electing_q;
    loaded_d     = loaded_q;
    if (slot_take) begin
      loaded_d = loaded_q + LengthWidth'(1);
      if (slots_last) begin
        slots_open_d = 1'b0;
        electing_d   = 1'b0;
      end
    end
    if (begin_entry || begin_election) begin
      slots_open_d = begin_entry;
      electing_d   = begin_election;
      loaded_d     = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slots_open_q <= 1'b0;
      electing_q   <= 1'b0;
    end else begin
      slots_open_q <= slots_open_d;
      electing_q   <= electing_d;
    end
  end

  logic [PositionWidth-1:0] election_protect_q;

  always_ff @(posedge clk_i) begin
    loaded_q <= loaded_d;
    if (begin_entry || begin_election) begin
      slots_end_q        <= begin_entry ? slots_q : length_q;
      election_protect_q <= protect_q;
    end
  end

  logic pass_count_ready;

  assign slot_ready_o  = slots_open_q || (electing_q && count_valid_i);
  assign count_ready_o = electing_q ? slot_valid_i : pass_count_ready;

  // --- Elements ---

  logic                   vector_d, vector_q, vector_last_q;
  logic [LengthWidth-1:0] vector_length_q, index_d, index_q;
  logic [30:0]            vector_mean_q, vector_deviation_q;
  logic                   element_last, stall, read, full;
  logic [14:0]            element, popped;
  logic [30:0]            popped_wide;

  assign element_last    = index_q + LengthWidth'(1) == vector_length_q;
  assign element_ready_o = vector_q && !stall && index_q < loaded_q && !full;

  assign begin_vector   = waits_q && !elect_q &&
                          (first_q ? engine_idle : !vector_q || (element_take && element_last));
  assign begin_entry    = begin_vector && first_q;
  assign begin_election = waits_q && elect_q && engine_idle;

  always_comb begin
    vector_d = vector_q;
    index_d  = index_q;
    if (element_take) begin
      index_d  = index_q + LengthWidth'(1);
      vector_d = !element_last;
    end
    if (begin_vector) begin
      index_d  = '0;
      vector_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vector_q <= 1'b0;
    end else begin
      vector_q <= vector_d;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q <= index_d;
    if (begin_vector) begin
      vector_last_q      <= last_q;
      vector_length_q    <= length_q;
      vector_mean_q      <= mean_factor_q;
      vector_deviation_q <= deviation_factor_q;
    end
  end

  // The FIFO, with positions in parallel.
  logic [PositionWidth-1:0] position;

  voting_element u_element (
    .probability_i(element_i),
    .element_o    (element),
    .narrow_i     (popped),
    .wide_o       (popped_wide)
  );
  voting_fifo #(
    .Capacity(Capacity)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .full_o   (full),
    .take_i   (element_take),
    .element_i(element),
    .read_i   (read),
    .element_o(popped)
  );
  voting_ram #(
    .Width(PositionWidth),
    .Depth(Capacity)
  ) u_positions (
    .clk_i,
    .write_i     (slot_take && slots_open_q),
    .write_at_i  (loaded_q[IndexWidth-1:0]),
    .write_data_i(slot_position_i),
    .read_i      (element_take),
    .read_at_i   (index_q[IndexWidth-1:0]),
    .read_data_o (position)
  );

  // --- Sum, threshold, output pass ---

  logic                  sums_idle, sum_valid, threshold_idle, threshold_done;
  logic [30:0]           sum;
  logic [31:0]           threshold;
  logic [IndexWidth-1:0] smallest;
  logic                  pass_idle, pass_ready, starts;

  voting_sums #(
    .IndexWidth   (IndexWidth),
    .PositionWidth(PositionWidth)
  ) u_sums (
    .clk_i,
    .rst_ni,
    .take_i    (element_take),
    .element_i (element),
    .index_i   (index_q[IndexWidth-1:0]),
    .first_i   (index_q == '0),
    .last_i    (element_last),
    .position_i(position),
    .stall_o   (stall),
    .idle_o    (sums_idle),
    .valid_o   (sum_valid),
    .ready_i   (threshold_idle),
    .sum_o     (sum),
    .smallest_o(smallest)
  );

  // State of the vector whose sum is computed. The next vector, even its last element, may already
  // be entering.
  logic [LengthWidth-1:0] summed_length_q, held_length_q;
  logic [30:0]            summed_mean_q, summed_deviation_q;
  logic                   summed_last_q, held_last_q;
  logic [LengthWidth-1:0] sum_length_q;
  logic [30:0]            sum_mean_q, sum_deviation_q;
  logic                   sum_last_q;
  logic [IndexWidth-1:0]  held_smallest_q;

  always_ff @(posedge clk_i) begin
    if (element_take && element_last) begin
      summed_length_q    <= vector_length_q;
      summed_mean_q      <= vector_mean_q;
      summed_deviation_q <= vector_deviation_q;
      summed_last_q      <= vector_last_q;
    end
    if (!stall) begin
      sum_length_q    <= summed_length_q;
      sum_mean_q      <= summed_mean_q;
      sum_deviation_q <= summed_deviation_q;
      sum_last_q      <= summed_last_q;
    end
    if (sum_valid && threshold_idle) begin
      held_length_q   <= sum_length_q;
      held_last_q     <= sum_last_q;
      held_smallest_q <= smallest;
    end
  end

  voting_threshold #(
    .LengthWidth(LengthWidth)
  ) u_threshold (
    .clk_i,
    .rst_ni,
    .start_i           (sum_valid && threshold_idle),
    .length_i          (sum_length_q),
    .sum_i             (sum),
    .mean_factor_i     (sum_mean_q),
    .deviation_factor_i(sum_deviation_q),
    .idle_o            (threshold_idle),
    .done_o            (threshold_done),
    .take_i            (starts),
    .threshold_o       (threshold)
  );

  assign starts = threshold_done && pass_ready;

  voting_pass #(
    .Capacity  (Capacity),
    .CountWidth(CountWidth)
  ) u_pass (
    .clk_i,
    .rst_ni,
    .clear_i      (begin_entry),
    .idle_o       (pass_idle),
    .start_i      (threshold_done),
    .ready_o      (pass_ready),
    .length_i     (held_length_q),
    .threshold_i  (threshold),
    .smallest_i   (held_smallest_q),
    .last_i       (held_last_q),
    .read_o       (read),
    .element_i    (popped_wide),
    .count_valid_i(count_valid_i && !electing_q),
    .count_ready_o(pass_count_ready),
    .count_i,
    .store_valid_o,
    .store_ready_i,
    .store_o,
    .store_last_o
  );

  voting_search #(
    .IndexWidth   (IndexWidth),
    .CountWidth   (CountWidth),
    .PositionWidth(PositionWidth)
  ) u_search (
    .clk_i,
    .rst_ni,
    .take_i    (slot_take && electing_q),
    .first_i   (loaded_q == '0),
    .last_i    (slots_last),
    .index_i   (loaded_q[IndexWidth-1:0]),
    .count_i,
    .position_i(slot_position_i),
    .protect_i (election_protect_q),
    .valid_o   (result_valid_o),
    .ready_i   (result_ready_i),
    .found_o   (result_found_o),
    .index_o   (result_index_o)
  );

  assign engine_idle = !vector_q && !slots_open_q && !electing_q && sums_idle && threshold_idle &&
                       pass_idle && !result_valid_o;

  // The driver must hold its inputs until they are taken.
  `ASSUME(CmdStable_M, cmd_valid_i && !cmd_ready_o |=> cmd_valid_i && $stable(cmd_length_i))
  `ASSUME(CmdLengthInRange_M, cmd_valid_i |->
      cmd_length_i >= LengthWidth'(1) && cmd_length_i <= LengthWidth'(Capacity))
  `ASSUME(SlotsForAll_M, cmd_valid_i && !cmd_elect_i && cmd_first_i |->
      cmd_slots_i >= cmd_length_i && cmd_slots_i <= LengthWidth'(Capacity))
  `ASSUME(SlotStable_M, slot_valid_i && !slot_ready_o |=> slot_valid_i && $stable(slot_position_i))
  `ASSUME(ElementStable_M, element_valid_i && !element_ready_o |=>
      element_valid_i && $stable(element_i))
  `ASSUME(CountStable_M, count_valid_i && !count_ready_o |=> count_valid_i && $stable(count_i))

  `ASSERT(OneOrTheOther_A, !(slots_open_q && electing_q))

  `COVER(FullFifo_C, element_valid_i && vector_q && full)
  `COVER(WholeCapacity_C, cmd_take && cmd_length_i == LengthWidth'(Capacity))
  `COVER(OneElement_C, cmd_take && !cmd_elect_i && cmd_length_i == LengthWidth'(1))
  `COVER(LongerEntry_C, cmd_take && cmd_first_i && cmd_slots_i > cmd_length_i)
  `COVER(ElementWaitsForSlot_C, element_valid_i && vector_q && index_q >= loaded_q)
  `COVER(BackToBack_C, begin_vector && vector_q)
  `COVER(EntryWaits_C, waits_q && !elect_q && first_q && !engine_idle)
  `COVER(ElectionWaits_C, waits_q && elect_q && !engine_idle)
  `COVER(Infinity_C, element_take && element_i == 16'h7C00)
  `COVER(NotANumber_C, element_take && element_i[14:0] > 15'h7C00)
  `COVER(Negative_C, element_take && element_i[15] && element_i[14:0] < 15'h7C00)
  `COVER(Subnormal_C, element_take && element_i[14:10] == '0 && element_i[9:0] != '0)
  `COVER(ElectionWithoutCount_C, electing_q && slot_valid_i && !count_valid_i)
  `COVER(ElectionWithoutSlot_C, electing_q && !slot_valid_i && count_valid_i)
  `COVER(ResultWaits_C, result_valid_o && !result_ready_i)

endmodule
