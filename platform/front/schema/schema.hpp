// SPDX-License-Identifier: Apache-2.0
// JSON Schemas (draft 2020-12) of the files that the program reads, generated from the declared
// keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace levee::schema {

/// Returns the schema of a scenario's file. The file may be incomplete, because `extends` adds
/// other files, and may have file names in place of maps. With `complete`, returns the schema of a
/// scenario after all its files have been combined.
[[nodiscard]] nlohmann::ordered_json scenario(bool complete);

[[nodiscard]] nlohmann::ordered_json study();

/// Returns the schema of a study for `levee explore`.
[[nodiscard]] nlohmann::ordered_json exploration();

/// Returns the schema of a fault campaign.
[[nodiscard]] nlohmann::ordered_json faults();

/// Returns the schema of a file that describes the reproduction of a paper's evaluation.
[[nodiscard]] nlohmann::ordered_json reproduction();

/// Returns the schema of a price list, a file of scenarios/tech/energy, with the built-in types of
/// components.
[[nodiscard]] nlohmann::ordered_json price_list();

/// Returns the schema of statistics of decisions, a file of scenarios/tech/decisions.
[[nodiscard]] nlohmann::ordered_json statistics();

/// Returns the reference page of all keys, as Markdown.
[[nodiscard]] std::string reference_page();

} // namespace levee::schema
