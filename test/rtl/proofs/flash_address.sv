// SPDX-License-Identifier: Apache-2.0
// The second description of flash_ecu_address: the sender's encoding, and a search for the word that was sent.
module flash_address_proof #(
  parameter int AddressBits = 14,
  parameter int CheckBits   = 5,
  parameter int Values      = 16384
) (
  input logic [AddressBits-1:0] address_i,
  input logic [CheckBits-1:0]   check_i
);

  localparam int Bits = AddressBits + CheckBits;

  logic [AddressBits-1:0] address;
  logic                   corrected, dropped, outside;

  flash_ecu_address #(
    .AddressBits(AddressBits),
    .CheckBits  (CheckBits),
    .Values     (Values)
  ) u_dut (
    .address_i,
    .check_i,
    .address_o  (address),
    .corrected_o(corrected),
    .dropped_o  (dropped),
    .outside_o  (outside)
  );

  // Address bits have the positions 3, 5, 6, 7, 9, ... The check bits are the exclusive or of the positions whose
  // address bit is 1.
  function automatic [CheckBits-1:0] check_of;
    input [AddressBits-1:0] sent;
    integer position;
    begin
      check_of = '0;
      position = 3;
      for (int i = 0; i < AddressBits; i++) begin
        if (sent[i]) begin
          check_of = check_of ^ position;
        end
        position = position + 1;
        if ((position & (position - 1)) == 0) begin
          position = position + 1;
        end
      end
    end
  endfunction

  // Searches for the code word that differs from the received word in at most one bit.
  logic [Bits-1:0]        word;
  logic                   intact, repaired;
  logic [AddressBits-1:0] meant;

  always_comb begin
    intact   = check_of(address_i) == check_i;
    repaired = 1'b0;
    meant    = address_i;
    for (int i = 0; i < Bits; i++) begin
      word = {check_i, address_i} ^ (Bits'(1) << i);
      if (!intact && check_of(word[AddressBits-1:0]) == word[Bits-1:AddressBits]) begin
        repaired = 1'b1;
        meant    = word[AddressBits-1:0];
      end
    end
  end

  logic is_value;
  assign is_value = meant < Values;

  always_comb begin
    assert (address == meant);
    assert (dropped == (!intact && !repaired));
    assert (dropped || outside == !is_value);
    assert (corrected == (repaired && is_value));
  end

endmodule
