// SPDX-License-Identifier: Apache-2.0
// JSON Schemas (draft 2020-12) of the files that the program takes, made from the declared keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee::schema {

/// Schema of a scenario. A file may be only a part of a scenario: others may complete it
/// (`extends`), and names of files may replace maps. If `complete`, it is the scenario with
/// everything resolved.
[[nodiscard]] nlohmann::ordered_json scenario(bool complete);

[[nodiscard]] nlohmann::ordered_json study();

/// A study for `levee explore`.
[[nodiscard]] nlohmann::ordered_json exploration();

/// A fault campaign.
[[nodiscard]] nlohmann::ordered_json faults();

/// A file that describes how a paper's evaluation is reproduced.
[[nodiscard]] nlohmann::ordered_json reproduction();

/// A price list, a file of scenarios/tech/energy, with the program's types of components.
[[nodiscard]] nlohmann::ordered_json price_list();

/// Statistics of decisions, a file of scenarios/tech/decisions.
[[nodiscard]] nlohmann::ordered_json statistics();

/// The reference page of all keys, as Markdown.
[[nodiscard]] std::string reference_page();

} // namespace levee::schema
