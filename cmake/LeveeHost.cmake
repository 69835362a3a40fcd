# SPDX-License-Identifier: Apache-2.0
# How host code is compiled, and the libraries it stands on: in one place.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(LEVEE_CCACHE ccache)
if(LEVEE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LEVEE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LEVEE_CCACHE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4)

# What only tests use is looked for only when they are built.
option(LEVEE_TESTS "Build the tests" ON)
if(LEVEE_TESTS)
  find_package(Catch2 2 REQUIRED)
  pkg_check_modules(UNICORN REQUIRED IMPORTED_TARGET unicorn>=2)
endif()

# Flags of every host target. -ffp-contract=off: a fused multiply-add changes the bits of a result.
add_library(levee_flags INTERFACE)
target_compile_options(levee_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror -ffp-contract=off)
target_include_directories(levee_flags INTERFACE ${CMAKE_CURRENT_LIST_DIR}/..)
if(LEVEE_SANITIZE)
  target_compile_options(levee_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(levee_flags INTERFACE -fsanitize=address,undefined)
endif()

# SystemC. Debian builds the library as C++17; C++20 code links with this one definition, which
# keeps SystemC's own check of the language version.
add_library(levee_systemc INTERFACE)
target_link_libraries(levee_systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
target_compile_definitions(levee_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
