# SPDX-License-Identifier: Apache-2.0
# Defines the flags of host code, and the libraries that it needs, in one place.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# ccache must ignore two differences to reuse a precompiled header: time macros and unused definitions. File names are
# relative, so that different checkouts of the tree share objects.
find_program(LEVEE_CCACHE ccache)
if(LEVEE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime ${LEVEE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LEVEE_CCACHE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal>=2.30)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.40)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4)

# Only tests need these packages.
if(LEVEE_TESTS)
  find_package(Catch2 2 REQUIRED)
  pkg_check_modules(UNICORN REQUIRED IMPORTED_TARGET unicorn>=2)
endif()

# levee_flags has the flags of every host target. -ffp-contract=off prevents fused multiply-adds, which would change the
# bits of a result. Unity builds omit -Wshadow, because their sources may shadow each other's names.
add_library(levee_flags INTERFACE)
target_compile_options(levee_flags INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic>"
  $<BUILD_INTERFACE:$<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>>
  $<BUILD_INTERFACE:$<$<BOOL:${LEVEE_WERROR}>:-Werror>> -ffp-contract=off)
# GCC starts to collect garbage only above this many KiB. On the larger sources, garbage collection would take up to a
# twelfth of the time.
target_compile_options(levee_flags INTERFACE
  "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>>")
# fmt's headers end with a pragma that restores options, and GCC restores the options that the precompiled header was
# built with. Without this flag, all later code would be compiled with that header's -O2, whatever the target's own
# level.
target_compile_options(levee_flags INTERFACE "$<BUILD_INTERFACE:-DFMT_GCC_PRAGMA(arg)=>")
target_include_directories(levee_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/levee>)
# Without optimization GCC refuses to inline functions that xxHash forces to be inlined.
target_compile_definitions(levee_flags INTERFACE $<BUILD_INTERFACE:$<$<CONFIG:Debug>:XXH_NO_INLINE_HINTS=1>>)
target_compile_features(levee_flags INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
if(LEVEE_SANITIZE) # with sanitizers, GCC reports uninitialised variables in the library's own headers where there are
                   # none
  target_compile_options(levee_flags INTERFACE -fsanitize=${LEVEE_SANITIZE} -fno-sanitize-recover=undefined
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(LEVEE_SANITIZE STREQUAL thread) # GCC also reports false writes past the ends of strings, and asio uses fences that
                                     # the thread sanitizer does not see
    target_compile_options(levee_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-tsan>")
  endif()
  target_link_options(levee_flags INTERFACE -fsanitize=${LEVEE_SANITIZE})
endif()
if(LEVEE_COVERAGE)
  target_compile_options(levee_flags INTERFACE --coverage)
  target_link_options(levee_flags INTERFACE --coverage)
endif()

# levee_cold() is for folders whose code runs only a few times per run. A short build matters more there than fast code;
# GCC compiles faster with -Og than with -O1 (CONTRIBUTING.md). levee_warm() is for code that runs often but is not
# critical: observers, and importers of models. With either option GCC cannot distinguish a checked optional from an
# unchecked one.
set(unchecked $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
set(LEVEE_COLD $<$<CONFIG:Release>:-Og> ${unchecked})
macro(levee_cold)
  add_compile_options(${LEVEE_COLD})
endmacro()
set(LEVEE_WARM $<$<CONFIG:Release>:-O1> ${unchecked})
macro(levee_warm)
  add_compile_options(${LEVEE_WARM})
endmacro()

# Debian builds the SystemC library as C++17. This definition lets C++20 code link with the library. SystemC's own check
# of the language version stays active.
add_library(levee_systemc INTERFACE)
target_link_libraries(levee_systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
target_compile_definitions(levee_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
if(LEVEE_SANITIZE MATCHES address)
  add_library(levee_no_leak_search OBJECT ${CMAKE_CURRENT_LIST_DIR}/no_leak_search.cpp)
  target_link_libraries(levee_systemc INTERFACE $<BUILD_INTERFACE:$<TARGET_OBJECTS:levee_no_leak_search>>)
endif()
