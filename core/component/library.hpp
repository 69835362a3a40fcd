// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/entry.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// The libraries that were loaded for a plug-in.
struct LoadedLibrary {
    const void* object; ///< the result of object_at() for addresses in it
    /// The plug-in's file and all libraries that it needs, directly or indirectly, and that the
    /// program itself does not need.
    std::vector<std::filesystem::path> files;
};

/// Loads a plug-in permanently into this program and runs its registrations. Throws config::Error
/// at the library's place, before any of its code runs, if the file is not a plug-in, was built
/// against another version of Levee, SystemC or the ABI, or has a module with the program's name.
LoadedLibrary load_library(const config::ComponentLibrary& library);

/// The loaded program or library that contains an address; the pointer identifies it.
[[nodiscard]] const void* object_at(const void* address);

/// Digest of the headers that plug-ins of this program are built against.
[[nodiscard]] std::string interface_digest();

} // namespace levee
