// SPDX-License-Identifier: Apache-2.0
// Converts an FP16 number to FP32, exactly. NaN is canonical (0x7FC00000).
module fp16_widen (
  input  logic [15:0] half_i,
  output logic [31:0] wide_o
);

  logic [9:0] fraction;
  logic [7:0] exponent;

  // The leading one of a subnormal significand moves to the place before the binary point.
  always_comb begin
    fraction = half_i[9:0];
    exponent = {3'd0, half_i[14:10]} + 8'd112;
    if (half_i[14:10] == 5'd0) begin
      for (int i = 0; i < 10; i++) begin
        if (half_i[i]) begin
          fraction = half_i[9:0] << (10 - i);
          exponent = 8'(103 + i);
        end
      end
    end
  end

  always_comb begin
    if (half_i[14:10] == 5'd31) begin
      wide_o = half_i[9:0] != 10'd0 ? 32'h7FC0_0000 : {half_i[15], 8'hFF, 23'd0};
    end else if (half_i[14:0] == 15'd0) begin
      wide_o = {half_i[15], 31'd0};
    end else begin
      wide_o = {half_i[15], exponent, fraction, 13'd0};
    end
  end

endmodule
