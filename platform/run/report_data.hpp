// SPDX-License-Identifier: Apache-2.0
// The parts of a run's report as JSON. README.md in platform/observe/report/page lists the keys.
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

/// Maximum number of entries of `kept`, and of tokens of `text`, in a report. The limits keep the
/// report below 5 MB.
inline constexpr std::size_t most_kept = 400'000, most_tokens = 50'000;

/// Maximum number of requests in a report. With more requests, their bars would be thinner than a
/// line.
inline constexpr std::size_t most_requests = 400;

/// Returns memories and blocks, with their sizes, speeds and parameters.
[[nodiscard]] Json system(const SystemPlan& plan);
/// Returns the time of each block by operation and phase.
[[nodiscard]] Json operations(const series::Series& series);
/// Returns bytes and occupancy over time. `end` is the run's end in picoseconds.
[[nodiscard]] Json over_time(const series::Series& series, std::uint64_t end);
/// Returns the times of the first requests in seconds, and the number of all requests. A time is
/// null if its event has not happened.
[[nodiscard]] Json requests(std::span<const RequestSpan> spans);
[[nodiscard]] Json kept(const KeptTokens& kept);
/// Returns the text of `token` when it follows `previous`. If a user's program reports a token
/// outside the vocabulary, the text is the token's number.
[[nodiscard]] std::string piece(const Tokenizer& tokenizer, std::uint32_t previous,
                                std::uint32_t token);
/// Returns the text of each sequence, token by token, for prompts and generated tokens. Returns
/// null if the model's tokens have no text.
[[nodiscard]] Json text(const Work& work, std::span<const std::vector<std::uint32_t>> generated);

} // namespace levee::report_data
