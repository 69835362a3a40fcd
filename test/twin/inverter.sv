// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Inverts one word per cycle. The result appears in the cycle after its input was taken.
module inverter #(
  parameter int Width = 16  // 1 to 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  `ASSERT_INIT(Width_A, Width >= 1 && Width <= 32)

  logic             valid_q;
  logic [Width-1:0] data_q;
  logic             take;

  assign in_ready_o  = ~valid_q | out_ready_i;
  assign take        = in_valid_i & in_ready_o;
  assign out_valid_o = valid_q;
  assign out_data_o  = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (in_ready_o) begin
      valid_q <= take;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      data_q <= ~in_data_i;
    end
  end

  `ASSERT(OutStays_A, out_valid_o && !out_ready_i |=> out_valid_o && $stable(out_data_o))
  `COVER(Waits_C, out_valid_o && !out_ready_i)
  `COVER(BackToBack_C, take && out_valid_o)

endmodule
