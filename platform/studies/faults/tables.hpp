// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/faults/tally.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace levee::campaign {

/// A finished campaign.
struct Campaign {
    const Study& study;
    const faults::Survey& survey;
    std::span<const SiteTally> sites;
};

/// A line for each injection.
[[nodiscard]] std::string injections_csv(const Campaign& campaign);
/// A line for each site: the counts of effects, and their shares with Wilson's intervals.
[[nodiscard]] std::string sites_csv(const Campaign& campaign);
/// The same for each part of a site: a register, a field, a bit of an element.
[[nodiscard]] std::string parts_csv(const Campaign& campaign);
/// The sites, aligned for reading.
[[nodiscard]] std::string table_text(const Campaign& campaign);
/// The figures by name, as in results.json of a run.
[[nodiscard]] nlohmann::ordered_json metrics(const Campaign& campaign);
/// All tables as data, also for the page.
[[nodiscard]] nlohmann::ordered_json data(const Campaign& campaign);

} // namespace levee::campaign
