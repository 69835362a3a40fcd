// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/run/run.hpp"

#include <string>

namespace levee {

/// The program the core runs.
struct Program {
    std::string name; ///< File of the program, for errors.
    riscv::ElfImage image;
};

/// Whether the workload's app is a user's ELF file, which is known only after reading it.
[[nodiscard]] bool is_own_program(const config::WorkloadConfig& workload);

/// The file of the workload's app, if it exists.
[[nodiscard]] std::filesystem::path program_file(const config::WorkloadConfig& workload);

/// Loads the request's ELF file or the workload's app. Throws config::Error for an unknown app,
/// with the nearest name, and riscv::ElfError for a file that is not a program.
[[nodiscard]] Program load_program(const RunRequest& request, const config::Scenario& scenario);

/// Configuration of the core with this program's additions.
[[nodiscard]] riscv::CoreConfig core_for(const SystemPlan& plan, const Program& program);

} // namespace levee
