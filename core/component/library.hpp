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
    /// Its file, and those of the libraries it needs, and these in turn, that the program itself
    /// does not.
    std::vector<std::filesystem::path> files;
};

/// Loads a plug-in into this program, where it stays; its registrations run. Throws config::Error
/// at the library's place, before any of its code runs, for a file that is no plug-in, was built
/// against another Levee, SystemC or ABI, or has a module of the program's name.
LoadedLibrary load_library(const config::ComponentLibrary& library);

/// The program or library, of those loaded, that an address lies in; the same pointer for the same
/// one.
[[nodiscard]] const void* object_at(const void* address);

/// Digest of the headers that plug-ins of this program are built against.
[[nodiscard]] std::string interface_digest();

} // namespace levee
