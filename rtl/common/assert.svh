// SPDX-License-Identifier: Apache-2.0
// Assertion macros in the style of OpenTitan's prim_assert. Clock and reset are named once, here. A
// module whose clock and reset have other names passes them as the last two arguments (COVER: only
// the clock); 1'b0 means no reset.
//
//   ASSERT_INIT(Name_A, condition)  checks parameters; a violating design does not elaborate
//   ASSERT(Name_A, property)        a guarantee of the module
//   ASSUME(Name_M, property)        an obligation of the driver of its inputs
//   COVER(Name_C, property)         an event that a test must reach; also counts during reset
//
// Tools without concurrent assertions (synthesis, Icarus) get empty macros. Logic that only
// assertions use is inside `ifdef INC_ASSERT.
`ifndef LEVEE_ASSERT_SVH
`define LEVEE_ASSERT_SVH

`define ASSERT_DEFAULT_CLK clk_i
`define ASSERT_DEFAULT_RST !rst_ni

`ifdef SYNTHESIS
`elsif __ICARUS__
`else
`define INC_ASSERT
`endif

`ifdef INC_ASSERT

`define ASSERT_INIT(__name, __condition) \
  if (!(__condition)) begin : gen_``__name \
    $error(`"parameters: expected __condition`"); \
  end

// SYNCASYNCNET is off, because a property intentionally samples the asynchronous reset with the
// clock.
`define ASSERT(__name, __property, __clk = `ASSERT_DEFAULT_CLK, __rst = `ASSERT_DEFAULT_RST) \
  /* verilator lint_off SYNCASYNCNET */ \
  __name: assert property (@(posedge __clk) disable iff (__rst) (__property)); \
  /* verilator lint_on SYNCASYNCNET */

`define ASSUME(__name, __property, __clk = `ASSERT_DEFAULT_CLK, __rst = `ASSERT_DEFAULT_RST) \
  /* verilator lint_off SYNCASYNCNET */ \
  __name: assume property (@(posedge __clk) disable iff (__rst) (__property)); \
  /* verilator lint_on SYNCASYNCNET */

`define COVER(__name, __property, __clk = `ASSERT_DEFAULT_CLK) \
  /* verilator lint_off SYNCASYNCNET */ \
  __name: cover property (@(posedge __clk) (__property)); \
  /* verilator lint_on SYNCASYNCNET */

`else

`define ASSERT_INIT(__name, __condition)
`define ASSERT(__name, __property, __clk = `ASSERT_DEFAULT_CLK, __rst = `ASSERT_DEFAULT_RST)
`define ASSUME(__name, __property, __clk = `ASSERT_DEFAULT_CLK, __rst = `ASSERT_DEFAULT_RST)
`define COVER(__name, __property, __clk = `ASSERT_DEFAULT_CLK)

`endif

`endif
