// SPDX-License-Identifier: Apache-2.0
// Parts of a run's report as JSON (page/README.md in platform/observe/report lists the keys).
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/decisions/kept_tokens.hpp"
#include "platform/observe/time_series/series.hpp"
#include "platform/run/observer.hpp"
#include "platform/run/work.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::report_data {

using Json = nlohmann::ordered_json;

/// Entries of `kept` and tokens of `text` in a report, at most: they keep it below 5 MB.
inline constexpr std::size_t most_kept = 400'000, most_tokens = 50'000;

/// Requests in a report, at most: more bars are thinner than a line.
inline constexpr std::size_t most_requests = 400;

/// Memories and blocks with their sizes, speeds and parameters.
[[nodiscard]] Json system(const SystemPlan& plan);
/// Time by block, operation and phase.
[[nodiscard]] Json operations(const series::Series& series);
/// Bytes and occupancy by bin, until the run's end in picoseconds.
[[nodiscard]] Json over_time(const series::Series& series, std::uint64_t end);
/// Times of the first requests in seconds, null for one that is not yet, and how many there are.
[[nodiscard]] Json requests(std::span<const RequestSpan> spans);
[[nodiscard]] Json kept(const KeptTokens& kept);
/// The displayed text of `token` after `previous`; for a token beyond the vocabulary, which a
/// user's program may report, its number.
[[nodiscard]] std::string piece(const Tokenizer& tokenizer, std::uint32_t previous,
                                std::uint32_t token);
/// Texts of the sequences token by token: the prompts and the generated tokens. Null if the model's
/// tokens have no text.
[[nodiscard]] Json text(const Work& work, std::span<const std::vector<std::uint32_t>> generated);

} // namespace levee::report_data
