// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"

#include <string>

namespace levee {

/// Loads a plug-in into this program, where it stays; its registrations run. Throws config::Error
/// at the library's place, before any of its code runs, for a file that is no plug-in or was built
/// against another Levee, SystemC or ABI.
void load_library(const config::ComponentLibrary& library);

/// Digest of the headers that plug-ins of this program are built against.
[[nodiscard]] std::string interface_digest();

} // namespace levee
