// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// One row of the systolic evictor (Kelle, figure 11c). Register S has a token's importance and an
// adder. Register M has a comparator; the smallest importance so far moves through it down the
// column. S exists twice. While the scores of a tile pass one copy, the previous tile is read from
// the other copy, and the next tile is loaded into it.
module systolic_evictor_row #(
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Preload: loads a token's importance into S.
  input  logic                  load_i,
  input  logic                  load_bank_i,
  input  logic [ScoreWidth-1:0] load_score_i,

  // Step: adds a score to S.
  input  logic                  step_i,
  input  logic                  step_bank_i,
  input  logic                  signed_i,
  input  logic [ScoreWidth-1:0] score_i,

  // Search, only with a step: passes on the smaller of the pair from above and this row's.
  input  logic                  search_i,
  input  logic                  protected_i,  // this row's token must not be chosen
  input  logic [IndexWidth-1:0] index_i,
  input  logic                  found_i,
  input  logic [ScoreWidth-1:0] min_i,
  input  logic [IndexWidth-1:0] min_index_i,

  input  logic                  read_bank_i,
  output logic [ScoreWidth-1:0] score_o,
  output logic [ScoreWidth-1:0] min_o,
  output logic [IndexWidth-1:0] min_index_o
);

  logic [ScoreWidth-1:0] score0_q, score1_q;  // scores of each bank
  logic [ScoreWidth-1:0] min_q;
  logic [IndexWidth-1:0] min_index_q;

  // One additional bit detects overflow of the sum.
  function automatic [ScoreWidth-1:0] saturating_sum;
    input [ScoreWidth-1:0] a;
    input [ScoreWidth-1:0] b;
    input                  is_signed;
    logic [ScoreWidth:0]   sum;
    begin
      sum = {is_signed & a[ScoreWidth-1], a} + {is_signed & b[ScoreWidth-1], b};
      saturating_sum = sum[ScoreWidth-1:0];
      if (is_signed) begin
        if (sum[ScoreWidth] != sum[ScoreWidth-1]) begin
          saturating_sum = {sum[ScoreWidth], {(ScoreWidth - 1){~sum[ScoreWidth]}}};
        end
      end else if (sum[ScoreWidth]) begin
        saturating_sum = {ScoreWidth{1'b1}};
      end
    end
  endfunction

  // Signed numbers compare like unsigned ones if their sign bit is inverted.
  function automatic [ScoreWidth-1:0] order_of;
    input [ScoreWidth-1:0] score;
    input                  is_signed;
    order_of = {score[ScoreWidth-1] ^ is_signed, score[ScoreWidth-2:0]};
  endfunction

  // The sum and the comparison are computed inside the clocked block, so that a simulator computes
  // them only in rows that step. The step signal arrives late in a cycle, so it is applied after
  // the sum.
  always_ff @(posedge clk_i) begin : step
    logic [ScoreWidth-1:0] updated;
    logic                  take;
    if (step_i) begin
      updated = saturating_sum(step_bank_i ? score1_q : score0_q, score_i, signed_i);
      // Strictly smaller: of equal importances, the upper row's is kept.
      take = ~protected_i &
             (~found_i | (order_of(updated, signed_i) < order_of(min_i, signed_i)));
      if (step_bank_i) begin
        score1_q <= updated;
      end else begin
        score0_q <= updated;
      end
      if (search_i) begin
        min_q       <= take ? updated : min_i;
        min_index_q <= take ? index_i : min_index_i;
      end
    end
    if (load_i) begin
      if (load_bank_i) begin
        score1_q <= load_score_i;
      end else begin
        score0_q <= load_score_i;
      end
    end
  end

  assign score_o     = read_bank_i ? score1_q : score0_q;
  assign min_o       = min_q;
  assign min_index_o = min_index_q;

`ifdef INC_ASSERT
  // The importance before and after a step. They are not in waveforms, because a design without
  // assertions would compute them only for its waveforms.
  // verilator tracing_off
  logic [ScoreWidth-1:0] old_score, new_score;

  assign old_score = step_bank_i ? score1_q : score0_q;
  assign new_score = saturating_sum(old_score, score_i, signed_i);
  // verilator tracing_on
`endif

  `ASSERT(LoadAndStepExclude_A, !(load_i && step_i && load_bank_i == step_bank_i))
  `ASSERT(SearchSteps_A, search_i |-> step_i)
  `ASSERT(ProtectedRowPassesPair_A,
      search_i && protected_i && found_i |=>
      min_q == $past(min_i) && min_index_q == $past(min_index_i))
  `ASSERT(EqualScoreKeepsRowAbove_A,
      search_i && found_i && new_score == min_i |=> min_index_q == $past(min_index_i))
  `ASSERT(SmallestPasses_A,
      search_i && !protected_i |=>
      order_of(min_q, $past(signed_i)) <= order_of($past(new_score), $past(signed_i)))
  `ASSERT(PairStaysWithoutSearch_A,
      !search_i |=> $stable(min_q) && $stable(min_index_q))

  `COVER(SaturatesUnsigned_C,
      step_i && !signed_i && new_score == '1 && score_i != '0 && old_score != '1)
  `COVER(SaturatesSignedHigh_C,
      step_i && signed_i && !old_score[ScoreWidth-1] && !score_i[ScoreWidth-1] && new_score ==
      {1'b0, {(ScoreWidth - 1){1'b1}}} && old_score != new_score && score_i != new_score)
  `COVER(SaturatesSignedLow_C,
      step_i && signed_i && old_score[ScoreWidth-1] && score_i[ScoreWidth-1] && new_score ==
      {1'b1, {(ScoreWidth - 1){1'b0}}} && old_score != new_score && score_i != new_score)
  `COVER(SignsDiffer_C,
      search_i && signed_i && found_i && (new_score[ScoreWidth-1] ^ min_i[ScoreWidth-1]))
  `COVER(EqualScores_C, search_i && found_i && !protected_i && new_score == min_i)
  `COVER(OneLess_C,
      search_i && found_i && !protected_i && order_of(new_score, signed_i) != '1 &&
      new_score + 1'b1 == min_i)
  `COVER(FirstCandidate_C, search_i && !found_i && !protected_i)
  `COVER(ProtectedSmaller_C, search_i && found_i && protected_i && !signed_i && new_score < min_i)
  `COVER(LoadsBesideStep_C, load_i && step_i)

endmodule
