// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/accounting.hpp"

#include "platform/observe/energy/figures.hpp"
#include "platform/observe/report/output_folder.hpp"

#include <algorithm>
#include <fstream>

namespace levee::energy {

namespace {

constexpr double um2_per_mm2 = 1e6;

double mm2(const Area& area)
{
    return static_cast<double>(area.numerator) / static_cast<double>(area.denominator) /
           um2_per_mm2;
}

/// Reports what would only fail in the run, or after it.
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

/// Whether a list charges a component's commands, by component.
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
    const std::vector<const Declaration*> types = priced_types(plan);
    lists.emplace_back(scenario.tech->energy, "tech.energy", types);
    for (std::size_t i = 0; i < scenario.tech->also.size(); ++i) {
        const config::Node& node = scenario.tech->also[i];
        lists.emplace_back(node, "tech.also." + std::to_string(i), types);
        for (std::size_t j = 0; j <= i; ++j)
            if (lists[j].name() == lists.back().name())
                throw config::Error(node.place, "the price list '" + lists.back().name() +
                                                    "' is named twice; expected each once");
    }
    const std::vector<Consumer> components = consumers_of(plan);
    for (const PriceList& list : lists) {
        (void)list.scope().outside(components);
        for (const Consumer& component : components)
            if (component.type != chip_other)
                check_before_run(list, component, components, types);
    }
    return lists;
}

Accounting::Accounting(const std::vector<PriceList>& lists, const SystemPlan& plan, System& system)
    : lists_(lists), ledger_(consumers_of(plan)),
      meter_(plan, system, ledger_, by_command(lists, ledger_.components()))
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

std::string Accounting::report(std::span<const std::uint64_t> counts, Results& results) const
{
    std::string text;
    for (const PriceList& list : lists_) {
        const Bill bill(ledger_, counts, list);
        add_figures(bill, prefix(list, "energy"), results);
        report_areas(list, results);
        text += (text.empty() ? "" : "\n") + table(bill, list.name(), results);
    }
    return text;
}

void Accounting::report_areas(const PriceList& list, Results& results) const
{
    const std::vector<Consumer>& all = ledger_.components();
    const std::string name = prefix(list, "area") + ".";
    Area on_chip = list.rest_of_area(all), off_chip{};
    if (!on_chip.is_zero())
        results.metrics[name + chip_other + "_mm2"] = mm2(on_chip);
    for (const Consumer& component : all) {
        const std::optional<Area> area = list.area(component, all);
        if (!area)
            continue;
        results.metrics[name + component.name + "_mm2"] = mm2(*area);
        Area& sum = component.on_chip ? on_chip : off_chip;
        sum = sum + *area;
    }
    if (!on_chip.is_zero())
        results.metrics[name + "on_chip_mm2"] = mm2(on_chip);
    if (!off_chip.is_zero())
        results.metrics[name + "off_chip_mm2"] = mm2(off_chip);
}

void remove_tables(const std::filesystem::path& folder)
{
    std::error_code ignored;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name != "energy.csv" && !(name.starts_with("energy_") && name.ends_with(".csv")))
            continue;
        std::string head;
        std::ifstream stream(entry.path());
        if (std::getline(stream, head) && head + "\n" == Bill::csv_head)
            found.push_back(entry.path());
    }
    for (const std::filesystem::path& file : found)
        std::filesystem::remove(file, ignored);
}

void Accounting::write(std::span<const std::uint64_t> counts,
                       const std::filesystem::path& folder) const
{
    for (const PriceList& list : lists_)
        write_atomically(folder / (prefix(list, "energy") + ".csv"),
                         Bill(ledger_, counts, list).csv());
}

} // namespace levee::energy
