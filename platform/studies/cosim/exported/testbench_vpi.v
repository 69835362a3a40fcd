// SPDX-License-Identifier: Apache-2.0
// @block@, made by levee cosim --export. Over the VPI (IEEE 1364), testbench_vpi.c drives
// `clk` and `in` and reads `got`. bits.tsv lists each pin's bits. Plain Verilog.
`timescale 1ns / 1ps
module testbench_vpi;
  reg clk  /* verilator public_flat_rw */;
  reg [@inputs@-1:0] in  /* verilator public_flat_rw */;
  wire [@outputs@-1:0] got  /* verilator public_flat_rd */;

@instance@
  initial if ($test$plusargs("waves")) begin
    $dumpfile("testbench.vcd");
    $dumpvars(0, testbench_vpi);
  end
endmodule
