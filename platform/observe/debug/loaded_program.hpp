// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

/// Detects that a debugger has loaded another program into memory, as GDB's `load` does. Searches
/// for the program's file, since the debugger sends only bytes, without names or paths.
class LoadedProgram {
public:
    /// `file` is the program with which the run begins. `changed` is called with each program that
    /// replaces it; the image is empty if no file is known.
    LoadedProgram(const MachineView& machine, std::filesystem::path file,
                  std::function<void(const ElfImage&)> changed);

    void wrote(std::uint32_t address, std::size_t bytes);
    /// Must be called before the core continues. Returns a message for the user; empty if the
    /// program is unchanged.
    [[nodiscard]] std::string going_on();
    /// Called when the user names the program's file, either before or after loading it. Returns a
    /// message.
    [[nodiscard]] std::string use(const std::filesystem::path& file);

    /// Loads a program into memory and sets the pc to its entry. Returns an error message, or an
    /// empty string on success.
    [[nodiscard]] std::string load(const std::filesystem::path& file);

    /// Returns a warning for the results; empty until the debugger replaces the program, or its
    /// user names a file.
    [[nodiscard]] const std::string& warning() const { return warning_; }

private:
    struct Range {
        std::uint64_t begin;
        std::uint64_t end;
    };

    [[nodiscard]] bool has_written_program();
    [[nodiscard]] std::optional<std::uint32_t> differs(const ElfImage& image) const;
    [[nodiscard]] bool try_file(const std::filesystem::path& file);
    [[nodiscard]] std::vector<std::filesystem::path> candidates() const;
    void adopt(ElfImage image);

    const MachineView& machine_;
    const std::filesystem::path file_;
    const std::function<void(const ElfImage&)> changed_;
    std::optional<std::filesystem::path> named_; ///< file that the user has named
    std::vector<Range> written_;                 ///< ranges written since the core last ran
    std::list<ElfImage> images_;                 ///< images of the programs
    std::string warning_;
};

} // namespace levee::debug
