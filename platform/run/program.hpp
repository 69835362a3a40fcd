// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/program/elf.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/run/run.hpp"

#include <string>

namespace levee {

struct Program {
    std::string name; ///< path of the program's file
    ElfImage image;
};

/// Returns whether the name of the workload's app is that of a user's ELF file.
[[nodiscard]] bool is_own_program(const config::WorkloadConfig& workload);

/// Returns the file of the workload's app: the user's file, or a file of the firmware's folder,
/// which need not exist.
[[nodiscard]] std::filesystem::path program_file(const config::WorkloadConfig& workload);

/// Loads the request's ELF file or the workload's app. Throws config::Error for an unknown app,
/// with the nearest name, and ElfError for a file that is not a program.
[[nodiscard]] Program load_program(const RunRequest& request, const config::Scenario& scenario);

/// Returns the core's configuration with the program's entry and the address of its `tohost`.
[[nodiscard]] riscv::CoreConfig core_for(const SystemPlan& plan, const Program& program);

} // namespace levee
