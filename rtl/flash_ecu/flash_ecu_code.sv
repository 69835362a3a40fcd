// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// First pass: reads the code in a page's spare area, least significant bit first. The code has
// copies of the threshold, then records {address, check bits, copies of the value}. Beats are
// collected until the next field is complete. Each cycle takes either a beat or a field. Beats
// after the last field are not accepted.
module flash_ecu_code #(
  parameter int ValueBits       = 8,
  parameter int AddressBits     = 14,
  parameter int CheckBits       = 5,
  parameter int Values          = 16384,
  parameter int Records         = 163,
  parameter int ThresholdCopies = 9,
  parameter int ValueCopies     = 2,
  parameter int BeatBits        = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,  // begins the next page's code

  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [BeatBits-1:0]    data_i,

  output logic                   threshold_take_o,  // takes a copy of the threshold
  output logic [ValueBits-1:0]   threshold_o,       // valid from the first record on

  output logic                   record_valid_o,
  input  logic                   record_ready_i,
  output logic [AddressBits-1:0] record_address_o,  // corrected
  output logic [ValueBits-1:0]   record_value_o,
  output logic [ValueBits-1:0]   record_even_o,
  output logic                   record_corrected_o,
  output logic                   record_dropped_o,  // dropped or outside: the record is ignored
  output logic                   record_outside_o,

  output logic                   done_o  // all records have been taken
);

  localparam int RecordBits = AddressBits + CheckBits + ValueCopies * ValueBits;
  localparam int Fields     = ThresholdCopies + Records;
  localparam int FieldBits  = $clog2(Fields + 1);
  localparam int BufferBits = RecordBits - 1 + BeatBits;
  localparam int FillBits   = $clog2(BufferBits + 1);

  // Widened to match the operands of comparisons and additions.
  localparam bit [FieldBits-1:0] FirstRecord   = FieldBits'(ThresholdCopies);
  localparam bit [FillBits-1:0]  BeatNeed      = FillBits'(BeatBits);
  localparam bit [FillBits-1:0]  ThresholdNeed = FillBits'(ValueBits);
  localparam bit [FillBits-1:0]  RecordNeed    = FillBits'(RecordBits);

  // --- Bits ---

  logic [FillBits-1:0]   fill_d, fill_q;
  logic [FieldBits-1:0]  field_d, field_q;  // number of fields taken
  logic [BufferBits-1:0] bits_q;
  logic                  is_threshold, complete, beat_take, field_take;
  logic [FillBits-1:0]   need;

  assign is_threshold = field_q < FirstRecord;
  assign done_o       = field_q == FieldBits'(Fields);
  assign need         = is_threshold ? ThresholdNeed : RecordNeed;
  assign complete     = ~done_o & (fill_q >= need);
  assign ready_o      = ~done_o & ~complete;
  assign beat_take    = valid_i & ready_o;
  assign field_take   = complete & (is_threshold | record_ready_i);

  assign threshold_take_o = complete & is_threshold;
  assign record_valid_o   = complete & ~is_threshold;

  always_comb begin
    fill_d  = fill_q;
    field_d = field_q;
    if (beat_take) begin
      fill_d = fill_q + BeatNeed;
    end
    if (field_take) begin
      fill_d  = fill_q - need;
      field_d = field_q + FieldBits'(1);
    end
    if (clear_i) begin
      fill_d  = '0;
      field_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q  <= '0;
      field_q <= '0;
    end else begin
      fill_q  <= fill_d;
      field_q <= field_d;
    end
  end

  // Bits left in the buffer from earlier beats. Bits above the fill level are 0, except in an empty
  // buffer, whose bits are masked here.
  logic [RecordBits-2:0] kept;
  assign kept = fill_q == '0 ? '0 : bits_q[RecordBits-2:0];

  always_ff @(posedge clk_i) begin
    if (beat_take) begin
      bits_q <= {{BeatBits{1'b0}}, kept} | ({{RecordBits - 1{1'b0}}, data_i} << fill_q);
    end
    if (field_take) begin
      bits_q <= is_threshold ? bits_q >> ValueBits : bits_q >> RecordBits;
    end
  end

  // --- Threshold ---

  localparam int CountBits = $clog2(ThresholdCopies + 1);
  localparam bit [CountBits-1:0] Half = CountBits'(ThresholdCopies / 2);

  for (genvar b = 0; b < ValueBits; b++) begin : g_threshold
    logic [CountBits-1:0] sum, ones_q;
    assign sum = field_q == '0 ? '0 : ones_q;
    always_ff @(posedge clk_i) begin
      if (threshold_take_o) begin
        ones_q <= bits_q[b] ? sum + CountBits'(1) : sum;
      end
    end
    assign threshold_o[b] = ones_q > Half;
  end

  // --- Record ---

  flash_ecu_address #(
    .AddressBits(AddressBits),
    .CheckBits  (CheckBits),
    .Values     (Values)
  ) u_address (
    .address_i  (bits_q[AddressBits-1:0]),
    .check_i    (bits_q[AddressBits+:CheckBits]),
    .address_o  (record_address_o),
    .corrected_o(record_corrected_o),
    .dropped_o  (record_dropped_o),
    .outside_o  (record_outside_o)
  );

  flash_ecu_vote #(
    .ValueBits(ValueBits),
    .Copies   (ValueCopies)
  ) u_vote (
    .copies_i(bits_q[AddressBits+CheckBits+:ValueCopies*ValueBits]),
    .value_o (record_value_o),
    .even_o  (record_even_o)
  );

  `ASSERT(FieldsInRange_A, field_q <= FieldBits'(Fields))
  `ASSERT(BeatFits_A, beat_take |-> fill_q < need)

  `COVER(BeatWaits_C, valid_i && complete)
  `COVER(RecordWaitsForBeat_C, !valid_i && ready_o && !is_threshold)
  `COVER(RecordWaitsForPlace_C, record_valid_o && !record_ready_i)
  `COVER(Intact_C, record_valid_o && !record_corrected_o && !record_dropped_o && !record_outside_o)
  `COVER(AddressCorrected_C, record_valid_o && record_corrected_o)
  if (AddressBits + CheckBits + 1 < 2 ** CheckBits) begin : g_drops
    `COVER(Dropped_C, record_valid_o && record_dropped_o)
  end
  if (Values < 2 ** AddressBits) begin : g_bounded
    `COVER(Outside_C, record_valid_o && record_outside_o)
  end

endmodule
