// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::campaign {

enum class Effect { Masked, Timing, Text, Detected, Hung, Crashed, HostCrash };

struct NamedEffect {
    Effect effect;
    const char* name;
    const char* meaning;
};
inline constexpr std::array effects{
    NamedEffect{Effect::Masked, "masked", "same text, same figures"},
    NamedEffect{Effect::Timing, "timing", "same text, different figures"},
    NamedEffect{Effect::Text, "text", "different tokens, text or perplexity"},
    NamedEffect{Effect::Detected, "detected",
                "an error of a block or of the program ended the run"},
    NamedEffect{Effect::Hung, "hung", "a deadlock, or no end within the time limit"},
    NamedEffect{Effect::Crashed, "crashed", "the simulated core took an exception"},
    NamedEffect{Effect::HostCrash, "host_crash", "Levee itself crashed, which is a bug in Levee"},
};

/// The results of the run without a fault, for comparison.
struct Reference {
    std::string text;
    std::vector<std::vector<std::uint32_t>> tokens;
    nlohmann::json metrics; ///< all metrics except those of the host
};
[[nodiscard]] Reference reference_of(const Results& results);
[[nodiscard]] nlohmann::json to_json(const Reference& reference);
[[nodiscard]] Reference reference_of(const nlohmann::json& json);

/// The result of a run with a fault, compared with the run without one.
struct Outcome {
    Effect effect = Effect::Masked;
    std::string by;            ///< error or check that detected the fault; empty if none did
    std::string flipped;       ///< description of the flipped bits; empty if the run ended before
    std::int64_t first = -1;   ///< lowest position of a changed token in any sequence; -1: none
    std::uint64_t changed = 0; ///< number of different, missing and additional tokens
    double perplexity = 0;     ///< perplexity of the run, or 0
    std::uint64_t end_ps = 0;
};
[[nodiscard]] nlohmann::json to_json(const Outcome& outcome);
[[nodiscard]] Outcome outcome_of(const nlohmann::json& json);

/// `code` is the exit code of the run with the fault.
[[nodiscard]] Outcome compare(const Reference& reference, const Results& results, int code);

} // namespace levee::campaign
