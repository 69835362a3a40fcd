// SPDX-License-Identifier: Apache-2.0
// The mark of a plug-in: a shared library with components that scenarios name under
// `components:` (docs/plugins.md).
#pragma once

#include "core/component/interface_version.hpp" // written by CMake

#include <sysc/kernel/sc_ver.h>

#define LEVEE_PLUGIN_TEXT(value) LEVEE_PLUGIN_VALUE(value)
#define LEVEE_PLUGIN_VALUE(value) #value
#define LEVEE_PLUGIN_LINE(what, value) what "=" value "\n"

#define LEVEE_PLUGIN_SYSTEMC LEVEE_PLUGIN_TEXT(SC_VERSION_MAJOR.SC_VERSION_MINOR.SC_VERSION_PATCH)
#ifdef _GLIBCXX_DEBUG
#define LEVEE_PLUGIN_CONTAINERS "checked"
#else
#define LEVEE_PLUGIN_CONTAINERS "plain"
#endif

/// Properties in which program and plug-in must agree: lines "what=value".
#define LEVEE_PLUGIN_IDENTITY                                                                      \
    LEVEE_PLUGIN_LINE("version", LEVEE_INTERFACE_VERSION)                                          \
    LEVEE_PLUGIN_LINE("digest of headers", LEVEE_INTERFACE_DIGEST)                                 \
    LEVEE_PLUGIN_LINE("SystemC", LEVEE_PLUGIN_SYSTEMC)                                             \
    LEVEE_PLUGIN_LINE("compiler's ABI", LEVEE_PLUGIN_TEXT(__GXX_ABI_VERSION))                      \
    LEVEE_PLUGIN_LINE("standard library's ABI", LEVEE_PLUGIN_TEXT(_GLIBCXX_USE_CXX11_ABI))         \
    LEVEE_PLUGIN_LINE("containers", LEVEE_PLUGIN_CONTAINERS)

/// Section of a plug-in that holds its identity. The program reads it before any code of the
/// plug-in runs.
#define LEVEE_PLUGIN_SECTION ".levee.plugin"

/// Must occur exactly once in a plug-in, in any of its sources: `LEVEE_PLUGIN;`
#define LEVEE_PLUGIN                                                                               \
    extern "C" __attribute__((visibility("default")))                                              \
    const char levee_plugin[sizeof LEVEE_PLUGIN_IDENTITY];                                         \
    __attribute__((section(LEVEE_PLUGIN_SECTION), used))                                           \
    const char levee_plugin[sizeof LEVEE_PLUGIN_IDENTITY] = LEVEE_PLUGIN_IDENTITY
