// SPDX-License-Identifier: Apache-2.0
// The second description of voting_threshold: the threshold's formula over the operands at the start, for any functions
// in place of product, quotient, root and difference. Their units are replaced by others with the same contract.
module voting_threshold_proof #(
  parameter int LengthWidth = 13
) (
  input logic                   clk_i,
  input logic                   start_i,
  input logic [LengthWidth-1:0] length_i,
  input logic [30:0]            sum_i,
  input logic [30:0]            mean_factor_i,
  input logic [30:0]            deviation_factor_i,
  input logic                   take_i
);

  localparam int Latency = 49;

  logic        started = 1'b0;  // set after the reset
  logic        idle, done;
  logic [31:0] threshold;

  voting_threshold #(
    .LengthWidth(LengthWidth)
  ) u_dut (
    .clk_i,
    .rst_ni     (started),
    .start_i    (started && start_i),
    .length_i,
    .sum_i,
    .mean_factor_i,
    .deviation_factor_i,
    .idle_o     (idle),
    .done_o     (done),
    .take_i     (started && take_i),
    .threshold_o(threshold)
  );

  // Converts a whole number to FP32. The leading one is not stored.
  function automatic [30:0] float_of;
    input [LengthWidth-1:0] number;
    begin
      float_of = '0;
      for (int i = 0; i < LengthWidth; i++) begin
        if (number >> i == 1) begin
          float_of = {8'(127 + i), 23'((number - (1 << i)) << (23 - i))};
        end
      end
    end
  endfunction

  logic [LengthWidth-1:0] length;
  logic [30:0]            sum, mean_factor, deviation_factor;
  logic [6:0]             cycles = '0;  // cycles since the start
  logic                   under_way = 1'b0;

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (started && start_i) begin
      {length, sum, mean_factor, deviation_factor} <= {length_i, sum_i, mean_factor_i, deviation_factor_i};
      under_way <= 1'b1;
      cycles    <= 7'd1;
    end else if (under_way && cycles != Latency) begin
      cycles <= cycles + 7'd1;
    end else if (take_i) begin
      under_way <= 1'b0;
    end
  end

  logic [30:0] one, mean, square, moment, variance, deviation;
  logic [31:0] difference;

  assign one = 31'h3F80_0000;

  function_quotient u_mean (.x_i(one), .y_i(float_of(length)), .z_o(mean));
  function_product u_square (.x_i(mean), .y_i(mean), .z_o(square));
  function_quotient u_moment (.x_i(sum), .y_i(float_of(length)), .z_o(moment));
  function_difference u_variance (.a_i(moment), .b_i(square), .z_o(difference));
  assign variance = difference[31] ? '0 : difference[30:0];
  function_root u_deviation (.x_i(variance), .z_o(deviation));

  logic [30:0] scaled, spread;
  logic [31:0] expected;
  function_product u_scaled (.x_i(mean_factor), .y_i(mean), .z_o(scaled));
  function_product u_spread (.x_i(deviation_factor), .y_i(deviation), .z_o(spread));
  function_difference u_threshold (.a_i(scaled), .b_i(spread), .z_o(expected));

  always_comb begin
    if (started) begin
      assert (idle == !under_way);
      assert (done == (under_way && cycles == Latency));
      if (done) begin
        assert (threshold == expected);
      end
      assume (!start_i || (idle && length_i != '0));
      assume (!take_i || done);
    end
  end

endmodule

// These functions stand for arbitrary ones. Each combines its operands in a different way; only the
// product is commutative.
module function_product (
  input  logic [30:0] x_i,
  input  logic [30:0] y_i,
  output logic [30:0] z_o
);
  assign z_o = (x_i & y_i) ^ {x_i[0] ^ y_i[0], x_i[30:1] ^ y_i[30:1]} ^ 31'h1234_5678;
endmodule

module function_quotient (
  input  logic [30:0] x_i,
  input  logic [30:0] y_i,
  output logic [30:0] z_o
);
  assign z_o = {x_i[27:0], x_i[30:28]} ^ {y_i[4:0], y_i[30:5]} ^ 31'h0F1E_2D3C;
endmodule

module function_root (
  input  logic [30:0] x_i,
  output logic [30:0] z_o
);
  assign z_o = {x_i[10:0], x_i[30:11]} ^ {31{1'b1}};
endmodule

module function_difference (
  input  logic [30:0] a_i,
  input  logic [30:0] b_i,
  output logic [31:0] z_o
);
  assign z_o = {1'b0, a_i[29:0], a_i[30]} ^ {b_i[0], b_i[30:1], b_i[3]};
endmodule

// Replacements of the units. The FP32 adder takes one operand and the negative of another here. The
// serial unit's result is ready after the same number of steps as in the real unit.
module fp32_add (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);
  logic [31:0] difference;
  function_difference u_difference (.a_i(a_i[30:0]), .b_i(b_i[30:0]), .z_o(difference));
  assign sum_o = b_i[31] && !a_i[31] ? difference : ~difference;
endmodule

module voting_serial (
  input  logic        clk_i,
  input  logic        load_i,
  input  logic [1:0]  operation_i,
  input  logic [30:0] x_i,
  input  logic [30:0] y_i,
  input  logic        step_i,
  output logic [30:0] result_o
);
  logic [1:0]  operation;
  logic [30:0] x, y, product, quotient, root;
  logic [3:0]  steps;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      {operation, x, y} <= {operation_i, x_i, y_i};
      steps             <= 4'd0;
    end else if (step_i && steps != 4'd15) begin
      steps <= steps + 4'd1;
    end
  end

  function_product u_product (.x_i(x), .y_i(y), .z_o(product));
  function_quotient u_quotient (.x_i(x), .y_i(y), .z_o(quotient));
  function_root u_root (.x_i(x), .z_o(root));

  always_comb begin
    result_o = {31{steps[0]}};
    if (operation == 2'd0 && steps == 4'd6) begin
      result_o = product;
    end
    if (operation == 2'd1 && steps == 4'd7) begin
      result_o = quotient;
    end
    if (operation == 2'd2 && steps == 4'd7) begin
      result_o = root;
    end
  end
endmodule
