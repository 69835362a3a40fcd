// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/store.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::campaign {

struct CampaignRequest {
    std::string study;  ///< a YAML file or the name of a shipped one; of `sites` a scenario
    bool sites = false; ///< Only list the places of a scenario in which faults can be injected.
    std::vector<std::string> overrides;       ///< "a.b=c", of every run
    std::optional<std::filesystem::path> out; ///< default out/<study's name>
    unsigned jobs = 0;                        ///< Number of simultaneous runs; 0: number of cores.
    sweep::Shard shard;                       ///< the part of the runs that this command does
    bool resume = true;                       ///< Keep finished work in the folder.
    bool dry_run = false;                     ///< Only list the sites, and check the scenario.
    bool allow_outside = false;               ///< files that scenarios name may lie anywhere
    bool quiet = false;                       ///< neither progress nor table on the terminal
};

/// Exit code of a campaign in which Levee itself crashed, or that was stopped.
constexpr int campaign_failed = 1;

/// Runs a study's missing injections, each in a separate process, and writes the tables when all
/// are complete. Throws config::Error or std::runtime_error for unusable input.
int run_campaign(const CampaignRequest& request);

} // namespace levee::campaign
