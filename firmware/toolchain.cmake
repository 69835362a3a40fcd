# SPDX-License-Identifier: Apache-2.0
# The bare-metal cross compiler, with one ISA and ABI for all programs. With its default ISA
# specification, this GCC takes Zicsr out of I and then finds no matching multilib. -misa-spec=2.2
# avoids this.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++) # for projects with C++
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(LEVEE_FIRMWARE_MACHINE "-misa-spec=2.2 -march=rv32imac -mabi=ilp32 --specs=picolibc.specs")
set(CMAKE_C_FLAGS_INIT "${LEVEE_FIRMWARE_MACHINE} -DPICOLIBC_INTEGER_PRINTF_SCANF")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -fno-exceptions -fno-rtti")
set(CMAKE_ASM_FLAGS_INIT "${LEVEE_FIRMWARE_MACHINE}")

# If a HAL is installed next to this file, it is found without further options.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/lib/cmake/levee-firmware)
  set(levee-firmware_DIR ${CMAKE_CURRENT_LIST_DIR}/lib/cmake/levee-firmware)
endif()
