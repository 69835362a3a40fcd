// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/faults/tally.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace levee::campaign {

struct Campaign {
    const Study& study;
    const faults::Survey& survey;
    std::span<const SiteTally> sites;
};

/// Returns a table with a line for each injection.
[[nodiscard]] std::string injections_csv(const Campaign& campaign);
/// Returns a table with a line for each site: the effects' counts, and their shares with Wilson's
/// intervals.
[[nodiscard]] std::string sites_csv(const Campaign& campaign);
/// Like sites_csv(), with a line for each part of a site: a register, a field, or a bit of an
/// element.
[[nodiscard]] std::string parts_csv(const Campaign& campaign);
[[nodiscard]] std::string table_text(const Campaign& campaign);
/// Returns the figures by name, as in a run's results.json.
[[nodiscard]] nlohmann::ordered_json metrics(const Campaign& campaign);
/// Returns all tables as data, for faults.json and the page.
[[nodiscard]] nlohmann::ordered_json data(const Campaign& campaign);

} // namespace levee::campaign
