// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Digital compute-in-memory macro with Inputs x Outputs resident weights. It multiplies the weights
// by a vector of inputs, one input bit per cycle, highest bit first. In each cycle, a column adds
// up the weights of the inputs whose current bit is 1.
//
// A pass processes InputBits bits of each input: one cycle to take the inputs, then one cycle per
// bit. In a vector's first pass, the highest bit may be a sign bit. For inputs with twice as many
// bits, a second pass adds their lower bits to the same sums. The sums of the last pass are offered
// in the cycle after its last bit. The next pass can be taken in the cycle in which the sums are
// taken.
//
// One row of weights can be loaded per cycle while no vector is in progress. A row that is loaded
// in the cycle in which a vector is taken already applies to that vector.
module cim_macro #(
  parameter int Inputs     = 32,
  parameter int Outputs    = 4,
  parameter int WeightBits = 8,
  parameter int InputBits  = 8    // bits per pass
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           load_valid_i,
  output logic                           load_ready_o,
  input  logic [$clog2(Inputs)-1:0]      load_row_i,
  input  logic [Outputs*WeightBits-1:0]  load_weights_i,

  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic                           in_signed_i,  // first pass: the highest bit is negative
  input  logic                           in_last_i,    // last pass of its vector
  input  logic [Inputs*InputBits-1:0]    in_vector_i,

  output logic                           out_valid_o,
  input  logic                           out_ready_i,
  output logic [Outputs*(WeightBits+2*InputBits+$clog2(Inputs))-1:0] out_sums_o  // signed
);

  `ASSERT_INIT(Inputs_A, Inputs >= 2 && Inputs == 1 << $clog2(Inputs))
  `ASSERT_INIT(Outputs_A, Outputs >= 1)
  `ASSERT_INIT(WeightBits_A, WeightBits >= 2)
  `ASSERT_INIT(InputBits_A, InputBits >= 2)

  localparam int SumBits    = WeightBits + 2 * InputBits + $clog2(Inputs);
  localparam int CountWidth = $clog2(InputBits + 1);

  logic load_take, in_take;
  assign load_take = load_valid_i && load_ready_o;
  assign in_take   = in_valid_i && in_ready_o;

  logic [CountWidth-1:0] count_d, count_q;  // remaining bits
  logic                  open_d, open_q;    // the vector has another pass
  logic                  valid_d, valid_q;  // the sums wait to be taken
  logic                  step, last_bit;

  assign step     = count_q != '0;
  assign last_bit = count_q == CountWidth'(1);

  assign load_ready_o = !step && !open_q;
  assign in_ready_o   = !step && (!valid_q || out_ready_i);
  assign out_valid_o  = valid_q;

  always_comb begin
    count_d = count_q;
    open_d  = open_q;
    valid_d = valid_q;
    if (out_ready_i) begin
      valid_d = 1'b0;
    end
    if (step) begin
      count_d = count_q - CountWidth'(1);
      valid_d = last_bit && !open_q;
    end
    if (in_take) begin
      count_d = CountWidth'(InputBits);
      open_d  = !in_last_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      open_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      count_q <= count_d;
      open_q  <= open_d;
      valid_q <= valid_d;
    end
  end

  // The highest bit of each input comes first.
  logic [Inputs*InputBits-1:0] vector_q;
  logic                        start_q, negate_q;  // flags of the next bit
  logic [Inputs-1:0]           bits;

  always_ff @(posedge clk_i) begin
    if (in_take) begin
      start_q  <= !open_q;
      negate_q <= in_signed_i;
      vector_q <= in_vector_i;
    end else begin
      start_q  <= 1'b0;
      negate_q <= 1'b0;
      vector_q <= vector_q << 1;
    end
  end

  // Bits shifted in from the neighbouring input reach the highest bit only after this input's last
  // bit has been used.
  for (genvar i = 0; i < Inputs; i++) begin : gen_bits
    assign bits[i] = vector_q[i*InputBits+InputBits-1];
  end

  for (genvar o = 0; o < Outputs; o++) begin : gen_columns
    cim_macro_column #(
      .Inputs    (Inputs),
      .WeightBits(WeightBits),
      .SumBits   (SumBits)
    ) u_column (
      .clk_i,
      .load_i       (load_take),
      .load_row_i,
      .load_weight_i(load_weights_i[o*WeightBits +: WeightBits]),
      .step_i       (step),
      .start_i      (start_q),
      .negate_i     (negate_q),
      .bits_i       (bits),
      .sum_o        (out_sums_o[o*SumBits +: SumBits])
    );
  end

  // The driver must hold its inputs until they are taken.
  `ASSUME(LoadStable_M, load_valid_i && !load_ready_o |=> load_valid_i && $stable(load_row_i) &&
      $stable(load_weights_i))
  `ASSUME(InStable_M, in_valid_i && !in_ready_o |=> in_valid_i && $stable(in_vector_i) &&
      $stable(in_last_i) && $stable(in_signed_i))
  `ASSUME(TwoPasses_M, in_take && open_q |-> in_last_i && !in_signed_i)

  `ASSERT(SumsStay_A, out_valid_o && !out_ready_i |=> out_valid_o && $stable(out_sums_o))
  `ASSERT(NoLoadUnderWay_A, load_take |-> !step)

  `COVER(BackToBack_C, in_take && valid_q)
  `COVER(SumsWait_C, valid_q && !out_ready_i && in_valid_i)
  `COVER(SecondPass_C, in_take && open_q)
  `COVER(SecondPassWaits_C, !step && open_q && !in_valid_i)
  `COVER(Unsigned_C, in_take && !open_q && !in_signed_i)
  `COVER(LoadWaits_C, load_valid_i && !load_ready_o)
  `COVER(LoadBesideSums_C, load_take && valid_q)
  `COVER(LoadBesideVector_C, load_take && in_take)
  `COVER(LastRow_C, load_take && load_row_i == '1)

endmodule
