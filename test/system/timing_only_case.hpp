// SPDX-License-Identifier: Apache-2.0
/// A functional run whose decisions are recorded, and the timing-only run that replays them.
#pragma once

#include "test/system/kelle_case.hpp"

namespace levee::test {

/// Lists the figures in which two runs differ, one per line.
inline std::string differences(const KelleRun& functional, const KelleRun& timing_only)
{
    const nlohmann::json a = reproducible(functional.results).at("metrics");
    const nlohmann::json b = reproducible(timing_only.results).at("metrics");
    std::string text;
    const auto compare = [&](const nlohmann::json& names) {
        for (const auto& [name, unused] : names.items()) {
            const std::string one = a.contains(name) ? a.at(name).dump() : "absent";
            const std::string two = b.contains(name) ? b.at(name).dump() : "absent";
            if (one != two && text.find("\n" + name + ":") == std::string::npos)
                text += "\n" + name + ": " + one + " functional, " + two + " timing_only";
        }
    };
    compare(a);
    compare(b);
    return text;
}

/// Runs the case both ways, with prices for its energy. Every figure except host.* must be the
/// same, and so must tokens and text.
inline KelleRun check_timing_only(const Workplace& place, const KelleCase& kelle)
{
    const std::string charged = std::string("tech.energy=tech/energy/kelle_events") +
                                (kelle.policy.kind == LEVEE_KV_VOTING      ? "_voting"
                                 : kelle.policy.kind == LEVEE_KV_RETRIEVAL ? "_retrieval"
                                 : kelle.policy.kind == LEVEE_KV_CPQ       ? "_cpq"
                                                                           : "") +
                                ".yaml";
    const KelleRun functional =
        run_case(place, kelle, {"--record-decisions", "decisions", "--set", charged});
    const KelleRun timing_only = run_case(
        place, kelle,
        {"--set", "data=timing_only", "--set", "decisions.recorded=decisions", "--set", charged});
    CHECK(differences(functional, timing_only) == "");
    CHECK(timing_only.results.at("tokens") == functional.results.at("tokens"));
    CHECK(timing_only.results.at("text") == functional.results.at("text"));
    return functional;
}

inline void check_timing_only(const KelleCase& kelle)
{
    const Workplace place;
    check_timing_only(place, kelle);
}

/// Runs the case timing-only with decisions from statistics; returns its metrics.
inline nlohmann::json run_from_statistics(const Workplace& place, const KelleCase& kelle)
{
    const std::string text = yaml(kelle);
    place.write("timing_only.yaml", text.substr(0, text.find("observe:")) +
                                        "data: timing_only\ndecisions: {statistics: "
                                        "tech/decisions/embedded.yaml}\n");
    const Outcome outcome = place.levee({"run", "timing_only.yaml", "--out", "timing_only"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("timing_only").at("metrics");
}

/// Runs the case with this section `kv_cache`. The run must end with `code` and print `what`.
inline void check_says(const KelleCase& kelle, const std::string& kv_cache, int code,
                       const std::string& what)
{
    const Workplace place;
    std::string text = yaml(kelle);
    const std::size_t from = text.find("kv_cache:"), to = text.find("\n", from);
    place.write("scenario.yaml", text.replace(from, to - from, "kv_cache: {" + kv_cache + "}"));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    INFO(outcome.text);
    CHECK(outcome.code == code);
    CHECK_THAT(outcome.text, Catch::Contains(what));
}

inline const std::string embedded_stories =
    std::string(LEVEE_SOURCE) + "/models/embedded/stories.levee";

} // namespace levee::test
