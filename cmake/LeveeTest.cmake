# SPDX-License-Identifier: Apache-2.0
include(Catch)

# Seconds after which a test counts as hanging. Tests limit their amount of work instead of their time. Therefore only a
# hanging test reaches this limit, even on a busy or slow machine.
set(LEVEE_TEST_TIMEOUT 3600)

# levee_test(NAME source... [LIBS library...] [LABEL label] [FIXTURE fixture] [SYSTEMC]) Makes a Catch2 program NAME.
# Every test case is a separate test in CTest, in a process of its own, since SystemC elaborates once per process. With
# SYSTEMC, sc_main calls the runner.
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
  # -w NoTests makes Catch2 fail if no test has the name that CTest passes. Without it, Catch2 would run nothing and
  # report success.
  catch_discover_tests(${name} TEST_PREFIX "${name}: " EXTRA_ARGS -w NoTests PROPERTIES TIMEOUT ${LEVEE_TEST_TIMEOUT}
    ${labels} ${fixture} ENVIRONMENT "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1")
endfunction()
