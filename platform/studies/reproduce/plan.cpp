// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/plan.hpp"

#include "platform/studies/reproduce/names.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"
#include "platform/studies/reproduce/rows.hpp"
#include "platform/studies/reproduce/variants.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace levee::reproduce {

namespace {

namespace fs = std::filesystem;
using config::Error;
using config::MapReader;
using config::Node;

/// The sections of all files in the folder, merged.
class Sections {
public:
    explicit Sections(const fs::path& folder)
    {
        std::vector<fs::path> files;
        std::error_code none_there;
        for (const auto& entry : fs::directory_iterator(folder, none_there))
            if (entry.path().extension() == ".yaml")
                files.push_back(entry.path());
        if (files.empty())
            throw Error(folder.string() +
                        ": the folder has no .yaml file; expected at least one, with "
                        "runs and rows");
        std::sort(files.begin(), files.end());
        for (const fs::path& file : files)
            read(file);
    }

    /// Calls `use` for each entry of a section, file by file.
    void each(const std::string& section, const std::function<void(const Node::Entry&)>& use) const
    {
        std::set<std::string> names;
        for (const auto& [name, node] : sections_)
            if (name == section)
                for (const Node::Entry& entry : node.entries) {
                    if (entry.key.starts_with('.') || entry.key.find('/') != std::string::npos)
                        throw Error(entry.place, "'" + section + "." + entry.key +
                                                     "' cannot be the name of a file or folder; "
                                                     "expected no '/' and no leading '.'");
                    if (!names.insert(entry.key).second)
                        throw Error(entry.place,
                                    "'" + section + "." + entry.key +
                                        "' was defined before; expected each name once");
                    use(entry);
                }
    }

private:
    void read(const fs::path& file)
    {
        const Node root = config::load_yaml(file);
        MapReader reader(root, "", reproduction_keys);
        for (const config::Key& key : reproduction_keys) {
            const std::string section = key.name;
            if (const Node* node = reader.raw(section, false)) {
                if (!node->is_map())
                    throw reader.error(section, "is " + std::string(node->kind_name()) +
                                                    "; expected a map of names");
                sections_.emplace_back(section, *node);
            }
        }
        reader.finish();
    }

    std::vector<std::pair<std::string, Node>> sections_;
};

void read_runs(const Node::Entry& entry, const Axes& axes, const config::FileFinder& finder,
               Plan& plan)
{
    MapReader reader(entry.value, "runs." + entry.key, run_keys);
    const std::string scenario = reader.string("scenario");
    const Node* scenario_node = reader.raw("scenario", true);
    std::vector<sweep::Point> points{{entry.key, {}}};
    if (const Node* set = reader.raw("set", false))
        points[0].overrides = sweep::read_overrides(*set, "runs." + entry.key + ".set");
    for (const std::string& name : reader.strings("axes")) {
        std::vector<std::string> names;
        for (const auto& [known, values] : axes)
            names.push_back(known);
        const auto axis = axes.find(name);
        if (axis == axes.end())
            throw reader.error("axes", "has an unknown axis: '" + name + "'" +
                                           config::suggestion(name, names));
        points = sweep::combine(points, axis->second);
    }
    const bool shares_prefill = reader.boolean("shared_prefill");
    reader.finish();
    const fs::path file = finder.scenario(scenario, scenario_node->place);
    for (sweep::Point& point : points)
        if (!plan.runs
                 .try_emplace(point.name,
                              RunSpec{entry.key, file, std::move(point.overrides), shares_prefill})
                 .second)
            throw Error(entry.place,
                        "'runs." + point.name + "' was defined before; expected each name once");
}

/// Checks that expressions only name runs and figures that exist.
class NameCheck {
public:
    explicit NameCheck(const Plan& plan)
        : plan_(plan), figures_(names_of(plan.figures)), runs_(keys_of(plan.runs)),
          ids_(ids_of(plan.published))
    {
    }

    void sum(const config::Place& place, const sweep::Expression& sum) const
    {
        sweep::each_figure(sum, [&](const std::string& column, const std::string& point) {
            check_name(place, "figure", column, figures_);
            check_name(place, "run", point, runs_);
        });
    }

    void row(const Row& row) const
    {
        for (const auto& part : row.parts)
            for (const sweep::Expression& one : part)
                sum(row.place, one);
        if (!row.is_own())
            return numbers(row);
        if (!row.derived)
            return;
        sweep::each_figure(*row.derived, [&](const std::string& column, const std::string& id) {
            check_name(row.place, "column", column, {"published"});
            check_name(row.place, "published row", id, ids_);
            if (find_published(plan_, id)->numbers.size() != 1)
                throw Error(row.place,
                            "'" + id +
                                "' does not have exactly one number; expected a row with one");
        });
    }

private:
    void numbers(const Row& row) const
    {
        check_name(row.place, "published row", row.id, ids_);
        const std::size_t published = find_published(plan_, row.id)->numbers.size();
        if (published > 1 && !row.parts.empty() && row.parts.size() != published)
            throw Error(row.place, "'" + row.id + "' has " + std::to_string(row.parts.size()) +
                                       " expressions; expected one for each of the " +
                                       std::to_string(published) + " published numbers");
    }

    const Plan& plan_;
    std::vector<std::string> figures_, runs_, ids_;
};

void sort_rows(Plan& plan)
{
    const std::vector<std::string> ids = ids_of(plan.published);
    const auto rank = [&](const Row& row) { return std::find(ids.begin(), ids.end(), row.id); };
    std::stable_sort(plan.rows.begin(), plan.rows.end(),
                     [&](const Row& a, const Row& b) { return rank(a) < rank(b); });
}

void check_rows(const Plan& plan)
{
    const NameCheck check(plan);
    std::vector<std::string> ids;
    for (const Row& row : plan.rows)
        ids.push_back(row.id);
    for (const Row& row : plan.rows) {
        check.row(row);
        if (!row.relative_to.empty())
            check_name(row.place, "row", row.relative_to, ids);
        if (!row.expect_in.empty())
            check_name(row.place, "variant", row.expect_in, names_of(plan.variants));
        if (!row.under.empty())
            check_name(row.place, "variant", row.under, names_of(plan.variants));
        if (row.expect_relative && row.relative_to.empty())
            throw Error(row.place, "'" + row.id +
                                       "' has 'expect_relative' without 'relative_to'; expected "
                                       "both or neither");
    }
}

} // namespace

const Published* find_published(const Plan& plan, const std::string& id)
{
    for (const Published& row : plan.published)
        if (row.id == id)
            return &row;
    return nullptr;
}

Plan read_plan(const fs::path& folder, const config::FileFinder& finder)
{
    Plan plan;
    plan.published = read_published(folder / "published.csv");
    const Sections sections(folder / "reproduce");
    Axes axes;
    sections.each("axes", [&](const Node::Entry& entry) {
        axes[entry.key] = sweep::read_points(entry.value, "axes." + entry.key);
    });
    sections.each("figures", [&](const Node::Entry& entry) {
        plan.figures.push_back(sweep::read_column(entry, "figures"));
    });
    sections.each("runs", [&](const Node::Entry& entry) { read_runs(entry, axes, finder, plan); });
    sections.each("variants", [&](const Node::Entry& entry) {
        plan.variants.push_back(read_variant(entry, plan));
    });
    sections.each("rows",
                  [&](const Node::Entry& entry) { plan.rows.push_back(read_row(entry, axes)); });
    check_rows(plan);
    sort_rows(plan);
    const NameCheck check(plan);
    sections.each("plots", [&](const Node::Entry& entry) {
        plan.plots.push_back(read_plot(entry, axes));
        for (const Plot::Line& line : plan.plots.back().lines)
            for (const sweep::Expression& sum : line.values)
                check.sum(entry.place, sum);
    });
    sections.each("errors", [&](const Node::Entry& entry) {
        plan.errors.push_back(read_errors(entry, plan));
    });
    sections.each("constants", [&](const Node::Entry& entry) {
        plan.constants.push_back(read_constant(entry, plan));
    });
    sections.each("goals",
                  [&](const Node::Entry& entry) { plan.goals.push_back(read_goal(entry)); });
    return plan;
}

} // namespace levee::reproduce
