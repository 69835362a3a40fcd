// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// Sums over a vector. An element adds one number (softmax: its exponential) or two (norms: the
// element and its square). A tile's sum starts at +0. Softmax: the sum of earlier tiles (carry) is
// scaled to the next tile's maximum, and that tile's sum is added. Norms: tiles are added in blocks
// of Tile tiles, and blocks are added to the carry. The adders and the multiplier are outside:
// the module outputs operands and takes results in the same cycle.
module element_serial_sums #(
  parameter int Tile = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,  // 0: all registers keep their values
  input  logic        softmax_i,
  // An element.
  input  logic        valid_i,
  input  logic        tile_first_i,
  input  logic        tile_last_i,
  input  logic        last_i,
  input  logic [31:0] value_i,
  input  logic [31:0] square_i,
  input  logic [31:0] factor_i,  // softmax, at tile_first_i: scales the previous sum
  input  logic        same_i,    // at tile_first_i: no factor is needed

  output logic [31:0] tile_a_o,
  output logic [31:0] tile_b_o,
  input  logic [31:0] tile_i,
  output logic [31:0] squares_a_o,
  output logic [31:0] squares_b_o,
  input  logic [31:0] squares_i,
  output logic [31:0] sum_a_o,
  output logic [31:0] sum_b_o,
  input  logic [31:0] sum_i,
  output logic [31:0] square_sum_a_o,
  output logic [31:0] square_sum_b_o,
  input  logic [31:0] square_sum_i,
  output logic [31:0] scaled_a_o,
  output logic [31:0] scaled_b_o,
  input  logic [31:0] scaled_i,

  // In this step, sum_i and square_sum_i are the results of a vector. `number_o` is the number of
  // its last tile, counted over softmaxes modulo 4.
  output logic        total_o,
  output logic [1:0]  number_o
);

  localparam int PlaceBits = $clog2(Tile);
  localparam logic [PlaceBits-1:0] End = PlaceBits'(Tile - 1);

  // --- State of the tile ---

  logic [31:0] tile_q, squares_q;
  logic        valid_q, tile_first_q, tile_last_q, last_q, same_q;
  logic [31:0] factor_q;

  assign tile_a_o    = tile_first_i ? 32'd0 : tile_q;
  assign tile_b_o    = value_i;
  assign squares_a_o = tile_first_i ? 32'd0 : squares_q;
  assign squares_b_o = square_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (step_i) begin
      valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      if (valid_i) begin
        tile_q    <= tile_i;
        squares_q <= squares_i;
      end
      tile_first_q <= tile_first_i;
      tile_last_q  <= tile_last_i;
      last_q       <= last_i;
      factor_q     <= factor_i;
      same_q       <= same_i;
    end
  end

  // --- Tile numbers ---

  logic                 first_tile_q;  // first tile of the vector
  logic [PlaceBits-1:0] block_place_q; // place of the tile in its block
  logic                 end_tile, block_first, total_q;
  logic [1:0]           number_q, total_number_q;
  logic [31:0]          carry_q, sum_q, square_carry_q, square_sum_q;

  assign end_tile    = valid_q && tile_last_q;
  assign block_first = block_place_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_tile_q  <= 1'b1;
      block_place_q <= '0;
      number_q      <= '0;
      total_q       <= 1'b0;
    end else if (step_i) begin
      total_q <= end_tile && last_q;
      if (end_tile) begin
        first_tile_q  <= last_q;
        block_place_q <= last_q || block_place_q == End ? '0 : block_place_q + PlaceBits'(1);
        number_q      <= number_q + {1'b0, softmax_i};
      end
    end
  end

  // The total is carry + sum, in the step after a vector's last tile.
  always_comb begin
    sum_a_o        = carry_q;
    sum_b_o        = sum_q;
    square_sum_a_o = square_carry_q;
    square_sum_b_o = square_sum_q;
    if (!total_q && softmax_i) begin
      sum_b_o = tile_q;
    end else if (!total_q && !block_first) begin
      sum_a_o        = sum_q;
      sum_b_o        = tile_q;
      square_sum_a_o = square_sum_q;
      square_sum_b_o = squares_q;
    end
  end

  assign scaled_a_o = sum_q;
  assign scaled_b_o = factor_q;

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      total_number_q <= number_q;
      if (softmax_i) begin
        if (valid_q && tile_first_q) begin
          carry_q <= first_tile_q ? 32'd0 : (same_q ? sum_q : scaled_i);
        end
        if (end_tile) begin
          sum_q <= last_q ? tile_q : sum_i;
        end
      end else if (end_tile) begin
        sum_q        <= block_first ? tile_q : sum_i;
        square_sum_q <= block_first ? squares_q : square_sum_i;
        if (block_first) begin
          carry_q        <= first_tile_q ? 32'd0 : sum_i;
          square_carry_q <= first_tile_q ? 32'd0 : square_sum_i;
        end
      end
    end
  end

  assign total_o  = total_q;
  assign number_o = total_number_q;

  // The adder of sums gets at most one request per step.
  `ASSERT(OneSum_A, total_q && end_tile |-> softmax_i ? last_q : first_tile_q)

  `COVER(SecondBlock_C, step_i && end_tile && !softmax_i && block_first && !first_tile_q)
  `COVER(TotalAndTile_C, step_i && total_q && end_tile)
  `COVER(Scaled_C, step_i && softmax_i && valid_q && tile_first_q && !first_tile_q && !same_q)
  `COVER(TileOfOneAfterFull_C, step_i && softmax_i && valid_q && tile_first_q && tile_last_q && !first_tile_q)

endmodule
