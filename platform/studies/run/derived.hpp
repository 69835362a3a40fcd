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

/// Adds `host.`: figures of the machine that ran the simulation.
void add_host_figures(Results& results, double wall_s);

} // namespace levee
