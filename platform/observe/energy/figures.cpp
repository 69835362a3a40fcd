// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/figures.hpp"

#include "platform/observe/phases.hpp"
#include "platform/observe/report/si.hpp"

#include <algorithm>
#include <cstdio>

namespace levee::energy {

namespace {

double generated_tokens(const Results& results)
{
    return results.number("prefill.tokens") + results.number("decode.tokens");
}

/// Returns the energy of the decode phase, in joules per token that it generates; 0 without
/// tokens.
double joules_of_a_decoded_token(const Bill& bill, const Results& results)
{
    const double tokens = results.number("decode.tokens");
    return tokens > 0 ? joules(bill.by_phase()[LEVEE_PHASE_DECODE]) / tokens : 0.0;
}

/// Returns a text such as "; 0.44 J per decoded token; 0.93 tokens/J over the whole run, with 1025
/// generated tokens".
std::string for_each_token(const Bill& bill, const Results& results)
{
    std::string text;
    if (const double each = joules_of_a_decoded_token(bill, results); each > 0)
        text += "; " + si(each, "J") + " per decoded token";
    if (const double tokens = generated_tokens(results); tokens > 0 && bill.total() > 0)
        text += "; " + si(tokens / joules(bill.total()), "tokens/J") +
                " over the whole run, with " + std::to_string(static_cast<std::uint64_t>(tokens)) +
                " generated tokens";
    return text;
}

void add_table(const Bill::Table& table, const std::string& prefix, Results& results)
{
    for (const auto& [name, energy] : table)
        results.metrics[prefix + name + "_j"] = joules(energy);
}

std::string row(const std::string& name, const Bill::Phases& phases, Attojoules sum,
                Attojoules total)
{
    std::array<char, 128> text{};
    const auto cell = [](Attojoules energy) {
        return energy == 0 ? std::string("-") : si(joules(energy), "J");
    };
    const double share =
        total == 0 ? 0.0 : 100.0 * static_cast<double>(sum) / static_cast<double>(total);
    std::snprintf(text.data(), text.size(), "  %-16s%12s%12s%12s%12s%8.2f%%\n", name.c_str(),
                  cell(phases[LEVEE_PHASE_PREFILL]).c_str(),
                  cell(phases[LEVEE_PHASE_DECODE]).c_str(), cell(phases[LEVEE_PHASE_OTHER]).c_str(),
                  cell(sum).c_str(), share);
    return text.data();
}

} // namespace

void add_figures(const Bill& bill, const std::string& prefix, Results& results)
{
    const auto set = [&](const std::string& name, double value) {
        results.metrics[prefix + "." + name] = value;
    };
    const double total = joules(bill.total());
    set("total_j", total);
    set("on_chip_j", joules(bill.on_chip()));
    set("off_chip_j", joules(bill.off_chip()));
    add_table(bill.by_component(), prefix + ".", results);
    add_table(bill.by_event(), prefix + ".", results);
    add_table(bill.by_operation(), prefix + ".operation.", results);
    for (std::size_t i = 0; i < phase_names.size(); ++i) {
        const std::string phase = std::string("phase.") + phase_names[i];
        set(phase + "_j", joules(bill.by_phase()[i]));
        for (const auto& [component, energy] : bill.by_component())
            if (const Attojoules part = bill.phases_of(component)[i]; part != 0)
                set(phase + "." + component + "_j", joules(part));
    }
    if (const double duration = results.number("sim.seconds"); duration > 0)
        set("average_power_w", total / duration);
    if (const double each = joules_of_a_decoded_token(bill, results); each > 0)
        set("decode_per_token_j", each);
    if (const double tokens = generated_tokens(results); tokens > 0 && total > 0) {
        set("per_token_j", total / tokens);
        set("tokens_per_joule", tokens / total);
    }
}

void add_intervals(const Bill& low, const Bill& high, const std::string& prefix, Results& results)
{
    const auto is_its = [&prefix](const auto& figure) {
        return figure.first.starts_with(prefix + ".");
    };
    Results least = results;
    std::erase_if(least.metrics, is_its);
    Results most = least;
    add_figures(low, prefix, least);
    add_figures(high, prefix, most);
    std::vector<std::string> names;
    for (const auto& figure : results.metrics)
        if (is_its(figure))
            names.push_back(figure.first);
    for (const std::string& name : names) {
        const double one = least.number(name), other = most.number(name);
        if (one == other)
            continue;
        results.metrics[name + ".low"] = std::min(one, other); // more energy means fewer tokens
                                                               // per joule, so the bounds change
                                                               // places
        results.metrics[name + ".high"] = std::max(one, other);
    }
}

std::string interval_text(const Bill& low, const Bill& high)
{
    return "  with the lower and upper bounds of the prices: " + si(joules(low.total()), "J") +
           " to " + si(joules(high.total()), "J") + "\n";
}

std::string table(const Bill& bill, const std::string& title, const Results& results)
{
    std::string text = "energy by " + title + ": " + si(joules(bill.total()), "J");
    if (const double duration = results.number("sim.seconds"); duration > 0)
        text += ", " + si(joules(bill.total()) / duration, "W");
    text += for_each_token(bill, results) + "; off chip " + si(joules(bill.off_chip()), "J") + "\n";
    std::array<char, 128> head{};
    std::snprintf(head.data(), head.size(), "  %-16s%12s%12s%12s%12s%9s\n", "", "prefill", "decode",
                  "other", "all", "share");
    text += head.data();
    std::vector<std::pair<Attojoules, std::string>> rows;
    for (const auto& [component, energy] : bill.by_component())
        if (energy != 0)
            rows.emplace_back(energy, component);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [energy, component] : rows)
        text += row(component, bill.phases_of(component), energy, bill.total());
    return text + row("all", bill.by_phase(), bill.total(), bill.total());
}

} // namespace levee::energy
