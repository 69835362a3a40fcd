// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/accounting.hpp"

#include "core/config/regular_file.hpp"
#include "platform/observe/energy/figures.hpp"
#include "platform/observe/report/output_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

namespace levee::energy {

namespace {

constexpr double um2_per_mm2 = 1e6;

double mm2(const Area& area)
{
    return static_cast<double>(area.numerator) / static_cast<double>(area.denominator) /
           um2_per_mm2;
}

struct AreaSum {
    Area known;
    std::string unknown;
};

/// Returns whether a component has its own area. A queue is part of its block, and the rest of a
/// chip is added separately.
bool takes_area(const Consumer& component)
{
    return component.has_units && component.type != chip_other &&
           component.type != commands_declaration.type;
}

/// Adds a sum of areas to the results. If some areas are unknown, the figure's name contains
/// "known", and another figure lists the components.
void add_area(const AreaSum& sum, const std::string& name, Results& results)
{
    if (sum.known.is_zero())
        return;
    results.metrics[name + (sum.unknown.empty() ? "_mm2" : "_known_mm2")] = mm2(sum.known);
    if (!sum.unknown.empty())
        results.metrics[name + "_unknown"] = sum.unknown;
}

/// Finds errors before the run that would otherwise be found only during or after it.
void check_before_run(const PriceList& list, const Consumer& component,
                      std::span<const Consumer> all, std::span<const Declaration* const> types)
{
    (void)list.power(component, all);
    (void)list.area(component, all);
    if (!list.is_by_command(component.type))
        return;
    for (const Declaration* type : types)
        if (type->type == component.type)
            for (const EnergyEvent& event : type->events)
                (void)list.rate(component, event.name);
}

void check_before_run(const PriceList& list, std::span<const Consumer> all,
                      std::span<const Declaration* const> types)
{
    for (const Consumer& component : all)
        if (component.type != chip_other)
            check_before_run(list, component, all, types);
}

/// Reads a price list. If any of its prices is uncertain, it also reads the list with the lower and
/// with the upper bounds.
PriceList read_list(const config::Node& node, const std::string& path, Types types,
                    std::span<const Consumer> components)
{
    PriceList list(node, path, types);
    if (list.is_uncertain(components))
        list.set_bounds(PriceList(node, path, types, Bound::Low),
                        PriceList(node, path, types, Bound::High));
    return list;
}

/// Returns, for each component, whether any price list charges for its commands.
std::vector<bool> by_command(const std::vector<PriceList>& lists,
                             const std::vector<Consumer>& components)
{
    std::vector<bool> result;
    for (const Consumer& component : components)
        result.push_back(std::any_of(lists.begin(), lists.end(), [&](const PriceList& list) {
            return list.is_by_command(component.type);
        }));
    return result;
}

} // namespace

std::vector<PriceList> read_price_lists(const config::Scenario& scenario, const SystemPlan& plan)
{
    std::vector<PriceList> lists;
    if (!scenario.tech)
        return lists;
    const std::vector<const Declaration*> types = priced_types(plan.config.libraries);
    const std::vector<Consumer> components = consumers_of(plan);
    lists.push_back(read_list(scenario.tech->energy, "tech.energy", types, components));
    for (std::size_t i = 0; i < scenario.tech->also.size(); ++i) {
        const config::Node& node = scenario.tech->also[i];
        lists.push_back(read_list(node, "tech.also." + std::to_string(i), types, components));
        for (std::size_t j = 0; j <= i; ++j)
            if (lists[j].name() == lists.back().name())
                throw config::Error(node.place, "the price list '" + lists.back().name() +
                                                    "' is named twice; expected each once");
    }
    for (const PriceList& list : lists) {
        (void)list.scope().outside(components);
        check_before_run(list, components, types);
        for (const PriceList& bound : list.bounds())
            check_before_run(bound, components, types);
    }
    return lists;
}

Accounting::Accounting(const std::vector<PriceList>& lists, const SystemPlan& plan, System& system)
    : lists_(lists), ledger_(consumers_of(plan)),
      meter_(plan, system, ledger_, by_command(lists, ledger_.components())),
      total_(ledger_, lists.front())
{
    ledger_.on_account = [this](const Consumer& component, const std::string& event) {
        for (const PriceList& list : lists_)
            if (event != "static")
                (void)list.rate(component, event);
    };
}

const std::vector<std::uint64_t>& Accounting::counts(Picoseconds now)
{
    meter_.settle(now);
    return ledger_.counts();
}

std::string Accounting::prefix(const PriceList& list, const char* what) const
{
    return &list == &lists_.front() ? what : std::string(what) + "_" + list.name();
}

Bill Accounting::bill(std::span<const std::uint64_t> counts, const PriceList& list) const
{
    return {ledger_, counts, rates_.try_emplace(&list, ledger_, list).first->second};
}

std::string Accounting::report(std::span<const std::uint64_t> counts, Results& results) const
{
    std::string text;
    for (const PriceList& list : lists_) {
        const Bill its = bill(counts, list);
        add_figures(its, prefix(list, "energy"), results);
        std::string more;
        if (!list.bounds().empty()) {
            const Bill low = bill(counts, list.bounds()[0]), high = bill(counts, list.bounds()[1]);
            add_intervals(low, high, prefix(list, "energy"), results);
            more = interval_text(low, high);
        }
        more += report_areas(list, results);
        text += (text.empty() ? "" : "\n") + table(its, list.name(), results) + more;
    }
    return text;
}

std::string Accounting::report_areas(const PriceList& list, Results& results) const
{
    const std::vector<Consumer>& all = ledger_.components();
    const std::string name = prefix(list, "area") + ".";
    AreaSum on_chip{list.rest_of_area(all), {}}, off_chip;
    if (!on_chip.known.is_zero())
        results.metrics[name + chip_other + "_mm2"] = mm2(on_chip.known);
    for (const Consumer& component : all) {
        const std::optional<Area> area = list.area(component, all);
        AreaSum& sum = component.on_chip ? on_chip : off_chip;
        if (area) {
            results.metrics[name + component.name + "_mm2"] = mm2(*area);
            sum.known = sum.known + *area;
        } else if (takes_area(component) && !(component.on_chip && list.states_chip_area())) {
            sum.unknown += (sum.unknown.empty() ? "" : ", ") + component.name;
        }
    }
    add_area(on_chip, name + "on_chip", results);
    add_area(off_chip, name + "off_chip", results);
    if (on_chip.known.is_zero())
        return "";
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "  on chip %.4g mm2", mm2(on_chip.known));
    return text.data() +
           (on_chip.unknown.empty()
                ? std::string("\n")
                : ", without " + on_chip.unknown + ", whose areas are missing in the price list\n");
}

std::vector<std::string> tables_in(const std::filesystem::path& folder)
{
    std::error_code ignored;
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name != "energy.csv" && !(name.starts_with("energy_") && name.ends_with(".csv")))
            continue;
        std::string head;
        std::ifstream stream = config::regular_stream(entry.path());
        if (std::getline(stream, head) && head + "\n" == Bill::csv_head)
            found.push_back(name);
    }
    return found;
}

std::vector<std::string> table_names(const std::vector<PriceList>& lists)
{
    std::vector<std::string> names;
    for (const PriceList& list : lists)
        names.push_back(names.empty() ? "energy.csv" : "energy_" + list.name() + ".csv");
    return names;
}

void Accounting::write(std::span<const std::uint64_t> counts,
                       const std::filesystem::path& folder) const
{
    const std::vector<std::string> names = table_names(lists_);
    for (std::size_t i = 0; i < lists_.size(); ++i)
        write_atomically(folder / names[i], bill(counts, lists_[i]).csv());
}

} // namespace levee::energy
