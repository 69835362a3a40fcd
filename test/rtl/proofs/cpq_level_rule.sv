// SPDX-License-Identifier: Apache-2.0
// The second description of cpq_lane's level rule. Numbers are compared as integers in the order of FP32. The entry
// follows from the last value, and from the levels and ranges since then.
module cpq_level_rule_proof (
  input logic         clk_i,
  input logic [3:0]   bits_i,
  input logic [6:0]   max_levels_i,
  input logic [30:0]  threshold_i,
  input logic         take_i,
  input logic [31:0]  value_i,
  input logic [185:0] entry_i,
  input logic         range_i,
  input logic         level_i,
  input logic [177:0] made_i
);

  // Registers may have any values at the start. A value is taken in the first cycle.
  logic known = 1'b0;
  logic take;
  assign take = take_i || !known;

  logic         survives, has_range, opens, clamped, stored;
  logic [31:0]  level_min, level_max;
  logic [7:0]   code;
  logic [5:0]   label;
  logic [185:0] entry;

  cpq_lane u_dut (
    .clk_i,
    .bits_i,
    .max_levels_i,
    .threshold_i,
    .take_i     (take),
    .value_i,
    .entry_i,
    .range_i,
    .level_i,
    .made_i,
    .survives_o (survives),
    .ranged_o   (has_range),
    .opens_o    (opens),
    .clamped_o  (clamped),
    .level_min_o(level_min),
    .level_max_o(level_max),
    .stored_o   (stored),
    .code_o     (code),
    .label_o    (label),
    .entry_o    (entry)
  );

  // Returns a number's place in the order of all numbers except NaN.
  function automatic signed [32:0] place;
    input [31:0] number;
    place = number[31] ? -$signed({2'b00, number[30:0]}) : $signed({2'b00, number[30:0]});
  endfunction

  localparam logic [30:0] Least    = 31'h2180_0000;  // 2^-60
  localparam logic [30:0] Greatest = 31'h5D80_0000;  // 2^60

  function automatic [31:0] cleaned;
    input [31:0] raw;
    if (raw[30:0] > 31'h7F80_0000 || raw[30:0] < Least) begin
      cleaned = 32'd0;
    end else begin
      cleaned = {raw[31], raw[30:0] > Greatest ? Greatest : raw[30:0]};
    end
  endfunction

  logic [31:0] raw, value, low, high, old_min, old_max, new_min, new_max;
  logic [49:0] others;        // reciprocal and zero
  logic [6:0]  levels;
  logic        ranged, is_kept, is_outside;

  always_comb begin
    value      = cleaned(raw);
    is_kept    = value != 32'd0 && value[30:0] >= threshold_i;
    is_outside = place(value) < place(low) || place(value) > place(high);
    new_min    = old_min;
    new_max    = old_max;
    if ((levels == 7'd0 && !ranged) || place(value) < place(old_min)) begin
      new_min = value;
    end
    if ((levels == 7'd0 && !ranged) || place(value) > place(old_max)) begin
      new_max = value;
    end
  end

  always_ff @(posedge clk_i) begin
    known <= 1'b1;
    if (take) begin
      raw   <= value_i;
      {levels, ranged, old_min, old_max, low, high, others} <= entry_i;
    end else if (level_i) begin
      {old_min, old_max, low, high, others} <= made_i;
      levels <= levels + 7'd1;
      ranged <= 1'b0;
    end else if (range_i && is_kept) begin
      {old_min, old_max} <= {new_min, new_max};
      ranged             <= 1'b1;
    end
  end

  // Entries and levels are never NaN or -0, and a lane has no level beyond its last.
  always_comb begin
    if (known) begin
      assert (entry == {levels, ranged, old_min, old_max, low, high, others});
      assert (survives == is_kept);
      assert (has_range == ranged);
      if (levels == 7'd0) begin
        assert (opens == is_kept && !clamped);
      end else begin
        assert (opens == (is_kept && is_outside && levels != max_levels_i));
        assert (clamped == (is_kept && is_outside && levels == max_levels_i));
      end
      assert (level_min == (ranged ? old_min : new_min));
      assert (level_max == (ranged ? old_max : new_max));
      assert (label == 6'(levels - 7'd1));
    end
  end

  function automatic is_number;
    input [31:0] number;
    is_number = number[30:0] <= 31'h7F80_0000 && number != 32'h8000_0000;
  endfunction

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      assume (is_number(entry_i[50+32*i+:32]));
      assume (is_number(made_i[50+32*i+:32]));
    end
  end

endmodule
