// SPDX-License-Identifier: Apache-2.0

// A value of the page. A protected value becomes the majority of its own bits and the copies in the
// first record with its address. Any other value becomes 0 if its magnitude exceeds the threshold.
module flash_ecu_lane #(
  parameter int ValueBits = 8
) (
  input  logic                 clk_i,
  input  logic                 load_i,  // loads the next beat's value
  input  logic [ValueBits-1:0] value_i,

  input  logic                 hit_i,  // the record at the port is for this value
  input  logic [ValueBits-1:0] hit_value_i,
  input  logic [ValueBits-1:0] hit_even_i,
  input  logic [ValueBits-1:0] threshold_i,

  output logic                 corrected_o,  // this record changes the value
  output logic                 duplicate_o,  // an earlier record had this address
  output logic                 clamped_o,
  output logic [ValueBits-1:0] value_o
);

  logic [ValueBits-1:0] value_q, voted, magnitude;
  logic                 protected_q;

  assign voted       = hit_value_i | (hit_even_i & value_q);
  assign duplicate_o = hit_i & protected_q;
  assign corrected_o = hit_i & ~protected_q & (voted != value_q);

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      value_q     <= value_i;
      protected_q <= 1'b0;
    end else if (hit_i & ~protected_q) begin
      value_q     <= voted;
      protected_q <= 1'b1;
    end
  end

  // Magnitude of a two's complement value. For the most negative value, the same bits read as
  // unsigned are the magnitude.
  assign magnitude = value_q[ValueBits-1] ? '0 - value_q : value_q;
  assign clamped_o = ~protected_q & (magnitude > threshold_i);
  assign value_o   = clamped_o ? '0 : value_q;

endmodule
