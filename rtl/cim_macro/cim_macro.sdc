# SPDX-License-Identifier: Apache-2.0
# Timing constraints of cim_macro at 22 nm, with the gate delay of rtl/common/gate_delay.tsv. Times
# in nanoseconds.
create_clock -name clk -period 5.0 [get_ports clk_i]
# External registers drive each input and sample each output.
set_input_delay 0 -clock clk [remove_from_collection [all_inputs] [get_ports {clk_i rst_ni}]]
set_output_delay 0 -clock clk [all_outputs]
# Reset may begin at any time. It must end early enough before a rising clock edge.
set_false_path -from [get_ports rst_ni]
