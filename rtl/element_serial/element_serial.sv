// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Element-serial function unit (VEDA, section IV-B, figure 6): softmax, RMS norm and layer norm in
// two operations each, one element per cycle. ip/element_serial/README.md defines the computations
// and their order.
//
//   reduce     takes a vector's elements, outputs them as FP16, then outputs the vector's
//              statistics
//   normalise  takes a vector's statistics, then its elements, and outputs results
//
// The configuration must be constant from an operation's first operand to its last result. A result
// that is not taken stalls the whole unit. Both operations share two exponentials, two dividers, a
// square root, two multipliers and five adders.
module element_serial #(
  parameter int Tile = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,      // must span a rising clock edge: some flags have no reset
  // Configuration.
  input  logic        normalise_i,
  input  logic [1:0]  function_i,  // softmax, RMS norm, layer norm
  input  logic        half_i,      // reduce: x is FP16, in its lower half; normalise: always
  input  logic [31:0] param_i,     // reduce of softmax: the scale; normalise of norms: epsilon
  input  logic [31:0] count_i,     // normalise of norms: elements of a vector, as FP32
  // Statistics of a vector to normalise.
  input  logic        stats_valid_i,
  output logic        stats_ready_o,
  input  logic [31:0] stats_first_i,
  input  logic [31:0] stats_second_i,
  // Elements.
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [31:0] in_x_i,
  input  logic [31:0] in_gain_i,    // normalise of norms; 1: none
  input  logic [31:0] in_addend_i,  // reduce: y, FP16 in the lower half; normalise: bias; -0: none
  input  logic        in_last_i,    // last element of its vector
  // FP16 elements.
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [15:0] out_data_o,
  output logic        out_last_o,
  // Statistics of a vector that has been reduced.
  output logic        result_valid_o,
  input  logic        result_ready_i,
  output logic [31:0] result_first_o,
  output logic [31:0] result_second_o
);

  localparam int PauseBits = $clog2(Tile);
  localparam logic [PauseBits-1:0] Pause = PauseBits'(Tile - 1);
  localparam logic [31:0] MinusInfinity = 32'hFF80_0000;

  logic softmax, layer, step, element_step, lend;

  assign softmax = function_i == 2'd0;
  assign layer   = function_i == 2'd2;

  // --- Elements go in ---

  logic                 take, streaming_q, factors_ready, take_factors;
  logic                 vector_first_q;
  logic [PauseBits-1:0] pause_q;  // steps until the next softmax vector may begin

  assign step         = (!out_valid_o || out_ready_i) && (!result_valid_o || result_ready_i);
  assign element_step = step && !lend;
  assign in_ready_o   = element_step &&
      (normalise_i ? streaming_q || factors_ready : !(vector_first_q && pause_q != '0));
  assign take         = in_valid_i && in_ready_o;
  assign take_factors = take && normalise_i && !streaming_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      streaming_q    <= 1'b0;
      vector_first_q <= 1'b1;
      pause_q        <= '0;
    end else if (step) begin
      if (take) begin
        streaming_q    <= normalise_i && !in_last_i;
        vector_first_q <= in_last_i;
      end
      if (take && vector_first_q && softmax && !normalise_i) begin
        pause_q <= Pause;
      end else if (pause_q != '0) begin
        pause_q <= pause_q - PauseBits'(1);
      end
    end
  end

  // --- The shared arithmetic, and the operands of its users ---

  logic [31:0] mul_a_a, mul_a_b, mul_a, mul_b_a, mul_b_b, mul_b;
  logic [31:0] enter_a, enter_b, enter_sum, distance_a, distance_b, distance_sum;
  logic [31:0] change_a, change_b, change_sum, tile_a, tile_b, tile_sum, total_a, total_b, total_sum;
  logic [31:0] distance_q, change_q, power, factor;

  fp32_mul u_mul_a (.a_i(mul_a_a), .b_i(mul_a_b), .product_o(mul_a));
  fp32_mul u_mul_b (.a_i(mul_b_a), .b_i(mul_b_b), .product_o(mul_b));
  fp32_add u_enter (.a_i(enter_a), .b_i(enter_b), .sum_o(enter_sum));
  fp32_add u_distance (.a_i(distance_a), .b_i(distance_b), .sum_o(distance_sum));
  fp32_add u_change (.a_i(change_a), .b_i(change_b), .sum_o(change_sum));
  fp32_add u_tile (.a_i(tile_a), .b_i(tile_b), .sum_o(tile_sum));
  fp32_add u_total (.a_i(total_a), .b_i(total_b), .sum_o(total_sum));
  element_serial_exp u_power (.clk_i, .en_i(element_step), .x_i(distance_q), .power_o(power));
  element_serial_exp u_factor (.clk_i, .en_i(element_step), .x_i(change_q), .power_o(factor));

  // --- Stage 1: reduce scales; normalise subtracts the maximum or mean ---

  logic [31:0] x, addend, shift, new_shift, new_scale;
  logic [31:0] x_wide, addend_wide;
  logic [31:0] shift_q, scale_q, new_scale_q, scale;

  fp16_widen u_x (.half_i(in_x_i[15:0]), .wide_o(x_wide));
  fp16_widen u_addend (.half_i(in_addend_i[15:0]), .wide_o(addend_wide));

  assign x      = half_i || normalise_i ? x_wide : in_x_i;
  assign addend = normalise_i ? in_addend_i : addend_wide;
  assign shift  = streaming_q ? shift_q : new_shift;

  // Valid bits of the stages. Reduce has three stages. Normalise has five or seven, and the last
  // one offers results.
  logic [6:1] valid_q, last_q;
  logic [5:1] first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (element_step) begin
      valid_q <= {valid_q[5:1], take};
    end
  end

  logic [31:0] product_q, entered_q, addend_1_q, addend_2_q, addend_3_q, gain_1_q, gain_2_q, gained_q;

  always_ff @(posedge clk_i) begin
    if (element_step) begin
      last_q     <= {last_q[5:1], in_last_i};
      first_q    <= {first_q[4:1], take_factors};
      addend_1_q <= addend;
      addend_2_q <= addend_1_q;
      addend_3_q <= addend_2_q;
      gain_1_q   <= in_gain_i;
      gain_2_q   <= gain_1_q;
      product_q  <= normalise_i || softmax ? mul_a : x;
      gained_q   <= mul_b;
      entered_q  <= enter_sum;
      if (take_factors) begin
        shift_q     <= new_shift;
        new_scale_q <= new_scale;
      end
      if (softmax ? first_q[5] : first_q[1]) begin
        scale_q <= new_scale_q;
      end
    end
  end

  // Scale of the vector whose products arrive now. The elements of the next vector arrive some
  // steps later.
  assign scale = (softmax ? first_q[5] : first_q[1]) ? new_scale_q : scale_q;

  // --- Reduce, stages 2 and 3: y, then FP16. Normalise: gain and bias, then FP16 ---

  assign enter_a = normalise_i ? gained_q : product_q;
  assign enter_b = normalise_i ? addend_3_q : addend_1_q;

  // A result that was taken while the other output stalled the unit is not offered a second time.
  logic        out_valid_q, out_taken_q, out_last_q, out_next, last_next;
  logic [15:0] out_q;
  logic [15:0] rounded, unused_upper;

  veda_result u_round (
    .valid_i (1'b1),
    .narrow_i(1'b1),
    .sum_i   (normalise_i && softmax ? product_q : entered_q),
    .result_o({unused_upper, rounded})
  );

  assign out_next  = normalise_i ? (softmax ? valid_q[6] : valid_q[4]) : valid_q[2];
  assign last_next = normalise_i ? (softmax ? last_q[6] : last_q[4]) : last_q[2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
    end else if (step) begin
      out_valid_q <= element_step && out_next;
    end
  end

  always_ff @(posedge clk_i) begin
    out_taken_q <= !step && (out_taken_q || (out_valid_o && out_ready_i));
    if (element_step) begin
      out_q      <= rounded;
      out_last_q <= last_next;
    end
  end

  assign out_valid_o = out_valid_q && !out_taken_q;
  assign out_data_o  = out_q;
  assign out_last_o  = out_last_q;

  // --- Reduce: FP16 elements wait (softmax), or are squared (norms) ---

  logic        entering, in_tile_first, in_tile_last;
  logic        wait_valid, wait_tile_first, wait_tile_last, wait_last;
  logic [15:0] wait_value, wait_maximum, wait_before, total_maximum;
  logic [1:0]  total_number;
  logic [31:0] out_wide, wait_wide, maximum_wide, before_wide;

  assign entering = out_valid_q && !normalise_i;

  element_serial_window #(
    .Tile(Tile)
  ) u_window (
    .clk_i,
    .rst_ni,
    .step_i          (step),
    .valid_i         (entering),
    .wait_i          (softmax),
    .value_i         (out_q),
    .last_i          (out_last_q),
    .tile_first_i_o  (in_tile_first),
    .tile_last_i_o   (in_tile_last),
    .valid_o         (wait_valid),
    .value_o         (wait_value),
    .tile_first_o    (wait_tile_first),
    .tile_last_o     (wait_tile_last),
    .last_o          (wait_last),
    .maximum_o       (wait_maximum),
    .before_o        (wait_before),
    .number_i        (total_number),
    .number_maximum_o(total_maximum)
  );

  fp16_widen u_out (.half_i(out_q), .wide_o(out_wide));
  fp16_widen u_wait (.half_i(wait_value), .wide_o(wait_wide));
  fp16_widen u_maximum (.half_i(wait_maximum), .wide_o(maximum_wide));
  fp16_widen u_before (.half_i(wait_before), .wide_o(before_wide));

  // Flags that accompany the exponential (softmax) or the square (norms).
  logic [5:1] late_valid_q, late_tile_first_q, late_tile_last_q, late_last_q, late_same_q;
  logic       square_valid_q, square_tile_first_q, square_tile_last_q, square_last_q;
  logic [31:0] square_q, element_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_valid_q <= '0;
    end else if (step) begin
      late_valid_q <= {late_valid_q[4:1], wait_valid};
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      square_valid_q      <= entering && !softmax;  // not reset: no element enters during reset
      late_tile_first_q   <= {late_tile_first_q[4:1], wait_tile_first};
      late_tile_last_q    <= {late_tile_last_q[4:1], wait_tile_last};
      late_last_q         <= {late_last_q[4:1], wait_last};
      late_same_q         <= {late_same_q[4:1], wait_maximum == wait_before};
      square_tile_first_q <= in_tile_first;
      square_tile_last_q  <= in_tile_last;
      square_last_q       <= out_last_q;
      square_q            <= mul_a;
      element_q           <= out_wide;
      change_q            <= change_sum;
    end
    if (element_step) begin
      // An element of minus infinity adds nothing, even if the maximum is minus infinity.
      distance_q <= !normalise_i && wait_value == 16'hFC00 ? MinusInfinity : distance_sum;
    end
  end

  // --- Reduce: sums ---

  logic        total;
  logic [31:0] scaled_a, scaled_b, sums_tile_a, sums_tile_b, squares_a, squares_b;
  logic [31:0] square_sum_a, square_sum_b;

  element_serial_sums #(
    .Tile(Tile)
  ) u_sums (
    .clk_i,
    .rst_ni,
    .step_i        (step),
    .softmax_i     (softmax),
    .valid_i       (softmax ? late_valid_q[5] : square_valid_q),
    .tile_first_i  (softmax ? late_tile_first_q[5] : square_tile_first_q),
    .tile_last_i   (softmax ? late_tile_last_q[5] : square_tile_last_q),
    .last_i        (softmax ? late_last_q[5] : square_last_q),
    .value_i       (softmax ? power : element_q),
    .square_i      (square_q),
    .factor_i      (factor),
    .same_i        (late_same_q[5]),
    .tile_a_o      (sums_tile_a),
    .tile_b_o      (sums_tile_b),
    .tile_i        (tile_sum),
    .squares_a_o   (squares_a),
    .squares_b_o   (squares_b),
    .squares_i     (distance_sum),
    .sum_a_o       (total_a),
    .sum_b_o       (total_b),
    .sum_i         (total_sum),
    .square_sum_a_o(square_sum_a),
    .square_sum_b_o(square_sum_b),
    .square_sum_i  (change_sum),
    .scaled_a_o    (scaled_a),
    .scaled_b_o    (scaled_b),
    .scaled_i      (mul_b),
    .total_o       (total),
    .number_o      (total_number)
  );

  logic        result_valid_q, result_taken_q;
  logic [31:0] result_first_q, result_second_q, total_maximum_wide;

  fp16_widen u_total_maximum (.half_i(total_maximum), .wide_o(total_maximum_wide));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= 1'b0;
    end else if (step) begin
      result_valid_q <= total;
    end
  end

  always_ff @(posedge clk_i) begin
    result_taken_q <= !step && (result_taken_q || (result_valid_o && result_ready_i));
    if (step) begin
      result_first_q  <= softmax ? total_maximum_wide : total_sum;
      result_second_q <= softmax ? total_sum : change_sum;
    end
  end

  assign result_valid_o  = result_valid_q && !result_taken_q;
  assign result_first_o  = result_first_q;
  assign result_second_o = result_second_q;

  // --- Normalise: factors ---

  logic [31:0] mean, factors_a, factors_b;

  element_serial_factors u_factors (
    .clk_i,
    .rst_ni,
    .step_i         (step),
    .softmax_i      (softmax),
    .layer_i        (layer),
    .epsilon_i      (param_i),
    .count_i,
    .valid_i        (stats_valid_i),
    .ready_o        (stats_ready_o),
    .first_i        (stats_first_i),
    .second_i       (stats_second_i),
    .lend_o         (lend),
    .mean_o         (mean),
    .square_i       (mul_b),
    .sum_a_o        (factors_a),
    .sum_b_o        (factors_b),
    .sum_i          (tile_sum),
    .ready_factors_o(factors_ready),
    .take_i         (take_factors),
    .shift_o        (new_shift),
    .scale_o        (new_scale)
  );

  // --- Operands ---

  always_comb begin
    if (normalise_i) begin
      mul_a_a    = softmax ? power : distance_q;
      mul_a_b    = scale;
      mul_b_a    = lend ? mean : product_q;
      mul_b_b    = lend ? mean : gain_2_q;
      distance_a = x;
      distance_b = {!shift[31], shift[30:0]};
      change_a   = 32'd0;
      change_b   = 32'd0;
      tile_a     = factors_a;
      tile_b     = factors_b;
    end else if (softmax) begin
      mul_a_a    = x;
      mul_a_b    = param_i;
      mul_b_a    = scaled_a;
      mul_b_b    = scaled_b;
      distance_a = wait_wide;
      distance_b = {!maximum_wide[31], maximum_wide[30:0]};
      change_a   = before_wide;
      change_b   = {!maximum_wide[31], maximum_wide[30:0]};
      tile_a     = sums_tile_a;
      tile_b     = sums_tile_b;
    end else begin
      mul_a_a    = out_wide;
      mul_a_b    = out_wide;
      mul_b_a    = scaled_a;
      mul_b_b    = scaled_b;
      distance_a = squares_a;
      distance_b = squares_b;
      change_a   = square_sum_a;
      change_b   = square_sum_b;
      tile_a     = sums_tile_a;
      tile_b     = sums_tile_b;
    end
  end

  // The driver must hold its inputs until they are taken.
  `ASSUME(InStable_M, in_valid_i && !in_ready_o |=>
      in_valid_i && $stable({in_x_i, in_gain_i, in_addend_i, in_last_i}))
  `ASSUME(StatsStable_M, stats_valid_i && !stats_ready_o |=>
      stats_valid_i && $stable({stats_first_i, stats_second_i}))
  `ASSUME(Function_M, function_i != 2'd3)

  `ASSERT(OutStable_A, out_valid_o && !out_ready_i |=> out_valid_o && $stable({out_data_o, out_last_o}))
  `ASSERT(ResultStable_A, result_valid_o && !result_ready_i |=>
      result_valid_o && $stable({result_first_o, result_second_o}))

  `COVER(OutWaits_C, out_valid_o && !out_ready_i && in_valid_i)
  `COVER(ResultWaits_C, result_valid_o && !result_ready_i && in_valid_i)
  `COVER(OutTakenResultWaits_C, out_valid_o && out_ready_i && result_valid_o && !result_ready_i)
  `COVER(ResultTakenOutWaits_C, out_valid_o && !out_ready_i && result_valid_o && result_ready_i)
  `COVER(LendsInVector_C, step && lend && streaming_q && in_valid_i)
  `COVER(NextFactorsAtOnce_C, take_factors && valid_q[1] && last_q[1])
  `COVER(PauseHolds_C, step && in_valid_i && !normalise_i && vector_first_q && pause_q != '0)
  `COVER(ResetInVector_C, $fell(rst_ni) && $past(!vector_first_q))
  `COVER(ResetWithFactors_C, $fell(rst_ni) && $past(factors_ready))

endmodule
