# SPDX-License-Identifier: Apache-2.0
# Levee's firmware HAL for projects of their own:
#
#   find_package(levee-firmware REQUIRED)
#   levee_firmware_program(NAME source...)   makes NAME.elf, for `levee run --app NAME.elf`
#   levee_firmware_program(NAME CODE ADDRESS source...)   the same with code and constants at that
#                                            address of the core's map, data in the TCM
#
# Configure with --toolchain <prefix>/toolchain.cmake, which also finds this package.
get_filename_component(LEVEE_FIRMWARE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

function(levee_firmware_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" CODE "")
  set(lib ${LEVEE_FIRMWARE_PREFIX}/lib)
  set(script ${lib}/link.ld)
  if(program_CODE)
    set(script ${lib}/link_code.ld)
  endif()
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS "${script};${lib}/libhal.a")
  if(program_CODE)
    target_link_options(${name} PRIVATE -Wl,--defsym=__code_base=${program_CODE})
  endif()
  target_include_directories(${name} PRIVATE ${LEVEE_FIRMWARE_PREFIX}/include)
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O2 -g)
  endif()
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections -fno-common
    -ffp-contract=off)
  # All of the HAL, for the linker to drop what is not used: its stdout and memcpy come before any
  # other library's.
  target_link_libraries(${name} PRIVATE ${lib}/crt0.o
    -Wl,--whole-archive ${lib}/libhal.a -Wl,--no-whole-archive)
  target_link_options(${name} PRIVATE -nostartfiles -T${script} -Wl,--gc-sections
    -Wl,--no-warn-rwx-segments)
endfunction()
