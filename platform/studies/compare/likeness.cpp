// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/likeness.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>

namespace levee::compare {

namespace {

using Runs = std::vector<RunResults>;
using Texts = std::map<std::string, std::string>;

std::string value_of(const Texts& texts, const std::string& key, const std::string& without)
{
    const auto found = texts.find(key);
    return found == texts.end() ? without : found->second;
}

/// Returns a text such as "A: x; B: y" with each run's text; nothing if all are equal.
std::optional<std::string> differing(const Runs& runs,
                                     const std::function<std::string(const RunResults&)>& text)
{
    std::string shown;
    std::set<std::string> values;
    for (const RunResults& run : runs) {
        values.insert(text(run));
        shown += (shown.empty() ? "" : "; ") + run.name + ": " + text(run);
    }
    return values.size() > 1 ? std::optional(shown) : std::nullopt;
}

/// Returns the scenario's keys that begin with `prefix`, which is removed, and their values.
Texts below(const RunResults& run, const std::string& prefix)
{
    Texts found;
    for (auto at = run.scenario.lower_bound(prefix);
         at != run.scenario.end() && at->first.starts_with(prefix); ++at)
        found.emplace(at->first.substr(prefix.size()), at->second);
    return found;
}

/// Returns the types of the system's components that the scenario names, and those that every
/// system has.
std::set<std::string> types_in(const RunResults& run)
{
    std::set<std::string> types{"core", "bus", "commands"};
    for (const auto& [key, value] : below(run, "system."))
        if (key.ends_with(".type"))
            types.insert(value);
    return types;
}

/// Returns the names of events without a price, such as "rsa.static"; "dma" if none of its events
/// has one.
std::set<std::string> unpriced_in(const RunResults& run)
{
    constexpr std::string_view mark = ".unpriced";
    std::set<std::string> found;
    const std::set<std::string> types = types_in(run);
    const auto add = [&](const Texts& prices) {
        for (const auto& [key, reason] : prices)
            if (key.ends_with(mark) && reason != "none" &&
                types.contains(key.substr(0, key.find('.'))))
                found.insert(key.substr(0, key.size() - mark.size()));
    };
    const std::string list = "tech.energy.";
    const Texts others = below(run, list + "lists.");
    std::set<std::string> elsewhere;
    for (const auto& [key, value] : others)
        elsewhere.insert(key.substr(0, key.find('.')));
    Texts own = below(run, list + "prices.");
    std::erase_if(own, [&](const auto& price) {
        return elsewhere.contains(price.first.substr(0, price.first.find('.')));
    });
    add(own);
    for (const std::string& type : elsewhere) {
        Texts other = below(run, list + "lists." + type + ".prices.");
        std::erase_if(other,
                      [&](const auto& price) { return !price.first.starts_with(type + "."); });
        add(other);
    }
    std::erase_if(found, [&](const std::string& name) { return name.ends_with(".area"); });
    return found;
}

std::string joined(const std::set<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

bool is_priced(const RunResults& run)
{
    return run.scenario.contains("tech.energy.name");
}

std::string list_of(const RunResults& run)
{
    std::string text = value_of(run.scenario, "tech.energy.name", "none");
    std::map<std::string, std::string> others;
    for (const auto& [key, value] : below(run, "tech.energy.lists."))
        if (const std::size_t dot = key.find('.'); key.substr(dot) == ".name")
            others.emplace(key.substr(0, dot), value);
    for (const auto& [type, name] : others)
        text += ", " + name + " for " + type;
    return text;
}

void add_lists(const Runs& runs, std::vector<std::string>& found)
{
    if (std::ranges::none_of(runs, is_priced))
        return;
    if (const auto lists = differing(runs, list_of)) {
        found.push_back("price lists differ (" + *lists +
                        "): differences of energies and areas come from technologies as well as "
                        "machines. To use the same prices, give a list for each type of component "
                        "('tech.energy.lists', docs/energy.md)");
    } else if (std::ranges::any_of(runs, [&](const RunResults& run) {
                   return below(run, "tech.energy.") != below(runs.front(), "tech.energy.");
               })) {
        found.push_back("the price lists have the same name, " + list_of(runs.front()) +
                        ", but different prices (see the keys tech.energy... below), which change "
                        "energies and areas");
    }
}

/// Returns whether price ranges leave open which of two runs has the lower figure.
bool overlap(const RunResults& one, const RunResults& other, const std::string& figure)
{
    const auto bound = [&figure](const RunResults& run, const char* name) {
        const auto found = run.figures.find(figure + name);
        return found != run.figures.end() ? found->second : run.figures.at(figure);
    };
    return bound(one, ".low") <= bound(other, ".high") &&
           bound(other, ".low") <= bound(one, ".high");
}

void add_overlaps(const Runs& runs, std::vector<std::string>& found)
{
    for (const std::string figure : {"energy.total_j", "energy.decode_per_token_j"}) {
        const auto has = [&figure](const RunResults& run) { return run.figures.contains(figure); };
        const auto open = [&figure](const RunResults& run) {
            return run.figures.contains(figure + ".low");
        };
        if (!std::ranges::all_of(runs, has) || std::ranges::none_of(runs, open))
            continue;
        for (const RunResults& run : std::span(runs).subspan(1))
            if (overlap(runs.front(), run, figure))
                found.push_back("the intervals of " + figure + " of " + runs.front().name +
                                " and " + run.name +
                                " overlap, so either run may need less energy");
    }
}

void add_unpriced(const Runs& runs, std::vector<std::string>& found)
{
    if (!std::ranges::all_of(runs, is_priced))
        return;
    if (const auto names =
            differing(runs, [](const RunResults& run) { return joined(unpriced_in(run)); }))
        found.push_back("the unpriced components differ between runs (" + *names +
                        "): only some of the runs include their energy");
}

void add_formats(const Runs& runs, std::vector<std::string>& found)
{
    const auto format = [](const RunResults& run) {
        const std::string weights = value_of(run.texts, "model.format", "unknown weights");
        return weights + ", keys and values of " + value_of(run.scenario, "kv_cache.bits", "16") +
               " bits";
    };
    if (const auto formats = differing(runs, format))
        found.push_back("number formats differ (" + *formats +
                        "), which changes bytes, times, energies and the generated text");
}

void add_areas(const Runs& runs, std::vector<std::string>& found)
{
    if (const auto areas = differing(runs, [](const RunResults& run) {
            return value_of(run.texts, "area.on_chip_unknown", "nothing");
        }))
        found.push_back("on-chip areas omit different components (" + *areas +
                        "), so they cannot be compared");
}

} // namespace

std::vector<std::string> unlike(const Runs& runs)
{
    std::vector<std::string> found;
    add_lists(runs, found);
    add_overlaps(runs, found);
    add_unpriced(runs, found);
    add_areas(runs, found);
    add_formats(runs, found);
    return found;
}

} // namespace levee::compare
