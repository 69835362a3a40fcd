#pragma once

#include "platform/assembly/system.hpp"
#include "platform/config/scenario.hpp"
#include "platform/model/model_image.hpp"
#include "platform/sampling/sampler.hpp"
#include "platform/workload/workload.hpp"

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
