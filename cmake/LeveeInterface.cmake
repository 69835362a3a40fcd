# SPDX-License-Identifier: Apache-2.0
# Headers against which users' plug-ins and platforms are compiled. They are installed unchanged. From a digest of these
# headers, the program knows whether a plug-in was built against the same headers (docs/plugins.md).
file(GLOB_RECURSE LEVEE_INTERFACE_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} core/*.h core/*.hpp firmware/policies/*.h ip/*.h ip/*.hpp)
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} platform/input/model/*.hpp)
list(APPEND LEVEE_INTERFACE_HEADERS ${headers})
list(SORT LEVEE_INTERFACE_HEADERS)

# The program's build writes this folder, which is installed together with the headers.
set(LEVEE_INTERFACE_FOLDER ${PROJECT_BINARY_DIR}/interface)
set(LEVEE_INTERFACE_VERSION core/component/interface_version.hpp)
list(TRANSFORM LEVEE_INTERFACE_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
set(script ${PROJECT_SOURCE_DIR}/cmake/interface_version.cmake)
add_custom_command(OUTPUT ${LEVEE_INTERFACE_FOLDER}/${LEVEE_INTERFACE_VERSION}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} "-DHEADERS=${LEVEE_INTERFACE_HEADERS}"
    -DVERSION=${PROJECT_VERSION} -DOUTPUT=${LEVEE_INTERFACE_FOLDER}/${LEVEE_INTERFACE_VERSION} -P ${script}
  DEPENDS ${headers} ${script} COMMENT "Digest of the interface's headers" VERBATIM)
add_custom_target(levee_interface DEPENDS ${LEVEE_INTERFACE_FOLDER}/${LEVEE_INTERFACE_VERSION})

# A plug-in needs flags and headers, but no library. The program that loads the plug-in contains the functions that the
# plug-in calls. -fno-gnu-unique keeps variables of the same name separate in two plug-ins of one process.
add_library(levee_plugin INTERFACE)
add_dependencies(levee_plugin levee_interface)
target_link_libraries(levee_plugin INTERFACE levee_flags levee_systemc)
target_include_directories(levee_plugin INTERFACE $<BUILD_INTERFACE:${LEVEE_INTERFACE_FOLDER}>)
target_compile_options(levee_plugin INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
include(LeveePlugin)
