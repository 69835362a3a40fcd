// SPDX-License-Identifier: Apache-2.0
// The second description of flash_ecu_vote and flash_ecu_lane. Every bit of a protected value is the majority of its
// own bit and its copies', in the first record that names it. Other values above the threshold are 0.
module flash_vote_proof #(
  parameter int ValueBits = 8,
  parameter int Copies    = 4
) (
  input logic                        clk_i,
  input logic                        load_i,
  input logic [ValueBits-1:0]        value_i,
  input logic                        hit_i,
  input logic [Copies*ValueBits-1:0] copies_i,
  input logic [ValueBits-1:0]        threshold_i
);

  logic [ValueBits-1:0] most, even, value;
  logic                 corrected, duplicate, clamped;

  flash_ecu_vote #(
    .ValueBits(ValueBits),
    .Copies   (Copies)
  ) u_vote (
    .copies_i,
    .value_o(most),
    .even_o (even)
  );

  flash_ecu_lane #(
    .ValueBits(ValueBits)
  ) u_lane (
    .clk_i,
    .load_i,
    .value_i,
    .hit_i,
    .hit_value_i(most),
    .hit_even_i (even),
    .threshold_i,
    .corrected_o(corrected),
    .duplicate_o(duplicate),
    .clamped_o  (clamped),
    .value_o    (value)
  );

  function automatic [ValueBits-1:0] majority;
    input [ValueBits-1:0]        own;
    input [Copies*ValueBits-1:0] copies;
    int                          ones;
    begin
      for (int b = 0; b < ValueBits; b++) begin
        ones = own[b];
        for (int i = 0; i < Copies; i++) begin
          ones = ones + copies[i*ValueBits+b];
        end
        majority[b] = 2 * ones > Copies + 1;
      end
    end
  endfunction

  logic                        known = 1'b0;   // a value has been seen
  logic                        voted = 1'b0;   // the last value had a record
  logic [ValueBits-1:0]        expected, voted_value;

  assign voted_value = majority(expected, copies_i);

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      known    <= 1'b1;
      voted    <= 1'b0;
      expected <= value_i;
    end else if (hit_i && !voted) begin
      voted    <= 1'b1;
      expected <= voted_value;
    end
  end

  logic is_large;
  assign is_large = !voted && ($signed(expected) > $signed({1'b0, threshold_i}) ||
                               $signed(expected) < -$signed({2'b00, threshold_i}));

  always_comb begin
    if (known) begin
      assert (clamped == is_large);
      assert (value == (is_large ? '0 : expected));
      assert (duplicate == (hit_i && voted));
      assert (corrected == (hit_i && !voted && voted_value != expected));
    end
  end

endmodule
