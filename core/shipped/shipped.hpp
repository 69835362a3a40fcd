// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace levee {

/// Folders of the program's files. An installed program, PREFIX/bin/levee, finds all files in
/// PREFIX/share/levee and its libraries in PREFIX/lib/levee (installed by
/// cmake/LeveeInstall.cmake). A program in its build folder uses the source tree and the build
/// folder, even after both have been moved together.
struct Shipped {
    std::filesystem::path scenarios;
    std::filesystem::path firmware;             ///< firmware programs, NAME.elf
    std::filesystem::path explore;              ///< script proposer.py of `levee explore`
    std::filesystem::path sources;              ///< sources of RTL and blocks, in the tree's
                                                ///< folders
    std::filesystem::path archives;             ///< archives that are linked with Verilated designs
    std::filesystem::path modules;              ///< modules of Verilated designs
    std::optional<std::filesystem::path> build; ///< the build folder; empty for an installed
                                                ///< program
    bool can_build = false; ///< the build folder is writable and has not moved since it was
                            ///< configured
};

[[nodiscard]] Shipped shipped();

} // namespace levee
