// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/studies/run/program.hpp"
#include "platform/studies/run/run.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// What a run writes of itself.
struct ObservationPlan {

    struct Trace {
        std::optional<std::filesystem::path> file; ///< none: in the results folder
    };
    std::optional<Trace> instructions, bus, timeline;
    std::vector<std::string> sockets; ///< of the bus trace; empty: all
    bool profile = false;
};

/// Reads --trace, --trace-bus and --profile. Throws std::runtime_error for an unknown kind of
/// trace, naming the nearest.
[[nodiscard]] ObservationPlan plan_observation(const RunRequest& request);

/// Tracers and the profiler of a run, attached to a system. With nothing to observe it attaches
/// nothing.
class Observation {
public:
    /// `folder`: for files that have no name of their own. All outlive the simulation. Throws
    /// std::runtime_error for a file that cannot be made or a socket that is not there.
    Observation(const ObservationPlan& plan, const riscv::ElfImage& program,
                const SystemPlan& system_plan, System& system, const std::filesystem::path& folder);
    ~Observation();

    /// The run ended: writes what is not written yet. Returns the profile's text, or nothing.
    std::string finish();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace levee
