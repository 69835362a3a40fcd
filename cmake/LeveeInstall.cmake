# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix DIR: a tree that runs, wherever it is moved to: the program, what scenarios
# and models there are, and the firmware's programs (target levee_firmware). The program finds them from its
# own place (platform/observe/report/versions.cpp).
install(TARGETS levee RUNTIME DESTINATION bin)
install(DIRECTORY scenarios models DESTINATION share/levee PATTERN "*.py" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/ DESTINATION share/levee/firmware FILES_MATCHING PATTERN "*.elf"
  PATTERN CMakeFiles EXCLUDE)
# What it builds RTL of a user's with, and exports of (platform/input/rtl).
foreach(folder ip rtl platform/input/rtl platform/studies/cosim)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${folder} DESTINATION share/levee/source/${parent} PATTERN CMakeLists.txt EXCLUDE PATTERN "*.md" EXCLUDE
    PATTERN "*.sdc" EXCLUDE)
endforeach()
install(FILES cmake/verilated_units.sh DESTINATION share/levee/source/cmake)
install(FILES platform/studies/cosim/exported/README.md DESTINATION share/levee/source/platform/studies/cosim/exported)
foreach(library ${LEVEE_VERILATED_LIBRARIES})
  install(FILES $<TARGET_FILE:${library}> DESTINATION share/levee/lib)
endforeach()
install(FILES LICENSE README.md DESTINATION share/doc/levee)
