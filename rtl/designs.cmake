# SPDX-License-Identifier: Apache-2.0
# All designs, for simulation, mutation and synthesis.
#
# levee_design(TOP FOLDER folder SOURCES file.sv...) lists a design's sources in the order in which
# tools read them, packages first.
levee_design(systolic_evictor FOLDER systolic_evictor SOURCES systolic_evictor_row.sv systolic_evictor_rows.sv
  systolic_evictor.sv)
levee_design(systolic_evictor_tree FOLDER systolic_evictor_tree SOURCES systolic_evictor_tree.sv)
levee_design(veda_pe_arrays FOLDER veda SOURCES veda_pkg.sv veda_delay.sv fp16_mul.sv fp32_adder.sv veda_result.sv
  veda_output.sv veda_port.sv veda_pe.sv veda_pe_row.sv veda_pe_array.sv veda_pe_arrays.sv)
levee_design(voting_engine FOLDER voting_engine SOURCES ../veda/fp16_mul.sv ../veda/fp32_adder.sv ../veda/fp32_add.sv voting_ram.sv
  voting_fifo.sv
  voting_element.sv voting_digit.sv voting_serial.sv voting_threshold.sv voting_sums.sv voting_pass.sv voting_search.sv
  voting_engine.sv)
levee_design(flash_ecu FOLDER flash_ecu SOURCES flash_ecu_address.sv flash_ecu_vote.sv flash_ecu_code.sv
  flash_ecu_records.sv flash_ecu_lane.sv flash_ecu_page.sv flash_ecu.sv)
levee_design(element_serial FOLDER element_serial SOURCES ../veda/fp32_adder.sv ../veda/fp32_add.sv ../veda/veda_result.sv
  ../common/fp_steps.sv
  ../common/fp_leading_zeroes.sv
  ../common/fp16_widen.sv ../common/fp32_mul.sv ../common/fp32_div.sv ../common/fp32_sqrt.sv element_serial_exp2.sv
  element_serial_exp.sv element_serial_greater.sv element_serial_window.sv element_serial_sums.sv element_serial_factors.sv
  element_serial.sv)
levee_design(cim_macro FOLDER cim_macro SOURCES cim_macro_tree.sv cim_macro_column.sv cim_macro.sv)
levee_design(cpq FOLDER cpq SOURCES ../veda/fp32_adder.sv ../veda/fp32_add.sv ../common/fp_steps.sv ../common/fp_leading_zeroes.sv
  ../common/fp32_mul.sv ../common/fp32_div.sv cpq_product.sv cpq_less.sv cpq_prune.sv cpq_level.sv cpq_lane.sv cpq.sv)
levee_design(rsa FOLDER rsa SOURCES ../veda/veda_delay.sv rsa_pe.sv rsa_row.sv rsa_lane.sv rsa.sv)
levee_design(rsa_output FOLDER rsa_output SOURCES ../veda/veda_delay.sv rsa_output_pe.sv rsa_output_row.sv rsa_output.sv)
