// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// The FIFO. An element waits until the last element of its tile has arrived, because only then is
// the tile's maximum known. A tile ends after Tile elements, or with its vector. A vector's first
// element waits for at least Tile steps. If an element arrives in each step, all other elements of
// the vector wait as long as the first one, even if their tile is short.
module element_serial_window #(
  parameter int Tile = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,         // 0: all registers keep their values
  input  logic        valid_i,
  input  logic        wait_i,         // 0: elements do not wait; tiles are counted
  input  logic [15:0] value_i,        // FP16
  input  logic        last_i,         // last element of its vector
  output logic        tile_first_i_o, // the entering element begins a tile
  output logic        tile_last_i_o,

  // An element that leaves the FIFO.
  output logic        valid_o,
  output logic [15:0] value_o,
  output logic        tile_first_o,
  output logic        tile_last_o,
  output logic        last_o,
  output logic [15:0] maximum_o,      // maximum of the vector up to this tile
  output logic [15:0] before_o,       // maximum up to the previous tile; undefined in the first
                                      // tile

  // Maximum of the tile whose number, modulo 4, is given.
  input  logic [1:0]  number_i,
  output logic [15:0] number_maximum_o
);

  localparam int PlaceBits = $clog2(Tile);
  localparam logic [PlaceBits-1:0] End = PlaceBits'(Tile - 1);
  localparam logic [15:0] MinusInfinity = 16'hFC00;

  // --- Entry: the maximum so far, and the ends of tiles ---

  logic                 vector_first_q;  // the next element begins a vector
  logic [PlaceBits-1:0] in_place_q;      // position of the next element in its tile
  logic [15:0]          so_far_q, base, maximum;
  logic                 is_greater, in_tile_last;
  logic [1:0]           in_number_q;

  assign base         = vector_first_q ? MinusInfinity : so_far_q;
  assign in_tile_last = last_i || in_place_q == End;
  assign maximum      = is_greater ? value_i : base;

  element_serial_greater u_greater (
    .a_i      (value_i),
    .b_i      (base),
    .greater_o(is_greater)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vector_first_q <= 1'b1;
      in_place_q     <= '0;
      in_number_q    <= '0;
    end else if (step_i && valid_i) begin
      vector_first_q <= last_i;
      in_place_q     <= in_tile_last ? '0 : in_place_q + PlaceBits'(1);
      if (in_tile_last && wait_i) begin
        in_number_q <= in_number_q + 2'd1;
      end
    end
  end

  // Maxima of complete tiles, by tile number modulo 4. At most three tiles wait; the fourth entry
  // is for a maximum that is still read, by `number_i`.
  logic [15:0] maxima[4];

  always_ff @(posedge clk_i) begin
    if (step_i && valid_i) begin
      so_far_q <= maximum;
      if (in_tile_last && wait_i) begin
        maxima[in_number_q] <= maximum;
      end
    end
  end

  // --- The FIFO; when it is full, a step reads and writes it ---

  logic [PlaceBits-1:0] write_q, read_q, age_q;
  logic [15:0]          values[Tile];
  logic [Tile-1:0]      first_q, last_q;  // first and last elements of their vectors
  logic [1:0]           waiting_q;        // number of complete tiles that wait
  logic                 put;

  assign put = valid_i && wait_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      waiting_q <= '0;
    end else if (step_i) begin
      if (put) begin
        write_q <= write_q == End ? '0 : write_q + PlaceBits'(1);
      end
      if (valid_o) begin
        read_q <= read_q == End ? '0 : read_q + PlaceBits'(1);
      end
      waiting_q <= waiting_q + {1'b0, put && in_tile_last} - {1'b0, valid_o && tile_last_o};
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i && put && vector_first_q) begin
      age_q <= End;
    end else if (step_i && age_q != '0) begin
      age_q <= age_q - PlaceBits'(1);
    end
    if (step_i && put) begin
      values[write_q]  <= value_i;
      first_q[write_q] <= vector_first_q;
      last_q[write_q]  <= last_i;
    end
  end

  // --- Elements that leave ---

  logic [PlaceBits-1:0] out_place_q;
  logic [1:0]           out_number_q;
  logic [15:0]          before_q;

  assign valid_o        = waiting_q != '0 && (!first_q[read_q] || age_q == '0);
  assign value_o        = values[read_q];
  assign last_o         = last_q[read_q];
  assign tile_first_o   = out_place_q == '0;
  assign tile_last_o    = last_o || out_place_q == End;
  assign maximum_o      = maxima[out_number_q];
  assign before_o       = before_q;
  assign tile_first_i_o = in_place_q == '0;
  assign tile_last_i_o  = in_tile_last;
  assign number_maximum_o = maxima[number_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_place_q  <= '0;
      out_number_q <= '0;
    end else if (step_i && valid_o) begin
      out_place_q <= tile_last_o ? '0 : out_place_q + PlaceBits'(1);
      if (tile_last_o) begin
        out_number_q <= out_number_q + 2'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i && valid_o && tile_last_o) begin
      before_q <= maximum_o;
    end
  end

  // The maximum of a vector's last tile is read Tile + 7 steps after the tile, when at most three
  // further tiles have ended.
  `ASSERT_INIT(Tile_A, Tile >= 8)

`ifdef INC_ASSERT
  logic [PlaceBits:0] held_q;  // number of elements in the FIFO
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= '0;
    end else if (step_i) begin
      held_q <= held_q + {{PlaceBits{1'b0}}, put} - {{PlaceBits{1'b0}}, valid_o};
    end
  end
  `ASSERT(Holds_A, held_q <= (PlaceBits + 1)'(Tile) && (held_q != '0 || !valid_o))
  `ASSERT(ThreeWait_A, step_i && put && in_tile_last |-> waiting_q != 2'd3 || (valid_o && tile_last_o))
  `COVER(ThreeWait_C, waiting_q == 2'd3)
  `COVER(NewMaximum_C, step_i && valid_o && tile_first_o && maximum_o != before_o)
  `COVER(SameMaximum_C, step_i && valid_o && tile_first_o && maximum_o == before_o)
  `COVER(TileOfOne_C, step_i && valid_o && tile_first_o && tile_last_o)
  `COVER(Full_C, step_i && put && held_q == (PlaceBits + 1)'(Tile))
  `COVER(TileIncomplete_C, step_i && held_q != '0 && waiting_q == '0 && age_q == '0)
  `COVER(FullTile_C, step_i && valid_o && out_place_q == End)
  `COVER(Nan_C, step_i && valid_i && value_i == 16'h7E00)
  `COVER(EqualZeroes_C, step_i && valid_i && !vector_first_q && value_i == 16'h0000 && so_far_q == 16'h8000)
`endif

endmodule
