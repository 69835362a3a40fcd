// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/checks/checks.hpp"
#include "platform/observe/energy/price_list.hpp"
#include "platform/run/program.hpp"
#include "platform/run/run.hpp"
#include "platform/run/trace_plan.hpp"
#include "platform/run/work.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// All inputs of a run, read and checked.
struct RunInputs {
    /// Throws config::Error, ModelError or std::runtime_error for input that cannot be used.
    explicit RunInputs(const RunRequest& request);

    RunRequest request;
    TracePlan traces;
    checks::Selection checks;
    config::Scenario scenario;
    SystemPlan plan;
    std::vector<energy::PriceList> prices;
    Program program;
    Work work;
    std::string input;
    std::filesystem::path folder;
    std::optional<config::WavesConfig> waves; ///< the request's waveforms, or else the scenario's
    config::WaveFormat wave_format; ///< the request's or the scenario's format; also for waveforms
                                    ///< that lockstep writes after a difference
};

} // namespace levee
