# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix DIR makes a folder tree that can be moved anywhere: the program, all scenarios and
# models, and the firmware's programs (target levee_firmware). It also has what users need to build plug-ins, platforms
# and firmware (docs/install.md). The program finds its data relative to itself (core/shipped/shipped.cpp).
install(TARGETS levee EXPORT levee_program RUNTIME DESTINATION bin)
install(DIRECTORY scenarios models DESTINATION share/levee PATTERN "*.py" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/ DESTINATION share/levee/firmware FILES_MATCHING PATTERN "*.elf"
  PATTERN CMakeFiles EXCLUDE PATTERN views EXCLUDE)
# Sources from which the installed program builds a user's RTL and its exports (core/rtl/build).
foreach(folder core ip rtl platform/studies/cosim)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${folder} DESTINATION share/levee/source/${parent} PATTERN CMakeLists.txt EXCLUDE PATTERN "*.md" EXCLUDE
    PATTERN "*.sdc" EXCLUDE)
endforeach()
install(FILES cmake/verilated_units.sh DESTINATION share/levee/source/cmake)
install(FILES platform/studies/cosim/exported/README.md DESTINATION share/levee/source/platform/studies/cosim/exported)
# The blocks' RTL and the libraries that designs link. Installing builds the libraries unless they have been built
# before.
get_property(modules GLOBAL PROPERTY LEVEE_RTL_MODULES)
add_custom_target(levee_rtl)
add_dependencies(levee_rtl ${modules} ${LEVEE_VERILATED_LIBRARIES})
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target levee_rtl
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS ${modules} LIBRARY DESTINATION lib/levee/rtl)
foreach(library ${LEVEE_VERILATED_LIBRARIES})
  install(FILES $<TARGET_FILE:${library}> DESTINATION share/levee/lib)
endforeach()
# Files that `levee init` copies into a user's project, in addition to the sources above.
install(DIRECTORY platform/front/init DESTINATION share/levee/source/platform/front)
install(DIRECTORY test/install/plugin DESTINATION share/levee/source/test/install)
install(FILES firmware/apps/tutorial/product.c DESTINATION share/levee/source/firmware/apps/tutorial)
install(FILES LICENSE README.md DESTINATION share/doc/levee)
install(DIRECTORY docs DESTINATION share/doc/levee)
install(DIRECTORY test/install/platform test/install/plugin test/install/snakemake DESTINATION share/levee/examples)

# The firmware's own rules install the HAL, drivers, startup code and toolchain file.
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${PROJECT_BINARY_DIR}/firmware\"
  --prefix \"\${CMAKE_INSTALL_PREFIX}/share/levee/hal\" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)")

# The shell's completion script, which the program prints.
set(completion ${PROJECT_BINARY_DIR}/completion/levee)
install(CODE "execute_process(COMMAND \"$<TARGET_FILE:levee>\" completion bash OUTPUT_FILE \"${completion}\"
  COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${completion} DESTINATION share/bash-completion/completions)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)

# Headers, installed in the same folders as in this tree.
foreach(header ${LEVEE_INTERFACE_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION include/levee/${folder})
endforeach()
cmake_path(GET LEVEE_INTERFACE_VERSION PARENT_PATH folder)
install(FILES ${LEVEE_INTERFACE_FOLDER}/${LEVEE_INTERFACE_VERSION} DESTINATION include/levee/${folder})

# levee_block_libraries(OUT FOLDER) lists the libraries in the folder and below that need only SystemC. They contain no
# RTL, read no files, and register no components with the program.
function(levee_block_libraries out folder)
  set(found)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(links ${target} LINK_LIBRARIES)
    if(type STREQUAL STATIC_LIBRARY AND NOT "${target};${links}" MATCHES "levee_(own_rtl|config|shipped|components|bench)")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    levee_block_libraries(more ${below})
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# The targets levee::rsa, levee::edram, levee::plugin and so on, for projects that call find_package(levee), and for
# projects that add this tree with add_subdirectory().
levee_block_libraries(libraries ${PROJECT_SOURCE_DIR}/core)
levee_block_libraries(blocks ${PROJECT_SOURCE_DIR}/ip)
list(APPEND libraries ${blocks})
foreach(library ${libraries} levee_flags levee_systemc levee_plugin)
  string(REGEX REPLACE "^levee_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  add_library(levee::${name} ALIAS ${library})
endforeach()
add_executable(levee::levee ALIAS levee)
install(TARGETS ${libraries} levee_flags levee_systemc levee_plugin EXPORT levee ARCHIVE DESTINATION lib/levee)
install(EXPORT levee NAMESPACE levee:: FILE levee-targets.cmake DESTINATION lib/cmake/levee)
install(EXPORT levee_program NAMESPACE levee:: FILE levee-program.cmake DESTINATION lib/cmake/levee)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/levee-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/levee-config.cmake cmake/LeveePlugin.cmake ${PROJECT_BINARY_DIR}/levee-config-version.cmake DESTINATION lib/cmake/levee)

# The same package for this build folder, whose program is in `platform`. `find_package` finds it if the program's
# folder is on the PATH. firmware/CMakeLists.txt adds the HAL to the package.
set(package ${PROJECT_BINARY_DIR}/platform/lib/cmake/levee)
export(EXPORT levee NAMESPACE levee:: FILE ${package}/levee-targets.cmake)
export(EXPORT levee_program NAMESPACE levee:: FILE ${package}/levee-program.cmake)
foreach(file cmake/levee-config.cmake cmake/levee-build.cmake cmake/LeveePlugin.cmake ${PROJECT_BINARY_DIR}/levee-config-version.cmake)
  cmake_path(GET file FILENAME name)
  configure_file(${file} ${package}/${name} COPYONLY)
endforeach()
