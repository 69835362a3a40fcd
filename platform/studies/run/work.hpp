// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/studies/sampling/sampler.hpp"

#include <cstdint>
#include <optional>

namespace levee {

/// The model and the work, where the scenario has them.
struct Work {
    std::optional<ModelImage> model;
    std::optional<PreparedWorkload> prepared;
    std::optional<sampling::Plan> samples; ///< none: all of it is done
};

/// Throws config::Error at the key at fault.
[[nodiscard]] Work prepare_work(const config::Scenario& scenario);

/// Fills memories and the boot page. Throws config::Error if something does not fit.
void place_work(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                const Work& work);

/// How many marks the program will set, about; 0 where it prints as it goes.
[[nodiscard]] std::uint64_t marks_ahead(const config::Scenario& scenario, const Work& work);

} // namespace levee
