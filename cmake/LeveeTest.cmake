# SPDX-License-Identifier: Apache-2.0
include(Catch)

# Seconds after which a test counts as hanging. A test's work is bounded, not its time: even on a
# busy or slow machine only a hang reaches this limit.
set(LEVEE_TEST_TIMEOUT 3600)

# levee_test(NAME source... [LIBS library...] [LABEL label] [FIXTURE fixture] [SYSTEMC])
# One Catch2 program; every test case becomes a test of its own in CTest (one process each, as
# SystemC elaborates once per process). With SYSTEMC the runner is entered through sc_main.
function(levee_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "LABEL;FIXTURE" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PRIVATE levee_test_sc_main)
  else()
    target_link_libraries(${name} PRIVATE levee_test_main)
  endif()
  target_link_libraries(${name} PRIVATE levee_flags ${ARG_LIBS})
  if(ARG_LABEL)
    set(labels LABELS ${ARG_LABEL})
  endif()
  if(ARG_FIXTURE)
    set(fixture FIXTURES_REQUIRED ${ARG_FIXTURE})
  endif()
  # -w NoTests: a name that CTest cannot pass on makes the test fail; otherwise it would pass
  # without running anything.
  catch_discover_tests(${name} TEST_PREFIX "${name}: " EXTRA_ARGS -w NoTests PROPERTIES TIMEOUT ${LEVEE_TEST_TIMEOUT}
    ${labels} ${fixture} ENVIRONMENT "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1")
endfunction()
