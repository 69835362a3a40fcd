// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/calibrate.hpp"

#include "platform/observe/decisions/observed.hpp"
#include "platform/observe/decisions/statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

namespace levee {

namespace {

struct Figure {
    const char* name;
    double Observed::*sum;
};

constexpr Figure compared[] = {
    {"evictions", &Observed::evictions},   {"x_rows_in_use", &Observed::rows_in_use},
    {"inputs_stored", &Observed::stored},  {"inputs_recomputed", &Observed::recomputed},
    {"group_changes", &Observed::changes},
};

void print_errors(const Observed& recorded, const Observed& drawn)
{
    std::printf("figure,recorded,drawn,error\n");
    for (const Figure& figure : compared) {
        const double one = recorded.*figure.sum, two = drawn.*figure.sum;
        const double error = one == two ? 0.0 : one == 0.0 ? 1.0 : two / one - 1.0;
        std::printf("%s,%.0f,%.0f,%+.4f\n", figure.name, one, two, error);
    }
}

void print_row(std::uint32_t budget, const DecisionStatistics& statistics)
{
    std::printf(
        "  - {budget: %u, holders: %.4f, newest_victims: %.4f, high_victims: %.4f, popular: %.4f, "
        "turnover: %.4f, arrivals_high: %.4f, swaps: %.6f}\n",
        budget, statistics.holders, statistics.newest_victims, statistics.high_victims,
        statistics.popular, statistics.turnover, statistics.arrivals_high, statistics.swaps);
}

/// Prints the share of popular tokens that stay popular (Kelle, section 8.3.2), as a YAML comment,
/// since no timing-only run uses it.
void print_popular(const Observed& observed)
{
    if (observed.popular > 0)
        std::printf(
            "    # of %.0f tokens that were popular after the prompt, %.1f %% were so at the end\n",
            observed.popular, 100 * observed.popular_at_end / observed.popular);
}

struct Key {
    std::string kind;
    std::uint32_t budget;
    bool operator<(const Key& other) const
    {
        return kind != other.kind ? kind < other.kind : budget < other.budget;
    }
};

Key key_of(const Recording& recording)
{
    const levee_kv_rule& rule = evictor_rule(recording);
    return {statistics_kind(rule, recording.value("kv_cache.score"),
                            rule.random ? recording.value("kv_cache.draw") : ""),
            static_cast<std::uint32_t>(std::stoul(recording.value("kv_cache.budget")))};
}

struct Group {
    std::vector<std::filesystem::path> recordings;
    Observed observed;
};

/// Fits `swaps`. The recorded `swaps` makes drawn decisions change the views of too many tokens. So
/// `swaps` is reduced until drawn and recorded changes are equal in number.
void fit_swaps(const Group& group, DecisionStatistics& statistics)
{
    constexpr int rounds = 4;
    for (int i = 0; i < rounds && group.observed.token_steps > 0; ++i) {
        Observed drawn;
        for (const std::filesystem::path& path : group.recordings) {
            Recording recording(path);
            drawn += draw(recording, statistics);
        }
        const double excess = (drawn.changes - group.observed.changes) / 2;
        statistics.swaps = std::max(0.0, statistics.swaps - excess / group.observed.token_steps);
    }
}

void calibrate(const CalibrationRequest& request)
{
    std::map<Key, Group> groups;
    for (const std::filesystem::path& path : request.recordings) {
        Recording recording(path);
        Group& group = groups[key_of(recording)];
        group.recordings.push_back(path);
        group.observed += observe(recording);
    }
    std::string kind;
    for (const auto& [key, group] : groups) {
        if (key.kind != kind)
            std::printf("%s:\n", key.kind.c_str());
        kind = key.kind;
        DecisionStatistics statistics = calibrated(group.observed);
        fit_swaps(group, statistics);
        print_row(key.budget, statistics);
        print_popular(group.observed);
    }
}

void check(const CalibrationRequest& request)
{
    const config::Node statistics = config::load_yaml(*request.check);
    Observed recorded, drawn;
    for (const std::filesystem::path& path : request.recordings) {
        Recording recording(path), again(path);
        const Key key = key_of(recording);
        recorded += observe(recording);
        drawn += draw(again, read_statistics(statistics, key.kind, key.budget));
    }
    print_errors(recorded, drawn);
}

} // namespace

int calibrate_decisions(const CalibrationRequest& request)
{
    if (request.check)
        check(request);
    else
        calibrate(request);
    return 0;
}

} // namespace levee
