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

/// Serves a program's requests by semihosting and by HTIF, until it is destroyed. Files are those
/// below `folder`. Text goes to the UART's sink. Input comes from the UART's line, which has all of
/// `input` from the start. The program's end is reported to the recorder. Time is simulated time.
/// The command line is the name of `file`.
class Semihosting {
public:
    Semihosting(System& system, Recorder& recorder, const std::filesystem::path& folder,
                const std::filesystem::path& file, const ElfImage& program,
                const std::string& input);
    ~Semihosting();
    Semihosting(const Semihosting&) = delete;
    Semihosting& operator=(const Semihosting&) = delete;

private:
    riscv::Core& core_;
    semihost::Service service_;
    std::optional<semihost::Htif> htif_; ///< for a program that has the symbol tohost
};

} // namespace levee
