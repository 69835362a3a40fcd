# SPDX-License-Identifier: Apache-2.0
# The build folder's own package, which levee-config.cmake includes there: a user's sources are compiled as against an
# installed Levee, without the warnings of the tree's sources.
get_target_property(levee_options levee::flags INTERFACE_COMPILE_OPTIONS)
list(FILTER levee_options EXCLUDE REGEX "-W|-D|--param")
set_target_properties(levee::flags PROPERTIES INTERFACE_COMPILE_OPTIONS "${levee_options}" INTERFACE_COMPILE_FEATURES cxx_std_20)
