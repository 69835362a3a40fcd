// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/machine/semihost/htif.hpp"
#include "platform/machine/semihost/service.hpp"
#include "platform/run/recorder.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace levee {

/// Serves a program's requests to its environment until it is destroyed, by semihosting and by
/// HTIF: files below `folder`, text to the UART's sink, input from its line, the end to the
/// recorder, simulated time; the command line is `file`'s name. All of `input` is on the line from
/// the beginning.
class Semihosting {
public:
    Semihosting(System& system, Recorder& recorder, const std::filesystem::path& folder,
                const std::filesystem::path& file, const riscv::ElfImage& program,
                const std::string& input);
    ~Semihosting();
    Semihosting(const Semihosting&) = delete;
    Semihosting& operator=(const Semihosting&) = delete;

private:
    riscv::Core& core_;
    semihost::Service service_;
    std::optional<semihost::Htif> htif_; ///< requests of a program that has the symbol tohost
};

} // namespace levee
