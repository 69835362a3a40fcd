// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/semihost/files.hpp"
#include "platform/machine/semihost/machine.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace levee::semihost {

/// Serves semihosting calls but confines them to the run (Arm semihosting for AArch32 and AArch64,
/// 2.0, as adopted by RISC-V semihosting 0.2). Files are below one folder, time is simulated time,
/// the clock starts at the epoch, and there is no shell.
class Service {
public:
    Service(Machine machine, std::filesystem::path folder, std::string command_line);

    /// Handles a request, and returns the new value of register a0. Never throws. A failed request
    /// returns -1, or, for SYS_WRITE, the number of bytes that were not written. SYS_ERRNO then
    /// gives the reason as a picolibc error number.
    std::uint32_t call(std::uint32_t operation, std::uint32_t parameter);

private:
    struct Handle {
        enum class Kind { Input, Output, Features, File } kind = Kind::File;
        Descriptor file;
        std::uint32_t position = 0; ///< read position in the pseudo-file :semihosting-features
    };

    std::optional<std::uint32_t> file_call(std::uint32_t operation, std::uint32_t parameter);
    /// Handles the calls that take a file's handle: SYS_CLOSE, SYS_ISERROR, SYS_ISTTY, SYS_FLEN.
    std::uint32_t handle_call(std::uint32_t operation, std::uint32_t parameter);
    std::uint32_t remove(std::uint32_t parameter);
    std::optional<std::uint32_t> time_call(std::uint32_t operation, std::uint32_t parameter);
    std::uint32_t open(std::uint32_t parameter);
    std::uint32_t add(Handle handle);
    std::uint32_t close(std::uint32_t number);
    std::uint32_t write(std::uint32_t parameter);
    std::uint32_t read(std::uint32_t parameter);
    std::uint32_t seek(std::uint32_t parameter);
    std::uint32_t length(std::uint32_t number);
    std::uint32_t rename(std::uint32_t parameter);
    std::uint32_t write_text(std::uint32_t address);
    std::uint32_t command_line(std::uint32_t parameter);
    std::uint32_t exit(std::uint32_t reason, std::uint32_t code);

    /// Reads `count` words of the parameter block; nothing if they are not in memory.
    std::optional<std::array<std::uint32_t, 4>> words(std::uint32_t address, unsigned count);
    std::optional<std::string> text(std::uint32_t address, std::uint32_t length);
    Handle* handle(std::uint32_t number);
    long read_some(Handle& from, std::span<std::uint8_t> to);
    long read_input(std::span<std::uint8_t> to);
    bool write_some(Handle& to, std::span<const std::uint8_t> from);
    std::uint32_t fail(int host_errno);

    Machine machine_;
    Files files_;
    std::string command_line_;
    std::map<std::uint32_t, Handle> handles_;
    int errno_ = 0;
};

} // namespace levee::semihost
