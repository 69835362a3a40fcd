# SPDX-License-Identifier: Apache-2.0
# Constraints of rsa_output at 45 nm, by the gate delay of rtl/common/gate_delay.tsv. Nanoseconds.
create_clock -name clk -period 1.0 [get_ports clk_i]
# Whoever is on the other side of the channels has registers there.
set_input_delay 0 -clock clk [remove_from_collection [all_inputs] [get_ports {clk_i rst_ni}]]
set_output_delay 0 -clock clk [all_outputs]
# Reset begins at any time; it ends in time for the edge.
set_false_path -from [get_ports rst_ni]
