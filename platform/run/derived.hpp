#pragma once

#include "platform/report/results.hpp"

#include <optional>

namespace levee {

/// Adds what follows from a program's figures: score.perplexity, recall.share, recall.chance.
void add_derived(Results& results, std::optional<double> recall_chance);

/// Adds `host.`: what depends on the machine that ran the simulation, and on nothing else.
void add_host_figures(Results& results, double wall_s);

} // namespace levee
