// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/machine/semihost/service.hpp"
#include "platform/studies/run/recorder.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace levee {

/// Serves the core's semihosting requests until it is destroyed: files below `folder`, text to the
/// UART's sink, the end to the recorder, simulated time.
class Semihosting {
public:
    Semihosting(System& system, Recorder& recorder, const std::filesystem::path& folder,
                const std::string& command_line);
    ~Semihosting();
    Semihosting(const Semihosting&) = delete;
    Semihosting& operator=(const Semihosting&) = delete;

private:
    riscv::Core& core_;
    semihost::Service service_;
};

} // namespace levee
