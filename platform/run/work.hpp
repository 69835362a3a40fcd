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

struct Work {
    std::optional<ModelImage> model;
    std::optional<ModelImage> draft; ///< the model that guesses tokens; without one, guesses are
                                     ///< looked up in the text
    std::optional<PreparedWorkload> prepared;
    std::optional<sampling::Plan> samples; ///< nothing: the whole run is simulated
};

/// Opens the model and prepares the workload. If the cache's budget is a `ratio` of the prompts'
/// length, sets the budget. Throws config::Error at the wrong key.
[[nodiscard]] Work prepare_work(config::Scenario& scenario);

/// Fills the boot page, and the memories after the program's data. Returns the contents of the boot
/// page. Throws config::Error if something does not fit.
levee_boot_info place_work(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                           const Work& work, const ElfImage& program);

/// Replaces the number of tokens to decode and the list of decode steps, which place_work() has
/// written, by the values of `scenario` and its sampled `work`. It does so on the boot page and in
/// the program's copy. Throws std::runtime_error in three cases:
/// - the replacement would move other data (the part after the list, or after the texts of a model
///   with text);
/// - a component has already used the old number;
/// - the place of the program's copy is unknown.
void replace_decoding(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                      const Work& work, const ElfImage& program, levee_boot_info& boot_info);

/// Returns the approximate number of marks that the program will report; 0 if it is unknown, or if
/// the program prints its progress itself.
[[nodiscard]] std::uint64_t marks_ahead(const config::Scenario& scenario, const Work& work);

} // namespace levee
