// SPDX-License-Identifier: Apache-2.0
// Processes one channel at a time: its value, the channel's entry, which describes its last level,
// and the value's result. An entry is {levels, ranged, min, max, low, high, reciprocal, zero}.
// `ranged` means that level 0 does not exist yet, and that min and max cover the values seen so
// far.
module cpq_lane (
  input  logic         clk_i,
  input  logic [3:0]   bits_i,
  input  logic [6:0]   max_levels_i,
  input  logic [30:0]  threshold_i,

  input  logic         take_i,  // takes a value and its channel's entry
  input  logic [31:0]  value_i,
  input  logic [185:0] entry_i,

  input  logic         range_i,  // extends the range to include the value
  input  logic         level_i,  // writes this level into the entry
  input  logic [177:0] made_i,   // min, max, low, high, reciprocal, zero

  output logic         survives_o,
  output logic         ranged_o,   // level 0 can be made
  output logic         opens_o,    // the value needs a level and one is free
  output logic         clamped_o,  // the value needs a level but none is left
  output logic [31:0]  level_min_o,  // range of the required level, or of level 0
  output logic [31:0]  level_max_o,

  output logic         stored_o,
  output logic [7:0]   code_o,
  output logic [5:0]   label_o,
  output logic [185:0] entry_o
);

  logic [31:0] raw_q, min_q, max_q, low_q, high_q, reciprocal_q;
  logic [17:0] zero_q;
  logic [6:0]  levels_q;
  logic        ranged_q;

  // --- The value and its level ---

  logic [31:0] value;
  logic        below, above, less_than_min, more_than_max, none;

  cpq_prune u_prune (
    .raw_i     (raw_q),
    .threshold_i,
    .value_o   (value),
    .survives_o
  );

  cpq_less u_below (
    .a_i   (value),
    .b_i   (low_q),
    .less_o(below)
  );

  cpq_less u_above (
    .a_i   (high_q),
    .b_i   (value),
    .less_o(above)
  );

  cpq_less u_min (
    .a_i   (value),
    .b_i   (min_q),
    .less_o(less_than_min)
  );

  cpq_less u_max (
    .a_i   (max_q),
    .b_i   (value),
    .less_o(more_than_max)
  );

  assign none      = levels_q == 7'd0;
  assign ranged_o  = ranged_q;
  assign opens_o   = survives_o && (none || ((below || above) && levels_q != max_levels_i));
  assign clamped_o = survives_o && !none && (below || above) && levels_q == max_levels_i;

  // Range including the value. If level 0 is made from a range, `min` and `max` already include it.
  logic [31:0] wider_min, wider_max;
  logic        first;

  assign first       = none && !ranged_q;
  assign wider_min   = first || less_than_min ? value : min_q;
  assign wider_max   = first || more_than_max ? value : max_q;
  assign level_min_o = ranged_q ? min_q : wider_min;
  assign level_max_o = ranged_q ? max_q : wider_max;

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      raw_q <= value_i;
      {levels_q, ranged_q, min_q, max_q, low_q, high_q, reciprocal_q, zero_q} <= entry_i;
    end else if (level_i) begin
      {min_q, max_q, low_q, high_q, reciprocal_q, zero_q} <= made_i;
      levels_q <= levels_q + 7'd1;
      ranged_q <= 1'b0;
    end else if (range_i && survives_o) begin
      min_q    <= wider_min;
      max_q    <= wider_max;
      ranged_q <= 1'b1;
    end
  end

  assign entry_o = {levels_q, ranged_q, min_q, max_q, low_q, high_q, reciprocal_q, zero_q};

  // --- The code: a product, rounded, then clamped, one cycle each ---

  logic [19:0] steps;
  logic [19:0] unclamped, zero;
  logic [7:0]  greatest, code_d, code_q;
  logic        is_zero_q;

  cpq_product u_product (
    .clk_i,
    .value_i     (value),
    .reciprocal_i(reciprocal_q[30:0]),
    .steps_o     (steps)
  );

  assign zero      = {{2{zero_q[17]}}, zero_q};
  assign unclamped = steps + zero;
  assign greatest  = 8'hFF >> (4'd8 - bits_i);

  always_comb begin
    code_d = unclamped[7:0];
    if (unclamped[19]) begin
      code_d = 8'd0;
    end else if (unclamped > {12'd0, greatest}) begin
      code_d = greatest;
    end
  end

  always_ff @(posedge clk_i) begin
    code_q    <= code_d;
    is_zero_q <= {12'd0, code_d} == zero;
  end

  assign code_o   = code_q;
  assign stored_o = survives_o && !is_zero_q;
  assign label_o  = 6'(levels_q - 7'd1);

endmodule
