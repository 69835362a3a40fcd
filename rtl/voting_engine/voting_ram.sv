// SPDX-License-Identifier: Apache-2.0
// Memory with one write port and one read port. Read data are available in the next cycle and stay
// until the next read. If a word is read and written in the same cycle, the old word is read.
module voting_ram #(
  parameter int Width = 16,
  parameter int Depth = 64
) (
  input  logic                     clk_i,

  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] write_at_i,
  input  logic [Width-1:0]         write_data_i,

  input  logic                     read_i,
  input  logic [$clog2(Depth)-1:0] read_at_i,
  output logic [Width-1:0]         read_data_o
);

  logic [Width-1:0] words_q [Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      words_q[write_at_i] <= write_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_data_o <= words_q[read_at_i];
    end
  end

endmodule
