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

/// Detects that a debugger has put another program into memory, as GDB's `load` does, and searches
/// for its file: a debugger sends only bytes, without names or paths.
class LoadedProgram {
public:
    /// `file` is the run's first program. `changed` is called with each program that memory holds
    /// later: an empty image if its file is unknown.
    LoadedProgram(const MachineView& machine, std::filesystem::path file,
                  std::function<void(const riscv::ElfImage&)> changed);

    /// The debugger has written memory.
    void wrote(std::uint32_t address, std::size_t bytes);
    /// Called when the core is about to continue. Returns a message, which is empty if the program
    /// is unchanged.
    [[nodiscard]] std::string going_on();
    /// The user names the program's file, before or after loading.
    [[nodiscard]] std::string use(const std::filesystem::path& file);

    /// Loads a file's program into memory and sets the pc to its entry. Returns the error; empty:
    /// success.
    [[nodiscard]] std::string load(const std::filesystem::path& file);

    /// Warning for the results; empty if the program is the one with which the run began.
    [[nodiscard]] const std::string& warning() const { return warning_; }

private:
    struct Range {
        std::uint64_t begin;
        std::uint64_t end;
    };

    [[nodiscard]] bool has_written_program();
    [[nodiscard]] std::optional<std::uint32_t> differs(const riscv::ElfImage& image) const;
    [[nodiscard]] bool try_file(const std::filesystem::path& file);
    [[nodiscard]] std::vector<std::filesystem::path> candidates() const;
    void adopt(riscv::ElfImage image);

    const MachineView& machine_;
    const std::filesystem::path file_;
    const std::function<void(const riscv::ElfImage&)> changed_;
    std::optional<std::filesystem::path> named_; ///< File named by the user.
    std::vector<Range> written_;                 ///< Ranges written since the core last continued.
    std::list<riscv::ElfImage> images_;          ///< adopted so far
    std::string warning_;
};

} // namespace levee::debug
