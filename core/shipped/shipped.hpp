// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace levee {

/// Folders of the program's files. An installed program, PREFIX/bin/levee, finds everything in
/// PREFIX/share/levee and its libraries in PREFIX/lib/levee (cmake/LeveeInstall.cmake puts it
/// there). A program in its build folder uses the tree and that folder, also after both have been
/// moved together.
struct Shipped {
    std::filesystem::path scenarios;
    std::filesystem::path firmware;             ///< programs, NAME.elf
    std::filesystem::path explore;              ///< proposer.py
    std::filesystem::path sources;              ///< sources of RTL and blocks, as in the tree
    std::filesystem::path archives;             ///< archives that Verilated designs are linked with
    std::filesystem::path modules;              ///< modules of Verilated designs
    std::optional<std::filesystem::path> build; ///< the build folder; nothing: installed
    bool can_build = false; ///< the build folder is still where it was configured, and is writable
};

[[nodiscard]] Shipped shipped();

} // namespace levee
