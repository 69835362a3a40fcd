// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/run/sampling/sampler.hpp"

#include <cstdint>
#include <optional>

namespace levee {

/// A scenario's model and workload.
struct Work {
    std::optional<ModelImage> model;
    std::optional<ModelImage> draft; ///< the model that guesses tokens; none: guesses are looked up
    std::optional<PreparedWorkload> prepared;
    std::optional<sampling::Plan> samples; ///< none: all of the run is simulated
};

/// Sets the budget of a cache whose `ratio` refers to the prompts' length. Throws config::Error at
/// the key.
[[nodiscard]] Work prepare_work(config::Scenario& scenario);

/// Fills memories after the program's data, and the boot page, which is returned. Throws
/// config::Error if something does not fit.
levee_boot_info place_work(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                           const Work& work, const riscv::ElfImage& program);

/// Replaces the number of tokens to decode, and the list of decode steps, which place_work() has
/// written, by those of `scenario` and its sampled `work`, on the boot page and in the program's
/// copy. Throws std::runtime_error if this would move other data (the part after the list, or after
/// the texts of a model with text), if a component has already used the old number, or if the
/// program keeps it at an unknown place.
void replace_decoding(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                      const Work& work, const riscv::ElfImage& program, levee_boot_info& boot_info);

/// Approximate number of marks that the program will report; 0 if it prints its progress itself.
[[nodiscard]] std::uint64_t marks_ahead(const config::Scenario& scenario, const Work& work);

} // namespace levee
