// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"

// FIFO of elements. Read data are available in the next cycle.
module voting_fifo #(
  parameter int Capacity = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        full_o,
  input  logic        take_i,  // only if the FIFO is not full
  input  logic [14:0] element_i,

  input  logic        read_i,  // only if the FIFO is not empty
  output logic [14:0] element_o
);

  localparam int IndexWidth = $clog2(Capacity);
  localparam int CountWidth = $clog2(Capacity + 1);

  logic [CountWidth-1:0] count_d, count_q;
  logic [IndexWidth-1:0] write_at_d, write_at_q, read_at_d, read_at_q;

  assign full_o  = count_q == CountWidth'(Capacity);
  assign count_d = count_q + CountWidth'(take_i) - CountWidth'(read_i);
  assign write_at_d =
      write_at_q == IndexWidth'(Capacity - 1) ? '0 : write_at_q + IndexWidth'(1);
  assign read_at_d  = read_at_q == IndexWidth'(Capacity - 1) ? '0 : read_at_q + IndexWidth'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q    <= '0;
      write_at_q <= '0;
      read_at_q  <= '0;
    end else begin
      count_q <= count_d;
      if (take_i) begin
        write_at_q <= write_at_d;
      end
      if (read_i) begin
        read_at_q <= read_at_d;
      end
    end
  end

  voting_ram #(
    .Width(15),
    .Depth(Capacity)
  ) u_elements (
    .clk_i,
    .write_i     (take_i),
    .write_at_i  (write_at_q),
    .write_data_i(element_i),
    .read_i,
    .read_at_i   (read_at_q),
    .read_data_o (element_o)
  );

  `ASSUME(NotWhenFull_M, take_i |-> !full_o)
  `ASSERT(NeverMoreThanFits_A, count_q <= CountWidth'(Capacity))
  `ASSERT(NothingFromAnEmptyFifo_A, read_i |-> count_q != '0)
  `COVER(WriteAndRead_C, take_i && read_i)
  `COVER(Wraps_C, take_i && write_at_q == IndexWidth'(Capacity - 1))

endmodule
