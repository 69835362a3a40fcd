// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Corrects the address of a record by its check bits (Cambricon-LLM, section VI). In the Hamming
// code, check bit i is at position 2^i. The address bits are at the other positions from 3 on,
// lowest bit first. The syndrome is the position of a single wrong bit. A syndrome outside the code
// word indicates several errors, and the record is dropped. Most double errors give a position
// within the code word and remain undetected. Combinational.
module flash_ecu_address #(
  parameter int AddressBits = 14,
  parameter int CheckBits   = 5,
  parameter int Values      = 16384  // values of the page; higher addresses are invalid
) (
  input  logic [AddressBits-1:0] address_i,
  input  logic [CheckBits-1:0]   check_i,
  output logic [AddressBits-1:0] address_o,
  output logic                   corrected_o,  // one wrong bit, of address or check bits
  output logic                   dropped_o,    // syndrome outside the code word
  output logic                   outside_o     // address is outside the page, corrected or not
);

  localparam int Positions = AddressBits + CheckBits;

  // The index of the address bit at code word position p is the number of smaller positions that
  // are not powers of two.
  logic [Positions:1] word;
  for (genvar p = 1; p <= Positions; p++) begin : g_word
    if (2 ** $clog2(p) == p) begin : g_check
      assign word[p] = check_i[$clog2(p)];
    end else begin : g_address
      assign word[p] = address_i[p-1-$clog2(p)];
    end
  end

  logic [CheckBits-1:0] syndrome;
  for (genvar b = 0; b < CheckBits; b++) begin : g_parity
    logic [Positions:1] covered;
    for (genvar p = 1; p <= Positions; p++) begin : g_position
      if (((p >> b) & 1) == 1) begin : g_covered
        assign covered[p] = word[p];
      end else begin : g_other
        assign covered[p] = 1'b0;
      end
    end
    assign syndrome[b] = ^covered;
  end

  for (genvar p = 1; p <= Positions; p++) begin : g_correct
    if (2 ** $clog2(p) != p) begin : g_address
      assign address_o[p-1-$clog2(p)] = word[p] ^ (syndrome == CheckBits'(p));
    end
  end

  // If the code word has the greatest length for its check bits, no syndrome is outside it.
  if (Positions + 1 < 2 ** CheckBits) begin : g_shortened
    assign dropped_o = syndrome > CheckBits'(Positions);
  end else begin : g_perfect
    assign dropped_o = 1'b0;
  end

  assign corrected_o = (syndrome != '0) & ~dropped_o & ~outside_o;

  if (Values < 2 ** AddressBits) begin : g_bounded
    assign outside_o = ~dropped_o & (address_o >= AddressBits'(Values));
  end else begin : g_every
    assign outside_o = 1'b0;
  end

endmodule
