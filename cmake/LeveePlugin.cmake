# SPDX-License-Identifier: Apache-2.0
# levee_add_plugin(NAME source...): builds NAME.so, a plug-in (docs/plugins.md). Works in projects that call
# find_package(levee), and in projects that add this tree with add_subdirectory().
function(levee_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE levee::plugin)
  set_target_properties(${name} PROPERTIES PREFIX "")
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O2)
  endif()
endfunction()
