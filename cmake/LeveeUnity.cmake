# SPDX-License-Identifier: Apache-2.0
# In a unity build, several sources of a library are compiled as one, so common includes and instantiations are compiled
# once. This is good for a complete build, but bad after an edit. ./levee uses it, and so do presets that are not for
# development.
option(LEVEE_UNITY "Compile several sources of a library as one" OFF)
if(NOT LEVEE_UNITY)
  return()
endif()

# Upper limit of the sources in a batch: larger batches save little time, and two processors should
# finish at the same time.
set(batch 12)

# Libraries for unity builds: no two of their sources use the same name in an unnamed namespace.
set(libraries levee_cli levee_components levee_cosim levee_flow levee_semihost levee_dram_config levee_flash_timing levee_flash_cells
  levee_reram levee_rsa levee_cpq_rtl levee_element_serial_rtl levee_cim_model levee_cam_model
  levee_veda_model levee_voting_engine_model levee_cim_macro_model levee_element_serial_model levee_interleave_model
  levee_core levee_systolic_evictor levee_systolic_evictor_model levee_kv_tables levee_kv_tables_model levee_rsa_model levee_rsa_rtl
  levee_rsa_output_rtl levee_sfu levee_veda levee_veda_rtl levee_cim levee_cim_layer levee_cim_macro_rtl levee_cpq
  levee_cam levee_voting_engine levee_voting_engine_rtl levee_element_serial levee_flash levee_flash_ecu levee_riscv
  levee_riscv_hart levee_edram levee_edram_model levee_dram_model
  levee_config levee_scenario levee_model levee_workload levee_component levee_assembly levee_report levee_accounting levee_energy levee_decisions levee_debug
  levee_debug_protocol levee_bottlenecks levee_profile levee_trace levee_trace_core levee_run levee_sampling levee_sweep
  levee_compare levee_explore levee_import levee_checks levee_own_rtl levee_reproduce)

foreach(library ${libraries})
  set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
endforeach()
# Sources that use the same names are in separate libraries.
set_target_properties(levee_trace_core levee_model levee_import PROPERTIES UNITY_BUILD_BATCH_SIZE 8)
# The sources of the DRAM schedule call each other for each burst, so they are compiled together in
# every build.
set_target_properties(levee_dram_model PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
