# SPDX-License-Identifier: Apache-2.0
# Constraints of voting_engine at 28 nm, by the gate delay of rtl/common/gate_delay.tsv: the sum of squares, an FP32
# adder in one stage, does not fit VEDA's 1 ns. Nanoseconds.
create_clock -name clk -period 1.7 [get_ports clk_i]
# Whoever drives the channels has their signals in registers.
set_input_delay 0 -clock clk [remove_from_collection [all_inputs] [get_ports {clk_i rst_ni}]]
set_output_delay 0 -clock clk [all_outputs]
# Reset begins at any time; it ends in time for the edge.
set_false_path -from [get_ports rst_ni]
