# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
# Verilator, and how a design becomes a library. Port types and generated names change between
# Verilator's versions: 5.006 is the least that is known to work.
find_program(LEVEE_VERILATOR verilator REQUIRED)
execute_process(COMMAND ${LEVEE_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE LEVEE_VERILATOR_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LEVEE_VERILATOR} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "Verilator ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 5.006)
  message(FATAL_ERROR "Verilator 5.006 or later is needed; ${LEVEE_VERILATOR} says: ${version}")
endif()

set(LEVEE_VERILATED_INCLUDES ${LEVEE_VERILATOR_ROOT}/include ${LEVEE_VERILATOR_ROOT}/include/vltstd)

# What every Verilated design needs at run time: once, whatever the number of designs.
set(sources verilated verilated_cov verilated_dpi verilated_fst_c verilated_threads)
list(TRANSFORM sources PREPEND ${LEVEE_VERILATOR_ROOT}/include/)
list(TRANSFORM sources APPEND .cpp)
add_library(levee_verilated STATIC ${sources} ${CMAKE_CURRENT_LIST_DIR}/../ip/common/verilated_coverage.cpp)
target_include_directories(levee_verilated PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_include_directories(levee_verilated SYSTEM PUBLIC ${LEVEE_VERILATED_INCLUDES})
target_compile_definitions(levee_verilated PUBLIC VM_COVERAGE=1 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
target_compile_options(levee_verilated PRIVATE -w)
target_link_libraries(levee_verilated PUBLIC ZLIB::ZLIB Threads::Threads)

# levee_verilate(NAME TOP module SOURCES file.sv... GLUE file.cpp [DEFINES NAME=value...] [ARGS argument...])
# A library of one Verilated design (prefix V<NAME>, FST waves) and the C++ file that makes it an
# object like any other. GLUE is compiled with LEVEE_DESIGN=V<NAME>, LEVEE_DESIGN_HEADER and DEFINES.
# Only GLUE meets the design's header. SOURCES are relative to the folder or absolute.
function(levee_verilate name)
  cmake_parse_arguments(ARG "" "TOP;GLUE" "SOURCES;DEFINES;ARGS" ${ARGN})
  set(sources)
  foreach(source ${ARG_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources ${source})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/V${name})
  set(all ${folder}/all.cpp)
  add_custom_command(OUTPUT ${all}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${LEVEE_VERILATOR} --cc --Mdir ${folder} --prefix V${name} --top-module ${ARG_TOP} -Wall --trace-fst
      --x-initial unique ${ARG_ARGS} ${sources}
    COMMAND sh -c "cd ${folder} && for f in V*.cpp$<SEMICOLON> do echo \"#include \\\"$f\\\"\"$<SEMICOLON> done > all.cpp.new && mv all.cpp.new all.cpp"
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS ${sources} COMMENT "Verilating ${name}" VERBATIM)
  add_library(${name} STATIC ${all} ${ARG_GLUE})
  set_source_files_properties(${all} PROPERTIES COMPILE_OPTIONS "-w;-O2")
  target_include_directories(${name} SYSTEM PRIVATE ${folder})
  target_compile_definitions(${name} PRIVATE LEVEE_DESIGN=V${name} LEVEE_DESIGN_HEADER="V${name}.h"
    ${ARG_DEFINES})
  target_link_libraries(${name} PRIVATE levee_flags levee_verilated)
endfunction()
