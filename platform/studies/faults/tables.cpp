// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/tables.hpp"

#include "platform/studies/sweep/measured.hpp"
#include "platform/studies/sweep/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace levee::campaign {

namespace {

using Json = nlohmann::ordered_json;
using sweep::csv_field;
using sweep::exact;

constexpr int format = 1;

double share(std::uint64_t hits, std::uint64_t all)
{
    return all == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(all);
}

/// Calls visit(effect, count, interval) for each effect.
template <typename Visit>
void each_effect(const Counts& counts, double confidence, const Visit& visit)
{
    const double quantile = normal_quantile(confidence);
    const auto all = static_cast<double>(counts.all());
    for (std::size_t i = 0; i < effects.size(); ++i)
        visit(effects[i], counts.of[i], wilson(static_cast<double>(counts.of[i]), all, quantile));
}

std::string counts_head()
{
    std::string head;
    for (const NamedEffect& effect : effects)
        for (const char* const column : {"", " share", " low", " high"})
            head += "," + std::string(effect.name) + column;
    return head;
}

std::string counts_cells(const Counts& counts, double confidence)
{
    std::string cells = "," + std::to_string(counts.all());
    each_effect(counts, confidence,
                [&](const NamedEffect&, std::uint64_t count, const Interval& interval) {
                    cells += "," + std::to_string(count) + "," + exact(share(count, counts.all())) +
                             "," + exact(interval.low) + "," + exact(interval.high);
                });
    return cells;
}

Json counts_data(const Counts& counts, double confidence)
{
    Json data{{"injections", counts.all()}};
    each_effect(counts, confidence,
                [&](const NamedEffect& effect, std::uint64_t count, const Interval& interval) {
                    data[effect.name] = {{"count", count},
                                         {"share", share(count, counts.all())},
                                         {"low", interval.low},
                                         {"high", interval.high}};
                });
    return data;
}

const char* name_of(Effect effect)
{
    return std::ranges::find(effects, effect, &NamedEffect::effect)->name;
}

std::string place_text(const Draw& draw)
{
    std::string text;
    for (const faults::Flip& flip : draw.fault.flips)
        text += (text.empty() ? "" : "; ") + faults::text_of(flip);
    return text;
}

std::string injection_line(const SiteTally& site, std::size_t number)
{
    const auto& [draw, outcome] = site.injected[number];
    const bool has_first = outcome.first >= 0;
    return csv_field(site.domain->site().name) + "," + std::to_string(number) + "," +
           std::to_string(draw.fault.at) + "," + csv_field(place_text(draw)) + "," +
           csv_field(draw.part) + "," + name_of(outcome.effect) + "," + csv_field(outcome.by) +
           "," + (has_first ? std::to_string(outcome.first) : "") + "," +
           std::to_string(outcome.changed) + "," + exact(outcome.perplexity) + "," +
           std::to_string(outcome.end_ps) + "," + csv_field(outcome.flipped) + "\n";
}

/// Returns a text such as "12.5 % (8.1 to 18.8)".
std::string percent(double value, const Interval& interval)
{
    constexpr std::size_t most = 64;
    std::string text(most, '\0');
    const int length = std::snprintf(text.data(), most, "%.1f %% (%.1f to %.1f)", 100 * value,
                                     100 * interval.low, 100 * interval.high);
    text.resize(static_cast<std::size_t>(length));
    return text;
}

using Row = std::vector<std::string>;

std::string aligned(const std::vector<Row>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

Json injection_data(const Injected& injected)
{
    return {{"at_ps", injected.draw.fault.at},    {"place", place_text(injected.draw)},
            {"part", injected.draw.part},         {"effect", name_of(injected.outcome.effect)},
            {"by", injected.outcome.by},          {"first", injected.outcome.first},
            {"changed", injected.outcome.changed}};
}

Json site_data(const SiteTally& tally, double confidence)
{
    const Site& site = tally.domain->site();
    Json data{{"name", site.name},
              {"kind", faults::named(site.kind).name},
              {"place", site.of},
              {"bits", tally.domain->bits()},
              {"effects", counts_data(tally.counts(), confidence)},
              {"parts", Json::array()},
              {"detections", Json::array()},
              {"injections", Json::array()}};
    for (const auto& [part, counts] : tally.parts())
        data["parts"].push_back({{"name", part}, {"effects", counts_data(counts, confidence)}});
    for (const auto& [by, count] : tally.detections())
        data["detections"].push_back({{"by", by}, {"count", count}});
    for (const Injected& one : tally.injected)
        data["injections"].push_back(injection_data(one));
    return data;
}

} // namespace

std::string injections_csv(const Campaign& campaign)
{
    std::string csv = "site,number,time [ps],place,part,effect,by,first changed token,changed "
                      "tokens,perplexity,end [ps],flipped\n";
    for (const SiteTally& site : campaign.sites)
        for (std::size_t i = 0; i < site.injected.size(); ++i)
            csv += injection_line(site, i);
    return csv;
}

std::string sites_csv(const Campaign& campaign)
{
    std::string csv = "site,kind,place,bits,injections" + counts_head() + "\n";
    for (const SiteTally& tally : campaign.sites) {
        const Site& site = tally.domain->site();
        csv += csv_field(site.name) + "," + faults::named(site.kind).name + "," +
               csv_field(site.of) + "," + std::to_string(tally.domain->bits()) +
               counts_cells(tally.counts(), campaign.study.confidence) + "\n";
    }
    return csv;
}

std::string parts_csv(const Campaign& campaign)
{
    std::string csv = "site,part,injections" + counts_head() + "\n";
    for (const SiteTally& tally : campaign.sites)
        for (const auto& [part, counts] : tally.parts())
            csv += csv_field(tally.domain->site().name) + "," + csv_field(part) +
                   counts_cells(counts, campaign.study.confidence) + "\n";
    return csv;
}

std::string table_text(const Campaign& campaign)
{
    std::vector<Row> rows{{"site", "bits", "injections"}};
    for (const NamedEffect& effect : effects)
        rows.front().emplace_back(effect.name);
    for (const SiteTally& tally : campaign.sites) {
        const Counts counts = tally.counts();
        Row row{tally.domain->site().name, std::to_string(tally.domain->bits()),
                std::to_string(counts.all())};
        each_effect(counts, campaign.study.confidence,
                    [&](const NamedEffect&, std::uint64_t count, const Interval& interval) {
                        row.push_back(percent(share(count, counts.all()), interval));
                    });
        rows.push_back(std::move(row));
    }
    return aligned(rows);
}

Json metrics(const Campaign& campaign)
{
    Json metrics = Json::object();
    for (const SiteTally& tally : campaign.sites) {
        const std::string name = "faults." + tally.domain->site().name;
        const Counts counts = tally.counts();
        metrics[name + ".bits"] = tally.domain->bits();
        metrics[name + ".injections"] = counts.all();
        each_effect(counts, campaign.study.confidence,
                    [&](const NamedEffect& effect, std::uint64_t count, const Interval& interval) {
                        const std::string figure = name + "." + effect.name;
                        metrics[figure] = count;
                        metrics[figure + ".share"] = share(count, counts.all());
                        metrics[figure + ".low"] = interval.low;
                        metrics[figure + ".high"] = interval.high;
                    });
    }
    return metrics;
}

Json data(const Campaign& campaign)
{
    Json data{{"format", format},
              {"name", campaign.study.name},
              {"scenario", campaign.study.scenario.filename().string()},
              {"confidence", campaign.study.confidence},
              {"seed", campaign.study.seed},
              {"limit", campaign.study.limit},
              {"end_ps", campaign.survey.end},
              {"effects", Json::array()},
              {"sites", Json::array()}};
    for (const NamedEffect& effect : effects)
        data["effects"].push_back({{"name", effect.name}, {"meaning", effect.meaning}});
    for (const SiteTally& tally : campaign.sites)
        data["sites"].push_back(site_data(tally, campaign.study.confidence));
    return data;
}

} // namespace levee::campaign
