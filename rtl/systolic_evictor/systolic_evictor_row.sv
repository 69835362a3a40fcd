// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// One row of the systolic evictor (Kelle, figure 11c): the register S of a token's importance with
// its adder, and the register M with its comparator, through which the smallest importance so far
// moves down the column. S exists twice: while the scores of a tile stream through one copy, the
// previous tile is read from the other copy, and the next one is loaded into it.
module systolic_evictor_row #(
  parameter int ScoreWidth = 16,
  parameter int IndexWidth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Preload: takes a token's importance into S.
  input  logic                  load_i,
  input  logic                  load_bank_i,
  input  logic [ScoreWidth-1:0] load_score_i,
  input  logic                  load_protected_i,

  // Step: adds a score to S.
  input  logic                  step_i,
  input  logic                  step_bank_i,
  input  logic                  signed_i,
  input  logic [ScoreWidth-1:0] score_i,

  // Search, only with a step: lets the pair from the row above pass.
  input  logic                  search_i,
  input  logic [IndexWidth-1:0] index_i,
  input  logic                  found_i,
  input  logic [ScoreWidth-1:0] min_i,
  input  logic [IndexWidth-1:0] min_index_i,

  input  logic                  read_bank_i,
  output logic [ScoreWidth-1:0] score_o,
  output logic                  found_o,
  output logic [ScoreWidth-1:0] min_o,
  output logic [IndexWidth-1:0] min_index_o
);

  logic                  protected_q;
  logic [ScoreWidth-1:0] score0_q, score1_q;  // scores of each bank
  logic                  found_q;
  logic [ScoreWidth-1:0] min_q;
  logic [IndexWidth-1:0] min_index_q;

  // One more bit than the operands detects overflow.
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

  // Signed numbers compare like unsigned ones once their sign bit is inverted.
  function automatic [ScoreWidth-1:0] order_of;
    input [ScoreWidth-1:0] score;
    input                  is_signed;
    order_of = {score[ScoreWidth-1] ^ is_signed, score[ScoreWidth-2:0]};
  endfunction

  // Idle rows compare nothing. The step signal arrives late, so it is applied after the adder.
  logic [ScoreWidth-1:0] old, updated;
  logic                  take;

  assign old = step_bank_i ? score1_q : score0_q;

  always_comb begin
    updated = old;
    take    = 1'b0;
    if (step_i) begin
      updated = saturating_sum(old, score_i, signed_i);
      // Strictly smaller: among equals the upper row wins.
      take = search_i & ~protected_q &
             (~found_i | (order_of(updated, signed_i) < order_of(min_i, signed_i)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i & ~load_bank_i) begin
      score0_q <= load_score_i;
    end else if (step_i & ~step_bank_i) begin
      score0_q <= updated;
    end
    if (load_i & load_bank_i) begin
      score1_q <= load_score_i;
    end else if (step_i & step_bank_i) begin
      score1_q <= updated;
    end
  end

  // Only valid flags are reset.
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      protected_q <= load_protected_i;
    end
    if (search_i) begin
      min_q       <= take ? updated : min_i;
      min_index_q <= take ? index_i : min_index_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_q <= 1'b0;
    end else if (search_i) begin
      found_q <= found_i | take;
    end
  end

  assign score_o     = read_bank_i ? score1_q : score0_q;
  assign found_o     = found_q;
  assign min_o       = min_q;
  assign min_index_o = min_index_q;

  `ASSERT(LoadAndStepExclude_A, !(load_i && step_i && load_bank_i == step_bank_i))
  `ASSERT(SearchSteps_A, search_i |-> step_i)
  `ASSERT(ProtectedRowPassesPair_A,
      search_i && protected_q && found_i |=>
      found_q && min_q == $past(min_i) && min_index_q == $past(min_index_i))
  `ASSERT(EqualScoreKeepsRowAbove_A,
      search_i && found_i && updated == min_i |=> min_index_q == $past(min_index_i))
  `ASSERT(SmallestPasses_A,
      search_i && !protected_q |=> found_q &&
      order_of(min_q, $past(signed_i)) <= order_of($past(updated), $past(signed_i)))
  `ASSERT(PairStaysWithoutSearch_A,
      !search_i |=> $stable(found_q) && $stable(min_q) && $stable(min_index_q))

  `COVER(SaturatesUnsigned_C, step_i && !signed_i && updated == '1 && score_i != '0 && old != '1)
  `COVER(SaturatesSignedHigh_C,
      step_i && signed_i && !old[ScoreWidth-1] && !score_i[ScoreWidth-1] && updated ==
      {1'b0, {(ScoreWidth - 1){1'b1}}} && old != updated && score_i != updated)
  `COVER(SaturatesSignedLow_C,
      step_i && signed_i && old[ScoreWidth-1] && score_i[ScoreWidth-1] && updated ==
      {1'b1, {(ScoreWidth - 1){1'b0}}} && old != updated && score_i != updated)
  `COVER(SignsDiffer_C,
      search_i && signed_i && found_i && (updated[ScoreWidth-1] ^ min_i[ScoreWidth-1]))
  `COVER(EqualScores_C, search_i && found_i && !protected_q && updated == min_i)
  `COVER(OneLess_C, search_i && found_i && take && updated + 1'b1 == min_i)
  `COVER(FirstCandidate_C, search_i && !found_i && take)
  `COVER(ProtectedSmaller_C, search_i && found_i && protected_q && !signed_i && updated < min_i)
  `COVER(LoadsBesideStep_C, load_i && step_i)

endmodule
