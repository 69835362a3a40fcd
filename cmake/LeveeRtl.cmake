# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
# Verilator, and functions that make a library from an RTL design. Port types and generated names change between
# Verilator's versions; 5.006 is the oldest version that is known to work.
find_program(LEVEE_VERILATOR verilator REQUIRED)
execute_process(COMMAND ${LEVEE_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE LEVEE_VERILATOR_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LEVEE_VERILATOR} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "Verilator ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 5.006)
  message(FATAL_ERROR "Verilator 5.006 or later is needed; ${LEVEE_VERILATOR} says: ${version}")
endif()

set(LEVEE_VERILATED_INCLUDES ${LEVEE_VERILATOR_ROOT}/include ${LEVEE_VERILATOR_ROOT}/include/vltstd)

# This library reads a run's waveforms with GTKWave's reader, which comes with Verilator. If designs write waveforms,
# levee_verilated contains the same reader, so levee_verilated is linked before this library.
set(gtkwave ${LEVEE_VERILATOR_ROOT}/include/gtkwave)
add_library(levee_fst STATIC ${CMAKE_CURRENT_LIST_DIR}/../core/rtl/fst_file.cpp
  ${gtkwave}/fastlz.c ${gtkwave}/fstapi.c ${gtkwave}/lz4.c)
target_include_directories(levee_fst PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_include_directories(levee_fst SYSTEM PUBLIC ${LEVEE_VERILATED_INCLUDES} PRIVATE ${gtkwave})
target_compile_definitions(levee_fst PRIVATE FST_CONFIG_INCLUDE="fst_config.h" HAVE_LIBPTHREAD FST_WRITER_PARALLEL)
target_compile_options(levee_fst PRIVATE -w ${LEVEE_COLD})
target_link_libraries(levee_fst PUBLIC ZLIB::ZLIB Threads::Threads)

# The run-time library of all Verilated designs, which is built once, with the first design.
set(sources verilated verilated_cov verilated_dpi verilated_fst_c verilated_save verilated_threads)
list(TRANSFORM sources PREPEND ${LEVEE_VERILATOR_ROOT}/include/)
list(TRANSFORM sources APPEND .cpp)
# Levee's libraries for designs: coverage, and waveforms in addition to a design's signals.
foreach(own verilated_coverage verilated_waves)
  list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/../core/rtl/${own}.cpp)
endforeach()
add_library(levee_verilated STATIC ${sources})
target_include_directories(levee_verilated PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_include_directories(levee_verilated SYSTEM PUBLIC ${LEVEE_VERILATED_INCLUDES})
set(LEVEE_VERILATED_DEFINITIONS VM_COVERAGE=1 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
target_compile_definitions(levee_verilated PUBLIC ${LEVEE_VERILATED_DEFINITIONS})
target_compile_options(levee_verilated PRIVATE -w)
target_link_libraries(levee_verilated PUBLIC levee_fst ZLIB::ZLIB Threads::Threads)

# Settings for designs that are built here, and for those that Levee builds at run time (core/rtl/build). Libraries are
# listed in link order, and some have copies in shared libraries. There are Verilator arguments for every design
# (registers start with random values), and further ones for fast designs.
set(LEVEE_VERILATED_LIBRARIES levee_verilated)
set_target_properties(${LEVEE_VERILATED_LIBRARIES} PROPERTIES POSITION_INDEPENDENT_CODE ON)
set(LEVEE_VERILATOR_ARGUMENTS --x-initial unique)
if(LEVEE_RTL_TRACE)
  list(PREPEND LEVEE_VERILATOR_ARGUMENTS --trace-fst)
endif()
set(LEVEE_TWIN_ARGUMENTS --savable)

set(LEVEE_RTL_FOLDER ${CMAKE_CURRENT_LIST_DIR}/../rtl)

function(levee_design top)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${LEVEE_RTL_FOLDER}/${ARG_FOLDER}/)
  set(LEVEE_${top}_SOURCES ${ARG_SOURCES} PARENT_SCOPE)
  set(LEVEE_${top}_FOLDER ${LEVEE_RTL_FOLDER}/${ARG_FOLDER} PARENT_SCOPE)
endfunction()
include(${LEVEE_RTL_FOLDER}/designs.cmake)

# levee_verilate(NAME TOP module [SOURCES file.sv...] BLOCK folder namespace MODEL name | GLUE file.cpp [PARAMETERS
# Name=value...] [ARGS argument...] [MODULE]) Makes a library of one Verilated design (prefix V<NAME>, FST waves unless
# LEVEE_RTL_TRACE is off). With BLOCK, the design gets the pins of the block in `folder` and the size that PARAMETERS
# states, and becomes the RtlModel MODEL in the block's namespace. Otherwise the C++ file GLUE wraps the design as an
# ordinary object; GLUE uses LEVEE_DESIGN, its class, and LEVEE_DESIGN_HEADER. Without SOURCES, the design is one of
# rtl/designs.cmake. MODULE makes a library for dlopen that contains Verilator's library.
function(levee_verilate name)
  cmake_parse_arguments(ARG "MODULE" "TOP;GLUE;MODEL" "SOURCES;BLOCK;PARAMETERS;ARGS" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${LEVEE_${ARG_TOP}_SOURCES})
  endif()
  # File names are relative to the tree's root. They appear in Verilator's output, which must not depend on the tree's
  # location.
  cmake_path(SET root NORMALIZE ${LEVEE_RTL_FOLDER}/..)
  set(sources)
  set(named)
  foreach(source ${ARG_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND sources ${source})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${root})
    list(APPEND named ${source})
  endforeach()
  list(TRANSFORM ARG_PARAMETERS PREPEND -G OUTPUT_VARIABLE parameters)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/V${name})
  add_custom_command(OUTPUT ${folder}/fast.cpp ${folder}/slow.cpp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${LEVEE_VERILATOR} --cc --Mdir ${folder} --prefix V${name} --top-module ${ARG_TOP} -Wall
      ${LEVEE_VERILATOR_ARGUMENTS} -Irtl/common ${parameters} ${ARG_ARGS} ${named}
    COMMAND sh ${LEVEE_RTL_FOLDER}/../cmake/verilated_units.sh ${folder}
    WORKING_DIRECTORY ${root}
    DEPENDS ${sources} ${LEVEE_RTL_FOLDER}/common/assert.svh ${LEVEE_RTL_FOLDER}/../cmake/verilated_units.sh
    COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(${name}_sources DEPENDS ${folder}/fast.cpp ${folder}/slow.cpp)
  if(ARG_MODULE)
    set(type MODULE)
    set(glue core/rtl/build/verilated_module.cpp)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden) # calls within a design are direct
  else()
    set(type STATIC)
    set(glue core/rtl/verilated_pins.cpp)
  endif()
  set(definitions)
  if(ARG_BLOCK)
    set(ARG_GLUE ${PROJECT_SOURCE_DIR}/${glue})
    list(POP_FRONT ARG_BLOCK block namespace)
    list(TRANSFORM ARG_PARAMETERS PREPEND . OUTPUT_VARIABLE values)
    list(JOIN values "," values)
    set(definitions LEVEE_DESIGN_PINS="${block}/pins.hpp" LEVEE_DESIGN_NAMESPACE=${namespace} LEVEE_DESIGN_MODEL=${ARG_MODEL}
      "LEVEE_DESIGN_PARAMETERS=${values}")
  endif()
  add_subdirectory(${LEVEE_RTL_FOLDER}/../cmake/verilated ${folder}.objects)
  add_library(${name} ${type} ${ARG_GLUE} $<TARGET_OBJECTS:${name}_verilated>)
  add_dependencies(${name} ${name}_verilated)
  if(LEVEE_SANITIZE MATCHES undefined) # a thread's context in Verilator's library may be null, which this sanitizer
                                       # reports
    set_source_files_properties(${ARG_GLUE} PROPERTIES COMPILE_OPTIONS -fno-sanitize=null)
  endif()
  target_include_directories(${name} SYSTEM PRIVATE ${folder})
  target_compile_definitions(${name} PRIVATE LEVEE_DESIGN=V${name} LEVEE_DESIGN_HEADER="V${name}.h"
    ${definitions})
  target_link_libraries(${name} PRIVATE levee_flags ${LEVEE_VERILATED_LIBRARIES})
endfunction()

# levee_rtl_twin(NAME TOP module [PARAMETERS Name=value...] [ARGS argument...]) Adds a design in one size to the RTL
# designs of the block whose CMakeLists.txt calls this function. ARGS are Verilator's arguments for the fast module.
function(levee_rtl_twin name)
  cmake_parse_arguments(ARG "" "TOP" "PARAMETERS;ARGS" ${ARGN})
  set(LEVEE_TWINS ${LEVEE_TWINS} ${name} PARENT_SCOPE)
  set(LEVEE_${name}_ARGUMENTS ${ARG_ARGS} PARENT_SCOPE)
  set(LEVEE_${name}_TWIN ${ARG_TOP} ${ARG_PARAMETERS} PARENT_SCOPE)
endfunction()

# levee_rtl_module(NAME FOLDER NAMESPACE ...) makes a module that the program loads when it first
# creates the design (core/rtl/build/module.hpp). The design has the pins of the block in FOLDER.
function(levee_rtl_module name folder namespace)
  levee_verilate(${name} ${ARGN} MODULE MODEL design BLOCK ${folder} ${namespace})
  target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/platform/rtl)
  if(folder MATCHES "^ip/") # all others belong to tests
    set_property(GLOBAL APPEND PROPERTY LEVEE_RTL_MODULES ${name})
  endif()
endfunction()

# levee_rtl_twins(LIBRARY namespace) adds a table to LIBRARY, which has the block's driver and twin. The table lists the
# designs that levee_rtl_twin has added. pins.hpp in the caller's folder declares the table. Each design becomes two
# modules: a fast one (levee_rtl_<NAME>), and one with assertions and cover points for cosim (levee_rtl_<NAME>_checked).
# If the folder has a bench.cpp, it is the design's bench and defines Ports::make_bench.
function(levee_rtl_twins library namespace)
  set(rows)
  set(design_sources)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  foreach(name ${LEVEE_TWINS})
    set(parameters ${LEVEE_${name}_TWIN})
    list(POP_FRONT parameters top)
    set(common ${folder} ${namespace} TOP ${top} PARAMETERS ${parameters})
    levee_rtl_module(levee_rtl_${name} ${common} ARGS ${LEVEE_TWIN_ARGUMENTS} ${LEVEE_${name}_ARGUMENTS})
    # Verilator's option for reloop turns copies of wide ports' samples into loops, and version 5.006 forgets to declare
    # the loop variable.
    levee_rtl_module(levee_rtl_${name}_checked ${common} ARGS --assert --coverage-user -fno-reloop)

    set(files)
    foreach(source ${LEVEE_${top}_SOURCES})
      cmake_path(NORMAL_PATH source)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND files ${source})
    endforeach()
    list(TRANSFORM parameters PREPEND . OUTPUT_VARIABLE members)
    list(JOIN members ", " members)
    list(JOIN parameters " " parameters)
    string(APPEND design_sources
      "constexpr RtlSource ${name}_source{\"${namespace}\", \"${folder}\", \"${top}\", \"${files}\", \"${parameters}\"};\n")
    string(APPEND rows "        {\"${name}\", size_of<DesignParameters{${members}}>(),")
    foreach(module levee_rtl_${name} levee_rtl_${name}_checked)
      string(APPEND rows "
         [](const RtlPinsOptions& options) { return make_in_module<Ports>(\"${module}\", options); },")
    endforeach()
    string(APPEND rows " &${name}_source},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/designs.cpp @ONLY CONTENT [[
// Made from the block's CMakeLists.txt.
#include "@folder@/pins.hpp"
#include "core/rtl/build/module.hpp"

namespace levee::@namespace@ {

namespace {

@design_sources@
} // namespace

std::span<const Design> Ports::designs()
{
    static const Design all[] = {
@rows@    };
    return all;
}

} // namespace levee::@namespace@
]])
  target_sources(${library} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/designs.cpp)
  if(folder MATCHES "^ip/" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/bench.cpp) # all others belong to tests
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/bench_entry.cpp @ONLY CONTENT [[
// Made from the block's CMakeLists.txt.
#include "core/rtl/bench.hpp"
#include "@folder@/pins.hpp"

namespace levee::cosim {

namespace {

const BenchRegistration registration(&@namespace@::Ports::designs, "@folder@");

} // namespace

} // namespace levee::cosim
]])
    target_sources(levee_benches PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/bench.cpp ${CMAKE_CURRENT_BINARY_DIR}/bench_entry.cpp)
    target_link_libraries(levee_benches PUBLIC ${library})
  endif()
  target_link_libraries(${library} PRIVATE levee_own_rtl $<LINK_ONLY:levee_fst>)
endfunction()
