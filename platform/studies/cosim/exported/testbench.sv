// SPDX-License-Identifier: Apache-2.0
// @block@, @operations@ operations of seed @seed@. Made by levee cosim --export. Plain
// Verilog for Verilator, Icarus and others. The last line of the output begins with PASSED or
// FAILED.
`timescale 1ns / 1ps
module testbench;
  reg [@inputs@-1:0] stimulus [0:@cycles@-1];
  reg [@outputs@-1:0] expected [0:@cycles@-1];
  reg [@outputs@-1:0] counting [0:@cycles@-1];  // output bits to compare
  reg [31:0] operation [0:@cycles@-1];

  reg clk;
  reg [@inputs@-1:0] in;
  wire [@outputs@-1:0] got;
  reg [@outputs@-1:0] want, counts;
  integer cycle, failures, compared;

@instance@
  // If the file is missing or too short, `counting` has zeros or unknown bits. Such a cycle is not
  // compared.
  task compare;
    begin
      if ((|counts) === 1'b1) compared = compared + 1;
      if (((want ^ got) & counts) !== 0) begin
        failures = failures + 1;
        $display("cycle %0d, operation %0d:", cycle, operation[cycle]);
@comparisons@      end
    end
  endtask

  initial begin
    if ($test$plusargs("waves")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    $readmemh("stimulus.memh", stimulus);
    $readmemh("expected.memh", expected);
    $readmemh("counts.memh", counting);
    $readmemh("operation.memh", operation);
    clk = 0;
    failures = 0;
    compared = 0;
    for (cycle = 0; cycle < @cycles@ && failures < 5; cycle = cycle + 1) begin
      in = stimulus[cycle];
      want = expected[cycle];
      counts = counting[cycle];
      #5 compare;
      clk = 1;
      #5 clk = 0;
    end
    if (failures != 0) $display("FAILED: stopped after %0d of @cycles@ cycles", cycle);
    else if (compared == 0 || compared != @counting_cycles@)
      $display("FAILED: outputs compared in %0d cycles, expected @counting_cycles@; counts.memh is missing or cut",
               compared);
    else $display("PASSED: %0d cycles", cycle);
    $finish;
  end
endmodule
