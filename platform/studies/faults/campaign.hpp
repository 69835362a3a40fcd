// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/store.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::campaign {

struct CampaignRequest {
    std::string study;  ///< a YAML file or the name of a shipped study; with `sites`, a scenario
    bool sites = false; ///< only list the places of a scenario in which faults can be injected
    std::vector<std::string> overrides;       ///< "a.b=c", for every run
    std::optional<std::filesystem::path> out; ///< default: out/<name of the study>
    unsigned jobs = 0;          ///< maximum number of runs at the same time; 0: number of
                                ///< processor cores
    sweep::Shard shard;         ///< the part of the runs that this command executes
    bool resume = true;         ///< keep the runs that the folder already has
    bool dry_run = false;       ///< only list the sites and check the scenario
    bool allow_outside = false; ///< files named in scenarios may be anywhere
    bool quiet = false;         ///< print neither progress nor the table
};

/// Exit code if Levee itself crashed in a run, or if the campaign was stopped.
constexpr int campaign_failed = 1;

/// Executes a study's missing injections, each in its own process, and writes the tables once all
/// are complete. Throws config::Error or std::runtime_error for input that cannot be used.
int run_campaign(const CampaignRequest& request);

} // namespace levee::campaign
