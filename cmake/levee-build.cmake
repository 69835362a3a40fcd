# SPDX-License-Identifier: Apache-2.0
# The package of the build folder; levee-config.cmake includes this file there. A user's sources are compiled as they
# would be with an installed Levee: without the warning options of this tree's sources.
get_target_property(levee_options levee::flags INTERFACE_COMPILE_OPTIONS)
list(FILTER levee_options EXCLUDE REGEX "-W|-D|--param")
set_target_properties(levee::flags PROPERTIES INTERFACE_COMPILE_OPTIONS "${levee_options}" INTERFACE_COMPILE_FEATURES cxx_std_20)
