// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/run/sampling/figures.hpp"
#include "platform/run/work.hpp"

namespace levee {

/// Adds a run's figures and the rates that follow from the phases' times and tokens.
void add_figures(const sampling::Figures& figures, Results& results);

/// Adds the figures that follow from the program's figures and its work: model.format,
/// score.perplexity, score.texts, recall.share, recall.chance.
void add_derived(Results& results, const Work& work);

/// The simulation's time on the host: elapsed time, and processor time of the whole process, which
/// other load on the machine does not stretch.
struct HostTime {
    double wall_s = 0;
    double cpu_s = 0;
};

/// Adds `host.`: figures of the machine that ran the simulation. Rates are by processor time.
void add_host_figures(Results& results, const HostTime& time);

} // namespace levee
