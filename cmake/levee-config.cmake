# SPDX-License-Identifier: Apache-2.0
# Levee for projects of others (docs/install.md):
#
#   find_package(levee 0.1 REQUIRED COMPONENTS plugin platform firmware)
#
#   platform  levee::rsa, levee::edram, ...: the components as libraries, for SystemC platforms
#   plugin    levee_add_plugin(NAME source...): makes NAME.so, for `components:` of scenarios
#   firmware  levee_firmware_program(NAME source...): makes NAME.elf, for `levee run --elf NAME.elf`
#
# and levee::levee, the program. Without COMPONENTS: all of them.
set(levee_known_components platform plugin firmware)
if(NOT levee_FIND_COMPONENTS)
  set(levee_FIND_COMPONENTS ${levee_known_components})
endif()
foreach(component ${levee_FIND_COMPONENTS})
  if(NOT component IN_LIST levee_known_components)
    set(levee_FOUND FALSE)
    set(levee_NOT_FOUND_MESSAGE "Levee has no component '${component}'; expected some of: ${levee_known_components}")
    return()
  endif()
  set(levee_${component}_FOUND TRUE)
endforeach()

include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(PkgConfig)
if(NOT TARGET PkgConfig::SYSTEMC)
  pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc>=2.3.4)
endif()
if(NOT TARGET PkgConfig::SYSTEMC)
  set(levee_FOUND FALSE)
  set(levee_NOT_FOUND_MESSAGE "SystemC 2.3.4 is missing (Debian: libsystemc-dev)")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/levee-targets.cmake)

# levee_add_plugin(NAME source...): NAME.so in the build folder, a plug-in.
function(levee_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE levee::plugin)
  set_target_properties(${name} PROPERTIES PREFIX "")
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O2)
  endif()
endfunction()

if(firmware IN_LIST levee_FIND_COMPONENTS)
  find_dependency(levee-firmware PATHS ${CMAKE_CURRENT_LIST_DIR}/../../../share/levee/hal NO_DEFAULT_PATH)
endif()
