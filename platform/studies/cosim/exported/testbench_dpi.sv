// SPDX-License-Identifier: Apache-2.0
// @block@: Levee's reference next to the design. Made by levee cosim --export. Arguments:
// +operations=N, +seed=S, +values_only. The last line of the output begins with PASSED or FAILED.
`timescale 1ns / 1ps
module testbench_dpi;
  import "DPI-C" function void levee_reference_open(input int seed, input int operations,
                                                    input int values_only);
  import "DPI-C" function int levee_reference_inputs(output bit [@inputs@-1:0] inputs);
  import "DPI-C" function void levee_reference_outputs(input bit [@outputs@-1:0] outputs);
  import "DPI-C" function int levee_reference_close();

  logic clk;
  bit [@inputs@-1:0] in;
  logic [@outputs@-1:0] got;
  int seed, operations, values_only;

@instance@
  initial begin
    if ($test$plusargs("waves")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench_dpi);
    end
    seed = @seed@;
    operations = @operations@;
    values_only = $test$plusargs("values_only") ? 1 : 0;
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("operations=%d", operations));
    clk = 0;
    levee_reference_open(seed, operations, values_only);
    while (levee_reference_inputs(in) != 0) begin
      #5 levee_reference_outputs(got);
      clk = 1;
      #5 clk = 0;
    end
    void'(levee_reference_close());
    $finish;
  end
endmodule
