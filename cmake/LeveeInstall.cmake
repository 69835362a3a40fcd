# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix DIR: a tree that runs, wherever it is moved to: the program, what scenarios
# and models there are, and the firmware's programs (target levee_firmware). The program finds them from its
# own place (platform/observe/report/versions.cpp).
install(TARGETS levee RUNTIME DESTINATION bin)
install(DIRECTORY scenarios models DESTINATION share/levee PATTERN "*.py" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/ DESTINATION share/levee/firmware FILES_MATCHING PATTERN "*.elf"
  PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE README.md DESTINATION share/doc/levee)
