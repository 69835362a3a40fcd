// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Error correction unit of a flash die (Cambricon-LLM, section VI, figure 8), between the cache
// register and the compute core. For each page it takes the error-correcting code and then the page
// itself, BeatBytes per cycle, and outputs the decoded page in the same order:
//
// - First pass: the beats of the code; the last beat is padded. The code has several copies of the
//   threshold, whose bitwise majority is used. A record's address is corrected by its check bits,
//   or the record is dropped. Records are sorted by address.
// - Second pass: the beats of the page. A protected value becomes the bitwise majority of its own
//   bits and the copies in the first record with its address. Any other value above the threshold
//   becomes 0.
// - Then the page's counts are offered. The next page's code is accepted after they have been
//   taken.
//
// The unit takes and outputs exactly the beats of a page, whatever the spare area contains. Its
// time depends on data in two ways. A record delays the beat of its value by one cycle. A record
// that arrives out of order takes one cycle for each earlier record with a higher address; beats
// are still accepted meanwhile.
module flash_ecu #(
  parameter int PageBytes       = 16384,
  parameter int ValueBits       = 8,
  parameter int AddressBits     = 14,
  parameter int Records         = 163,
  parameter int ThresholdCopies = 9,   // odd
  parameter int ValueCopies     = 2,   // even
  parameter int BeatBytes       = 8    // a power of two that divides PageBytes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  logic [8*BeatBytes-1:0] in_data_i,

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [8*BeatBytes-1:0] out_data_o,
  output logic                   out_last_o,  // last beat of the page

  output logic                   done_valid_o,
  input  logic                   done_ready_i,
  output logic [$clog2(Records+1)-1:0] corrected_addresses_o,
  output logic [$clog2(Records+1)-1:0] dropped_o,           // records whose syndrome is outside the
                                                            // code word
  output logic [$clog2(Records+1)-1:0] outside_o,           // records whose address has no value
  output logic [$clog2(Records+1)-1:0] duplicates_o,        // records with the address of an
                                                            // earlier one
  output logic [$clog2(Records+1)-1:0] corrected_values_o,  // values that the vote changed
  output logic [$clog2(8*PageBytes/ValueBits+1)-1:0] clamped_o  // unprotected values above the
                                                                // threshold
);

  localparam int BeatBits   = 8 * BeatBytes;
  localparam int Values     = 8 * PageBytes / ValueBits;
  localparam int Lanes      = BeatBits / ValueBits;
  localparam int Beats      = PageBytes / BeatBytes;
  localparam int CheckBits  = $clog2(AddressBits + $clog2(AddressBits + 1) + 1);
  localparam int RecordBits = $clog2(Records + 1);
  localparam int LaneBits   = $clog2(Lanes + 1);
  localparam int ClampBits  = $clog2(Values + 1);

  `ASSERT_INIT(ValueBits_A, ValueBits == 8 || ValueBits == 4)
  `ASSERT_INIT(BeatBytes_A, 2 ** $clog2(BeatBytes) == BeatBytes && Lanes >= 2)
  `ASSERT_INIT(PageBytes_A, Beats * BeatBytes == PageBytes && Beats >= 2)
  `ASSERT_INIT(AddressBits_A, AddressBits <= 24 && Values <= 2 ** AddressBits)
  `ASSERT_INIT(Records_A, Records >= 2 && Records <= Values)
  `ASSERT_INIT(ThresholdCopies_A, ThresholdCopies == 2 * (ThresholdCopies / 2) + 1)
  `ASSERT_INIT(ValueCopies_A, ValueCopies >= 2 && ValueCopies == 2 * (ValueCopies / 2))

  logic                   clear, code_done, code_ready, page_ready;
  logic                   threshold_take, record_valid, record_ready, record_busy;
  logic [ValueBits-1:0]   threshold, record_value, record_even, head_value, head_even;
  logic [AddressBits-1:0] record_address, head_address;
  logic                   corrected_address, dropped, outside, head_valid, next;
  logic                   corrected_value, duplicate;
  logic [LaneBits-1:0]    clamped;

  assign clear      = done_valid_o & done_ready_i;
  assign in_ready_o = code_ready | page_ready;

  flash_ecu_code #(
    .ValueBits      (ValueBits),
    .AddressBits    (AddressBits),
    .CheckBits      (CheckBits),
    .Values         (Values),
    .Records        (Records),
    .ThresholdCopies(ThresholdCopies),
    .ValueCopies    (ValueCopies),
    .BeatBits       (BeatBits)
  ) u_code (
    .clk_i,
    .rst_ni,
    .clear_i           (clear),
    .valid_i           (in_valid_i),
    .ready_o           (code_ready),
    .data_i            (in_data_i),
    .threshold_take_o  (threshold_take),
    .threshold_o       (threshold),
    .record_valid_o    (record_valid),
    .record_ready_i    (record_ready),
    .record_address_o  (record_address),
    .record_value_o    (record_value),
    .record_even_o     (record_even),
    .record_corrected_o(corrected_address),
    .record_dropped_o  (dropped),
    .record_outside_o  (outside),
    .done_o            (code_done)
  );

  flash_ecu_records #(
    .AddressBits(AddressBits),
    .ValueBits  (ValueBits),
    .Records    (Records)
  ) u_records (
    .clk_i,
    .rst_ni,
    .clear_i       (clear),
    .put_i         (record_valid & ~dropped & ~outside),
    .put_ready_o   (record_ready),
    .put_address_i (record_address),
    .put_value_i   (record_value),
    .put_even_i    (record_even),
    .busy_o        (record_busy),
    .head_valid_o  (head_valid),
    .head_address_o(head_address),
    .head_value_o  (head_value),
    .head_even_o   (head_even),
    .next_i        (next)
  );

  flash_ecu_page #(
    .ValueBits  (ValueBits),
    .AddressBits(AddressBits),
    .Beats      (Beats),
    .Lanes      (Lanes)
  ) u_page (
    .clk_i,
    .rst_ni,
    .clear_i       (clear),
    .enable_i      (code_done & ~record_busy),
    .valid_i       (in_valid_i),
    .ready_o       (page_ready),
    .data_i        (in_data_i),
    .threshold_i   (threshold),
    .head_valid_i  (head_valid),
    .head_address_i(head_address),
    .head_value_i  (head_value),
    .head_even_i   (head_even),
    .next_o        (next),
    .valid_o       (out_valid_o),
    .ready_i       (out_ready_i),
    .data_o        (out_data_o),
    .last_o        (out_last_o),
    .corrected_o   (corrected_value),
    .duplicate_o   (duplicate),
    .clamped_o     (clamped)
  );

  // --- Counts ---

  logic give, record_take, done_d, done_q;

  assign give         = out_valid_o & out_ready_i;
  assign record_take  = record_valid & record_ready;
  assign done_valid_o = done_q;

  always_comb begin
    done_d = done_q;
    if (clear) begin
      done_d = 1'b0;
    end
    if (give & out_last_o) begin
      done_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
    end else begin
      done_q <= done_d;
    end
  end

  // A page begins with the copies of its threshold. Counts start at 0 there.
  logic [RecordBits-1:0] corrected_addresses_q, dropped_q, outside_q;
  logic [RecordBits-1:0] duplicates_q, corrected_values_q;
  logic [ClampBits-1:0]  clamped_q;

  always_ff @(posedge clk_i) begin
    if (threshold_take) begin
      corrected_addresses_q <= '0;
      dropped_q             <= '0;
      outside_q             <= '0;
      duplicates_q          <= '0;
      corrected_values_q    <= '0;
      clamped_q             <= '0;
    end else begin
      if (record_take & corrected_address) begin
        corrected_addresses_q <= corrected_addresses_q + RecordBits'(1);
      end
      if (record_take & dropped) begin
        dropped_q <= dropped_q + RecordBits'(1);
      end
      if (record_take & outside) begin
        outside_q <= outside_q + RecordBits'(1);
      end
      if (duplicate) begin
        duplicates_q <= duplicates_q + RecordBits'(1);
      end
      if (corrected_value) begin
        corrected_values_q <= corrected_values_q + RecordBits'(1);
      end
      if (give) begin
        clamped_q <= clamped_q + {{ClampBits - LaneBits{1'b0}}, clamped};
      end
    end
  end

  assign corrected_addresses_o = corrected_addresses_q;
  assign dropped_o             = dropped_q;
  assign outside_o             = outside_q;
  assign duplicates_o          = duplicates_q;
  assign corrected_values_o    = corrected_values_q;
  assign clamped_o             = clamped_q;

  // The driver must hold its inputs until they are taken.
  `ASSUME(InStable_M, in_valid_i && !in_ready_o |=> in_valid_i && $stable(in_data_i))

  `ASSERT(DoneStable_A, done_valid_o && !done_ready_i |=> done_valid_o &&
      $stable({corrected_addresses_o, dropped_o, outside_o, duplicates_o, corrected_values_o, clamped_o}))
  `ASSERT(OnePass_A, !(code_ready && page_ready) && !(done_valid_o && in_ready_o))
  `ASSERT(RecordsCounted_A, done_valid_o |-> 32'(dropped_o) + 32'(outside_o) + 32'(duplicates_o) <= Records)

  `COVER(PageWaitsForRecord_C, in_valid_i && code_done && record_busy)
  `COVER(DoneWaits_C, done_valid_o && !done_ready_i)
  `COVER(NextPageWaits_C, in_valid_i && done_valid_o)
  `COVER(ResetInCode_C, $fell(rst_ni) && $past(record_valid))
  `COVER(ResetWhenDone_C, $fell(rst_ni) && $past(done_valid_o))
  `COVER(ResetInPage_C, $fell(rst_ni) && $past(out_valid_o))
  if (AddressBits + CheckBits + 1 < 2 ** CheckBits) begin : g_drops
    `COVER(NoRecord_C, in_valid_i && page_ready && !head_valid && 32'(dropped_q) == Records)
    `COVER(AllValuesClamped_C, done_valid_o && 32'(clamped_q) == Values)
  end

endmodule
