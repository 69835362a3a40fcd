// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Sorts the records of a page by address and outputs one per cycle. They are in a memory with one
// read port and one write port. Records arrive in order, except those whose address has bit errors.
// A record out of order moves each later record up by one place, which takes one cycle each. It is
// placed after earlier records with the same address. Reading begins when all records are sorted.
module flash_ecu_records #(
  parameter int AddressBits = 14,
  parameter int ValueBits   = 8,
  parameter int Records     = 163
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic                   put_i,
  output logic                   put_ready_o,
  input  logic [AddressBits-1:0] put_address_i,
  input  logic [ValueBits-1:0]   put_value_i,
  input  logic [ValueBits-1:0]   put_even_i,
  output logic                   busy_o,  // a record is being sorted in

  output logic                   head_valid_o,  // next record in order, if not busy
  output logic [AddressBits-1:0] head_address_o,
  output logic [ValueBits-1:0]   head_value_o,
  output logic [ValueBits-1:0]   head_even_o,
  input  logic                   next_i
);

  localparam int RowBits   = $clog2(Records);
  localparam int CountBits = $clog2(Records + 1);
  localparam int Width     = AddressBits + 2 * ValueBits;

  logic [Width-1:0] memory [Records];

  logic                   busy_d, busy_q;
  logic [CountBits-1:0]   count_d, count_q;  // number of sorted records
  logic [CountBits-1:0]   place_q;           // place of the new record, unless the previous record
                                             // has a larger address
  logic [CountBits-1:0]   head_d, head_q, row;
  logic [Width-1:0]       new_q, read;
  logic [AddressBits-1:0] new_address;
  logic                   put_take, moves, placed;

  assign row            = busy_q ? place_q - CountBits'(1) : head_q;
  assign read           = memory[row[RowBits-1:0]];
  assign head_address_o = read[AddressBits-1:0];
  assign head_value_o   = read[AddressBits+:ValueBits];
  assign head_even_o    = read[AddressBits+ValueBits+:ValueBits];
  assign head_valid_o   = head_q != count_q;
  assign busy_o         = busy_q;

  assign new_address = new_q[AddressBits-1:0];
  assign moves       = (place_q != '0) & (head_address_o > new_address);
  assign placed      = busy_q & ~moves;
  assign put_ready_o = ~busy_q | ~moves;
  assign put_take    = put_i & put_ready_o;

  always_comb begin
    busy_d  = busy_q;
    count_d = count_q;
    head_d  = head_q;
    if (placed) begin
      busy_d  = 1'b0;
      count_d = count_q + CountBits'(1);
    end
    if (put_take) begin
      busy_d = 1'b1;
    end
    if (next_i) begin
      head_d = head_q + CountBits'(1);
    end
    if (clear_i) begin
      count_d = '0;
      head_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      count_q <= '0;
      head_q  <= '0;
    end else begin
      busy_q  <= busy_d;
      count_q <= count_d;
      head_q  <= head_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (put_take) begin
      new_q   <= {put_even_i, put_value_i, put_address_i};
      place_q <= count_d;
    end else if (busy_q) begin
      place_q <= row;
    end
  end

  always_ff @(posedge clk_i) begin
    if (busy_q) begin
      memory[place_q[RowBits-1:0]] <= moves ? read : new_q;
    end
  end

  `ASSUME(NextOfSome_M, next_i |-> !busy_q && head_valid_o)
  `ASSUME(ClearWhenIdle_M, clear_i |-> !busy_q && !put_i)
  `ASSERT(WriteInRange_A, busy_q |-> place_q < CountBits'(Records))
  `ASSERT(ReadInRange_A, (busy_q && place_q != '0) || (!busy_q && head_valid_o) |-> row < CountBits'(Records))
  `ASSERT(HeadInRange_A, head_q <= count_q)
  `ASSERT(InOrder_A, !busy_q && head_valid_o && $past(next_i) |-> head_address_o >= $past(head_address_o))

  `COVER(InOrder_C, placed && place_q != '0 && place_q == count_q && head_address_o < new_address)
  `COVER(MovesOne_C, placed && place_q + CountBits'(1) == count_q)
  `COVER(MovesAll_C, placed && place_q == '0 && count_q > CountBits'(1))
  `COVER(Same_C, placed && place_q != '0 && head_address_o == new_address)
  `COVER(BackToBack_C, placed && put_take)
  `COVER(Full_C, placed && count_q == CountBits'(Records - 1))

endmodule
