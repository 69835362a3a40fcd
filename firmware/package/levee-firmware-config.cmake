# SPDX-License-Identifier: Apache-2.0
# Levee's firmware HAL for users' projects:
#
#   find_package(levee-firmware REQUIRED)
#   levee_firmware_program(NAME source...)   makes NAME.elf, for `levee run --app NAME.elf`
#   levee_firmware_program(NAME CODE ADDRESS source...)   the same with code and constants at that
#                                            address of the core's map, data in the TCM
#
# Configure with --toolchain <prefix>/toolchain.cmake, which also finds this package. In a project for the
# host, such as one that builds a plug-in, the function calls the cross compiler itself. Programs are
# linked as C, even those in C++.
enable_language(C)

get_filename_component(LEVEE_FIRMWARE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(LEVEE_FIRMWARE_COMPILE_OPTIONS -ffunction-sections -fdata-sections -fno-common -ffp-contract=off)
set(LEVEE_FIRMWARE_LINK_OPTIONS -nostartfiles -Wl,--gc-sections -Wl,--no-warn-rwx-segments)
# The whole HAL; the linker drops unused parts. The HAL's stdout and memcpy must come before those
# of other libraries.
set(LEVEE_FIRMWARE_LIBRARIES ${LEVEE_FIRMWARE_PREFIX}/lib/crt0.o
  -Wl,--whole-archive ${LEVEE_FIRMWARE_PREFIX}/lib/libhal.a -Wl,--no-whole-archive)

# levee_firmware_by_commands(NAME SCRIPT LINK_OPTIONS source...) builds NAME.elf in a CMake project
# whose own target is another machine. It runs the compiler of the toolchain file, with that file's
# flags, as custom commands.
function(levee_firmware_by_commands name script link)
  include(${LEVEE_FIRMWARE_PREFIX}/toolchain.cmake) # inside a function, the file's variables stay
                                                    # local
  find_program(LEVEE_FIRMWARE_COMPILER ${CMAKE_C_COMPILER} REQUIRED)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS_INIT}")
  set(objects)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE file)
    list(LENGTH objects number) # two folders may have sources of the same name, so objects are
                                # numbered
    cmake_path(GET source FILENAME object)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${number}.${object}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${LEVEE_FIRMWARE_COMPILER} ${flags} -O2 -g ${LEVEE_FIRMWARE_COMPILE_OPTIONS}
        -I${LEVEE_FIRMWARE_PREFIX}/include -MD -MF ${object}.d -c ${file} -o ${object}
      DEPENDS ${file} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${LEVEE_FIRMWARE_COMPILER} ${flags} ${LEVEE_FIRMWARE_LINK_OPTIONS} -T${script} ${link}
      ${objects} ${LEVEE_FIRMWARE_LIBRARIES} -o ${elf}
    DEPENDS ${objects} ${script} ${LEVEE_FIRMWARE_PREFIX}/lib/libhal.a VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${elf})
endfunction()

function(levee_firmware_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" CODE "")
  set(lib ${LEVEE_FIRMWARE_PREFIX}/lib)
  set(script ${lib}/link.ld)
  set(link)
  if(program_CODE)
    set(script ${lib}/link_code.ld)
    set(link -Wl,--defsym=__code_base=${program_CODE})
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL riscv32)
    levee_firmware_by_commands(${name} ${script} "${link}" ${program_UNPARSED_ARGUMENTS})
    return()
  endif()
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  # The C compiler also links C++ sources, because this toolchain has no C++ library.
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINKER_LANGUAGE C LINK_DEPENDS "${script};${lib}/libhal.a")
  target_include_directories(${name} PRIVATE ${LEVEE_FIRMWARE_PREFIX}/include)
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O2 -g)
  endif()
  target_compile_options(${name} PRIVATE ${LEVEE_FIRMWARE_COMPILE_OPTIONS})
  target_link_libraries(${name} PRIVATE ${LEVEE_FIRMWARE_LIBRARIES})
  target_link_options(${name} PRIVATE ${LEVEE_FIRMWARE_LINK_OPTIONS} -T${script} ${link})
endfunction()
