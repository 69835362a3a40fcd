// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/run/sampling/figures.hpp"
#include "platform/run/work.hpp"

namespace levee {

/// Adds a run's figures, its simulated time, and the times, tokens and decode rate of its phases.
void add_figures(const sampling::Figures& figures, Results& results);

/// Adds figures computed from the program's figures, the model and the workload: model.format,
/// score.perplexity, score.top1_share, score.texts, speculation.acceptance, recall.share and
/// recall.chance.
void add_derived(Results& results, const Work& work);

/// Host time of the simulation: the elapsed time, and the processor time of the whole process. The
/// processor time does not depend on the host's other load.
struct HostTime {
    double wall_s = 0;
    double cpu_s = 0;
};

/// Adds the `host.` figures, which describe the computer that ran the simulation. Rates are per
/// second of processor time.
void add_host_figures(Results& results, const HostTime& time);

} // namespace levee
