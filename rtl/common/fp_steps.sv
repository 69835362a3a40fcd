// SPDX-License-Identifier: Apache-2.0
// Step counter of an iterative unit. It is 1 in the cycle after the start, then counts to 15 and
// stays there until the next start. Before the first start it is 0.
module fp_steps (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       en_i,     // 0: all registers keep their values
  input  logic       start_i,
  output logic [3:0] step_o,
  output logic       done_o    // high in step 15
);

  logic [3:0] step_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= 4'd0;
    end else if (en_i) begin
      if (start_i) begin
        step_q <= 4'd1;
      end else if (step_q != 4'd0 && step_q != 4'd15) begin
        step_q <= step_q + 4'd1;
      end
    end
  end

  assign step_o = step_q;
  assign done_o = step_q == 4'd15;

endmodule
