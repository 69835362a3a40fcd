// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/entry.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// The libraries loaded for a plug-in.
struct LoadedLibrary {
    const void* object; ///< The result of object_at() for addresses in it.
    /// The plug-in's file, and all its direct and indirect dependencies that the program itself
    /// does not have.
    std::vector<std::filesystem::path> files;
};

/// Loads a plug-in for the rest of the process and runs its registrations. Throws config::Error at
/// the library's place, before any of its code runs, in these cases: the file is not a plug-in; it
/// was built against another version of Levee, SystemC or the ABI; it has a module with the same
/// name as a module of the program.
LoadedLibrary load_library(const config::ComponentLibrary& library);

/// Identifies the loaded program or library that contains an address.
[[nodiscard]] const void* object_at(const void* address);

/// Digest of the headers that plug-ins of this program are built against.
[[nodiscard]] std::string interface_digest();

} // namespace levee
