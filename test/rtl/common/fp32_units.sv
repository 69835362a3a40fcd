// SPDX-License-Identifier: Apache-2.0
// The FP32 units of rtl/common alone, all with the same inputs.
module fp32_units (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,
  input  logic        start_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o,   // a * b
  output logic [31:0] wide_o,      // the FP16 in a's lower half, as FP32
  output logic        quotient_done_o,
  output logic [31:0] quotient_o,  // a / b
  output logic        root_done_o,
  output logic [31:0] root_o       // square root of a
);

  fp32_mul u_mul (
    .a_i,
    .b_i,
    .product_o
  );

  fp16_widen u_widen (
    .half_i(a_i[15:0]),
    .wide_o
  );

  fp32_div u_div (
    .clk_i,
    .rst_ni,
    .en_i,
    .start_i,
    .a_i,
    .b_i,
    .done_o    (quotient_done_o),
    .quotient_o
  );

  fp32_sqrt u_sqrt (
    .clk_i,
    .rst_ni,
    .en_i,
    .start_i,
    .x_i   (a_i),
    .done_o(root_done_o),
    .root_o
  );

endmodule
