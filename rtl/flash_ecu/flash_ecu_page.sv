// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Second pass: takes the page beat by beat, and the records sorted by address. A beat waits one
// cycle for each record of its values, then leaves.
module flash_ecu_page #(
  parameter int ValueBits   = 8,
  parameter int AddressBits = 14,
  parameter int Beats       = 2048,
  parameter int Lanes       = 8  // values per beat
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,   // begins the next page
  input  logic                       enable_i,  // records and threshold are available

  input  logic                       valid_i,
  output logic                       ready_o,
  input  logic [Lanes*ValueBits-1:0] data_i,

  input  logic [ValueBits-1:0]       threshold_i,
  input  logic                       head_valid_i,
  input  logic [AddressBits-1:0]     head_address_i,
  input  logic [ValueBits-1:0]       head_value_i,
  input  logic [ValueBits-1:0]       head_even_i,
  output logic                       next_o,

  output logic                       valid_o,
  input  logic                       ready_i,
  output logic [Lanes*ValueBits-1:0] data_o,
  output logic                       last_o,

  output logic                       corrected_o,  // the record at the port changes a value
  output logic                       duplicate_o,
  output logic [$clog2(Lanes+1)-1:0] clamped_o     // clamped values of the beat
);

  localparam int LaneBits  = $clog2(Lanes);
  localparam int BeatBits  = AddressBits - LaneBits;
  localparam int CountBits = $clog2(Beats + 1);
  localparam int ClampBits = $clog2(Lanes + 1);

  logic                 held_d, held_q;
  logic [CountBits-1:0] count_d, count_q;  // number of beats taken
  logic [BeatBits-1:0]  beat_q;            // number of the held beat
  logic                 take, give, is_here;

  assign is_here = head_valid_i & (head_address_i[AddressBits-1:LaneBits] == beat_q);
  assign next_o  = held_q & is_here;
  assign valid_o = held_q & ~is_here;
  assign last_o  = count_q == CountBits'(Beats);
  assign give    = valid_o & ready_i;
  assign ready_o = enable_i & ~last_o & (~held_q | give);
  assign take    = valid_i & ready_o;

  always_comb begin
    held_d  = held_q;
    count_d = count_q;
    if (give) begin
      held_d = 1'b0;
    end
    if (take) begin
      held_d  = 1'b1;
      count_d = count_q + CountBits'(1);
    end
    if (clear_i) begin
      count_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= 1'b0;
      count_q <= '0;
    end else begin
      held_q  <= held_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      beat_q <= BeatBits'(count_q);
    end
  end

  logic [Lanes-1:0] corrected, duplicate, clamped;

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    flash_ecu_lane #(
      .ValueBits(ValueBits)
    ) u_lane (
      .clk_i,
      .load_i     (take),
      .value_i    (data_i[i*ValueBits+:ValueBits]),
      .hit_i      (next_o & (head_address_i[LaneBits-1:0] == LaneBits'(i))),
      .hit_value_i(head_value_i),
      .hit_even_i (head_even_i),
      .threshold_i,
      .corrected_o(corrected[i]),
      .duplicate_o(duplicate[i]),
      .clamped_o  (clamped[i]),
      .value_o    (data_o[i*ValueBits+:ValueBits])
    );
  end

  assign corrected_o = |corrected;
  assign duplicate_o = |duplicate;

  logic [Lanes-1:0] left;
  always_comb begin
    left      = clamped;
    clamped_o = '0;
    for (int i = 0; i < Lanes; i++) begin
      if (left[0]) begin
        clamped_o = clamped_o + ClampBits'(1);
      end
      left = left >> 1;
    end
  end

  // For any contents of the spare area, each record belongs to this page, and all records are used
  // when the page ends.
  `ASSERT(RecordInPage_A, held_q && head_valid_i |->
      head_address_i[AddressBits-1:LaneBits] >= beat_q && 32'(head_address_i) < Beats * Lanes)
  `ASSERT(BeatInPage_A, held_q |-> 32'(beat_q) < Beats)
  `ASSERT(DataStable_A, valid_o && !ready_i |=> valid_o && $stable(data_o) && $stable(last_o))

  `COVER(FirstBeat_C, next_o && beat_q == '0)
  `COVER(LastBeat_C, next_o && last_o)
  `COVER(FirstLane_C, next_o && head_address_i[LaneBits-1:0] == '0)
  `COVER(LastLane_C, next_o && head_address_i[LaneBits-1:0] == '1)
  `COVER(SeveralHits_C, next_o && $past(next_o))
  `COVER(ValueCorrected_C, corrected_o)
  `COVER(Duplicate_C, duplicate_o)
  `COVER(Clamped_C, give && clamped_o != '0)
  `COVER(AllClamped_C, give && clamped == '1)
  `COVER(NoneAbove_C, give && clamped == '0)
  `COVER(Streaming_C, give && take)
  `COVER(OutWaits_C, valid_o && !ready_i)
  `COVER(PageWaits_C, enable_i && !valid_i && !held_q && !last_o)

endmodule
