# SPDX-License-Identifier: Apache-2.0
# The CMake package of Levee for users' projects (docs/install.md):
#
#   find_package(levee 0.2 REQUIRED COMPONENTS core rsa edram)
#   find_package(levee 0.2 REQUIRED COMPONENTS plugin platform firmware)
#
#   core      levee::core: the libraries that every block needs, for SystemC platforms
#   rsa, ...  levee::rsa: the block in the folder ip/rsa; likewise for other blocks
#   platform  core and all blocks
#   plugin    levee_add_plugin(NAME source...): makes NAME.so, for `components:` of scenarios
#   firmware  levee_firmware_program(NAME source...): makes NAME.elf, for `levee run --elf NAME.elf`
#
# and levee::levee, the program. Without COMPONENTS: all components. All except firmware need SystemC.
set(levee_known_components platform plugin firmware)
if(NOT levee_FIND_COMPONENTS)
  set(levee_FIND_COMPONENTS ${levee_known_components})
  foreach(component ${levee_known_components})
    set(levee_FIND_REQUIRED_${component} TRUE)
  endforeach()
endif()

# levee_lacks(COMPONENT WHY) marks the component as not found, and also the package if the component is required.
macro(levee_lacks component why)
  set(levee_${component}_FOUND FALSE)
  if(levee_FIND_REQUIRED_${component})
    set(levee_FOUND FALSE)
    set(levee_NOT_FOUND_MESSAGE "${why}")
    return() # returns from this file, because this is a macro
  endif()
endmacro()

foreach(component ${levee_FIND_COMPONENTS})
  set(levee_${component}_FOUND TRUE)
endforeach()
set(levee_blocks ${levee_FIND_COMPONENTS})
list(REMOVE_ITEM levee_blocks firmware)

include(${CMAKE_CURRENT_LIST_DIR}/levee-program.cmake)

if(levee_blocks)
  find_package(Threads QUIET)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND NOT TARGET PkgConfig::SYSTEMC)
    pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc>=2.3.4)
  endif()
  if(TARGET PkgConfig::SYSTEMC AND TARGET Threads::Threads)
    include(${CMAKE_CURRENT_LIST_DIR}/levee-targets.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/levee-build.cmake OPTIONAL)
    include(${CMAKE_CURRENT_LIST_DIR}/LeveePlugin.cmake)
    foreach(component ${levee_blocks})
      if(NOT component IN_LIST levee_known_components AND NOT TARGET levee::${component})
        levee_lacks(${component} "Levee has no component '${component}'; expected core, a block by its folder's name (rsa, edram), or some of: ${levee_known_components}")
      endif()
    endforeach()
  else()
    foreach(component ${levee_blocks})
      levee_lacks(${component} "SystemC 2.3.4 is missing (Debian: libsystemc-dev, found by pkg-config)")
    endforeach()
  endif()
endif()

if(firmware IN_LIST levee_FIND_COMPONENTS)
  find_package(levee-firmware QUIET PATHS ${CMAKE_CURRENT_LIST_DIR}/../../../share/levee/hal NO_DEFAULT_PATH)
  if(NOT levee-firmware_FOUND)
    levee_lacks(firmware "the firmware's HAL is missing; expected it in the prefix, in share/levee/hal")
  endif()
endif()
