# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB in the build folder (tools/package.sh deb): a Debian package of the installed files. The package depends
# on the libraries with which the program is linked.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME levee)
set(CPACK_PACKAGE_VENDOR "Levee")
set(LEVEE_PACKAGE_CONTACT "Levee's maintainers <maintainers@localhost.localdomain>" CACHE STRING "Who answers for packages made here")
set(CPACK_PACKAGE_CONTACT ${LEVEE_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual platform for edge-LLM accelerators")
set(CPACK_PACKAGE_DESCRIPTION
  "Levee simulates accelerators for language models on small devices: text,
time and energy, with the firmware that schedules them on a RISC-V core.
It models Kelle (eDRAM cache), Cambricon-LLM (compute in flash), VEDA
(voting eviction) and processing in memory, and hybrids of them, from one
set of SystemC blocks, some of them also as RTL.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Tools that only some commands need: for a user's firmware and plug-ins, RTL, the optimiser, and tables and pictures in
# Python.
string(CONCAT CPACK_DEBIAN_PACKAGE_SUGGESTS
  "cmake, g++, gcc-riscv64-unknown-elf, gdb-multiarch, libsystemc-dev, picolibc-riscv64-unknown-elf, "
  "python3-matplotlib, python3-optuna, python3-pandas, verilator")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
include(CPack)
