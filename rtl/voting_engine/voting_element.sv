// SPDX-License-Identifier: Apache-2.0
// Converts a probability to the FIFO's format: FP16, where NaN and negative values are +0 and
// infinity is the largest finite number. Also converts an element to FP32.
module voting_element (
  input  logic [15:0] probability_i,
  output logic [14:0] element_o,  // without sign bit

  input  logic [14:0] narrow_i,
  output logic [30:0] wide_o  // without sign bit
);

  always_comb begin
    element_o = probability_i[14:0];
    if (probability_i[15] || probability_i[14:0] > 15'h7C00) begin
      element_o = 15'd0;
    end else if (probability_i[14:0] == 15'h7C00) begin
      element_o = 15'h7BFF;
    end
  end

  // The leading one of a subnormal moves to the place of the implicit bit.
  logic [3:0] top;
  logic [9:0] fraction;
  always_comb begin
    top = 4'd0;
    for (int i = 0; i < 10; i++) begin
      if (narrow_i[i]) begin
        top = 4'(i);
      end
    end
  end
  assign fraction = narrow_i[9:0] << (4'd10 - top);

  always_comb begin
    if (narrow_i[14:10] != 5'd0) begin
      wide_o = {8'd112 + {3'd0, narrow_i[14:10]}, narrow_i[9:0], 13'd0};
    end else if (narrow_i[9:0] != 10'd0) begin
      wide_o = {8'd103 + {4'd0, top}, fraction, 13'd0};
    end else begin
      wide_o = 31'd0;
    end
  end

endmodule
