// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/studies/sampling/figures.hpp"

#include <optional>

namespace levee {

/// Adds a run's figures and the rates that follow from the phases' times and tokens.
void add_figures(const sampling::Figures& figures, Results& results);

/// Adds the figures derived from those of the program: score.perplexity, recall.share,
/// recall.chance.
void add_derived(Results& results, std::optional<double> recall_chance);

/// Warns of memories of which more is used than is installed.
void warn_of_overcommit(const SystemPlan& plan, Results& results);

/// Warns of a run whose recomputation was counted as taking no time, if there was any, and of one
/// in which none was to be hidden.
void warn_of_recomputation(const levee_kv_policy& policy, Results& results);

/// Adds `host.`: figures of the machine that ran the simulation.
void add_host_figures(Results& results, double wall_s);

} // namespace levee
