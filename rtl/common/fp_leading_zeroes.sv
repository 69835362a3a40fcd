// SPDX-License-Identifier: Apache-2.0
// Number of zeros before the leading one of a significand; 23 for a significand of 0.
module fp_leading_zeroes (
  input  logic [23:0] value_i,
  output logic [4:0]  zeroes_o
);

  always_comb begin
    zeroes_o = 5'd23;
    for (int i = 1; i < 24; i++) begin
      if (value_i[i]) begin
        zeroes_o = 5'(23 - i);
      end
    end
  end

endmodule
