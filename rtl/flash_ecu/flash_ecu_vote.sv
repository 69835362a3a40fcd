// SPDX-License-Identifier: Apache-2.0

// Bitwise majority of a value's copies. The outputs are the decided bits, and the bits with a tie.
// The value in the page also has one vote per bit, which decides a tie. Combinational.
module flash_ecu_vote #(
  parameter int ValueBits = 8,
  parameter int Copies    = 2  // even
) (
  input  logic [Copies*ValueBits-1:0] copies_i,
  output logic [ValueBits-1:0]        value_o,  // bits of most copies
  output logic [ValueBits-1:0]        even_o    // bits set in exactly half of the copies
);

  localparam int CountBits = $clog2(Copies + 1);
  localparam bit [CountBits-1:0] Half = CountBits'(Copies / 2);

  for (genvar b = 0; b < ValueBits; b++) begin : g_bit
    logic [CountBits-1:0] ones;
    always_comb begin
      ones = '0;
      for (int i = 0; i < Copies; i++) begin
        if (copies_i[i*ValueBits+b]) begin
          ones = ones + CountBits'(1);
        end
      end
    end
    assign value_o[b] = ones > Half;
    assign even_o[b]  = ones == Half;
  end

endmodule
