// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/reproduce.hpp"

#include "platform/input/config/scenario.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/studies/reproduce/page_data.hpp"
#include "platform/studies/reproduce/report.hpp"
#include "platform/studies/reproduce/runs.hpp"
#include "platform/studies/sweep/run_content.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace levee::reproduce {

namespace {

namespace fs = std::filesystem;

/// Returns the names of the folders in scenarios/ that reproduce a paper.
std::vector<std::string> papers(const fs::path& scenarios)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(scenarios, ignored))
        if (fs::is_directory(entry.path() / "reproduce"))
            names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

fs::path find_paper(const std::string& name, const fs::path& scenarios)
{
    const std::vector<std::string> names = papers(scenarios);
    if (std::find(names.begin(), names.end(), name) != names.end())
        return scenarios / name;
    if (fs::is_directory(fs::path(name) / "reproduce"))
        return name;
    throw config::Error("no paper '" + name + "'" + config::suggestion(name, names));
}

struct Choice {
    std::vector<const Row*> rows;
    std::vector<const Plot*> plots;
};

/// Adds the rows and plots that one name in --only selects. Returns false if there are none.
bool choose_one(const Plan& plan, const std::string& name, Choice& choice)
{
    const auto add_row = [&](const std::string& id) {
        for (const Row& row : plan.rows)
            if (row.id == id &&
                std::find(choice.rows.begin(), choice.rows.end(), &row) == choice.rows.end()) {
                choice.rows.push_back(&row);
                return &row;
            }
        return static_cast<const Row*>(nullptr);
    };
    for (const Plot& plot : plan.plots)
        if (plot.name == name) {
            choice.plots.push_back(&plot);
            return true;
        }
    const bool known = std::any_of(plan.rows.begin(), plan.rows.end(),
                                   [&](const Row& row) { return row.id == name; });
    const Row* row = known ? add_row(name) : nullptr;
    if (row != nullptr && !row->relative_to.empty())
        add_row(row->relative_to);
    return known;
}

Choice choose(const Plan& plan, const std::vector<std::string>& only)
{
    Choice choice;
    std::vector<std::string> names;
    for (const Row& row : plan.rows)
        names.push_back(row.id);
    for (const Plot& plot : plan.plots)
        names.push_back(plot.name);
    for (const std::string& name : only.empty() ? names : only)
        if (!choose_one(plan, name, choice)) {
            if (find_published(plan, name) != nullptr)
                throw config::Error("--only: the row '" + name + "' has no simulated number");
            throw config::Error("--only: no row or plot '" + name + "'" +
                                config::suggestion(name, names));
        }
    std::sort(choice.rows.begin(), choice.rows.end()); // restores the order of the plan
    return choice;
}

/// A run of the plan or of a variant.
struct Planned {
    std::string name;
    const Variant* variant; ///< null: a run of the plan
    std::size_t run;        ///< index in runs_; equal runs share an index
};

class Reproduction {
public:
    Reproduction(const Plan& plan, const Choice& choice, const config::FileFinder& finder,
                 const fs::path& out)
        : plan_(plan), sources_(finder), out_(out)
    {
        const std::set<std::string> plain = runs_of(choice.rows, choice.plots);
        for (const std::string& name : plain)
            add(name, nullptr, out / "runs" / name);
    }

    /// Adds the runs that the rows need and that variants change.
    void add_variants(const Choice& choice, const fs::path& out)
    {
        for (const Variant& variant : plan_.variants)
            for (const std::string& name : runs_of(choice.rows, {}))
                if (!variant.overrides(name, plan_.runs.at(name)).empty())
                    add(name, &variant, out / "variants" / variant.name / name);
    }

    /// Throws for input that cannot be used, before anything runs. Runs whose resolved scenarios
    /// are equal are merged and use the folder of the first. Also finds the runs that share a
    /// prefill.
    void check()
    {
        std::map<std::string, std::size_t> known;
        std::vector<Run> different;
        std::vector<std::size_t> where;
        for (Run& run : runs_) {
            sources_.add(run.scenario);
            const config::Scenario scenario = sources_.of(run.scenario).load(run.overrides, {});
            run.key = sweep::run_key(contents_.of(scenario), scenario.seed);
            auto resolved = config::to_json(scenario.resolved);
            const std::string content = run.scenario.string() + '\n' + resolved.dump();
            if (scenario.sampling)
                resolved["sampling"].erase("lengths");
            if (scenario.sampling && run.shares_prefill)
                resolved["workload"].erase("max_new_tokens");
            run.prefill = run.scenario.string() + '\n' + resolved.dump();
            const auto [same, is_new] = known.emplace(content, different.size());
            where.push_back(same->second);
            if (is_new)
                different.push_back(std::move(run));
        }
        runs_ = std::move(different);
        for (Planned& planned : planned_)
            planned.run = where[planned.run];
    }

    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

    /// Executes the runs, and returns the messages of those that failed.
    std::vector<std::string> execute(const Request& request, sweep::FolderLock& lock)
    {
        std::vector<std::string> messages;
        std::set<std::size_t> failed;
        for (const Failure& failure : reproduce::execute(runs_, sources_,
                                                         {.out = out_,
                                                         .jobs = request.jobs,
                                                         .allow_outside = request.allow_outside,
                                                         .quiet = request.quiet,
                                                         .resume = request.resume,
                                                         .lock = &lock})) {
            messages.push_back(failure.message);
            failed.insert(failure.run);
        }
        for (const Planned& planned : planned_)
            if (!failed.contains(planned.run))
                results_[planned.variant][planned.name] = read_metrics(runs_[planned.run]);
        return messages;
    }

    [[nodiscard]] Metrics metrics() const { return of(nullptr); }

    /// Returns the variant's results. Runs that it does not change have the default's results.
    [[nodiscard]] Metrics metrics(const Variant& variant) const
    {
        Metrics all = of(nullptr);
        for (const Planned& planned : planned_)
            if (planned.variant == &variant)
                all.erase(planned.name);
        all.merge(of(&variant));
        return all;
    }

    [[nodiscard]] std::size_t size() const { return runs_.size(); }

private:
    /// Plans a run, or reuses one that was planned with the same settings.
    void add(const std::string& name, const Variant* variant, const fs::path& folder)
    {
        const RunSpec& spec = plan_.runs.at(name);
        Run run{name, spec.scenario, spec.overrides, folder, spec.shares_prefill, {}, {}};
        if (variant != nullptr) {
            run.title += ", " + variant->name;
            const std::vector<std::string> more = variant->overrides(name, spec);
            run.overrides.insert(run.overrides.end(), more.begin(), more.end());
        }
        const auto same = std::find_if(runs_.begin(), runs_.end(), [&](const Run& other) {
            return other.scenario == run.scenario && other.overrides == run.overrides;
        });
        planned_.push_back({name, variant, static_cast<std::size_t>(same - runs_.begin())});
        if (same == runs_.end())
            runs_.push_back(std::move(run));
    }

    [[nodiscard]] Metrics of(const Variant* variant) const
    {
        const auto found = results_.find(variant);
        return found == results_.end() ? Metrics{} : found->second;
    }

    const Plan& plan_;
    Sources sources_;
    fs::path out_;
    sweep::RunContent contents_;
    std::vector<Run> runs_;
    std::vector<Planned> planned_;
    std::map<const Variant*, Metrics> results_;
};

/// Returns the lines of a text, without leading spaces and without the heading.
std::vector<std::string> lines_in(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with(' '))
            lines.push_back(line.substr(line.find_first_not_of(' ')));
    return lines;
}

void write(const OutputFolder& folder, const Plan& plan, const Choice& choice,
           const std::vector<Comparison>& lines, const Metrics& metrics, const PageFrame& frame)
{
    const Predictions predictions = hold_out(plan, lines);
    folder.write("comparison.csv", comparison_csv(lines, predictions));
    if (!plan.constants.empty())
        folder.write("constants.csv", constants_csv(held_out_errors(plan, lines)));
    folder.write("variants.csv", variants_csv(plan, lines));
    const std::vector<GroupError> errors = errors_of(plan, lines);
    folder.write("errors.csv", errors_csv(plan, errors));
    folder.write("errors.md", errors_markdown(plan, errors));
    folder.write("table.md", table_markdown(plan, lines, predictions));
    write_page(folder.path() / "report.html", "reproduce", page_data(plan, lines, errors, frame));
    const Evaluator evaluator(plan, metrics, nullptr);
    const OutputFolder plots = folder.inner("plots");
    for (const Plot* plot : choice.plots)
        plots.write(plot->name + ".csv", plot_csv(*plot, evaluator));
}

/// Prints failures. Returns the exit code, which is 0 if there are none.
int print_outcome(const std::vector<Comparison>& lines, const std::vector<std::string>& failures,
                  std::size_t runs)
{
    std::fflush(stdout);
    for (const std::string& failure : failures)
        std::fprintf(stderr, "%s\n", failure.c_str());
    if (!failures.empty())
        std::fprintf(stderr, "%zu of %zu runs failed\n", failures.size(), runs);
    bool complete = failures.empty();
    for (const Comparison& line : lines) {
        if (!line.simulated.missing.empty())
            std::fprintf(stderr, "%s: no simulated number: %s\n", line.id.c_str(),
                         line.simulated.missing.c_str());
        if (line.holds == false)
            std::fprintf(stderr, "%s: outside the expected range: %s\n", line.id.c_str(),
                         line.expected.c_str());
        complete = complete && line.simulated.missing.empty() && line.holds.value_or(true);
    }
    return complete ? 0 : incomplete;
}

} // namespace

int run_reproduce(const Request& request)
{
    const config::FileFinder shipped(scenarios_folder(), config::reach(request.allow_outside));
    const fs::path paper = find_paper(request.paper, shipped.scenarios());
    const config::FileFinder finder = shipped.within(paper);
    const Plan plan = read_plan(paper, finder);
    const Choice choice = choose(plan, request.only);
    const fs::path out = fs::absolute(
        request.out.value_or(fs::path("out") / "reproduce" / fs::absolute(paper).filename()));
    Reproduction reproduction(plan, choice, finder, out);
    if (!request.no_variants)
        reproduction.add_variants(choice, out);
    reproduction.check();
    const OutputFolder folder(out);
    sweep::FolderLock lock(out, "lock");
    const std::vector<std::string> failures = reproduction.execute(request, lock);
    std::vector<Metrics> variants;
    if (!request.no_variants)
        for (const Variant& variant : plan.variants)
            variants.push_back(reproduction.metrics(variant));
    const Metrics metrics = reproduction.metrics();
    const std::vector<Comparison> lines = compare(plan, choice.rows, metrics, variants);
    const std::string warnings = warnings_text(reproduction.runs());
    folder.write("warnings.txt", warnings);
    write(folder, plan, choice, lines, metrics,
          {fs::absolute(paper).filename().string(), failures, lines_in(warnings)});
    const std::vector<HeldOutErrors> errors = held_out_errors(plan, lines);
    if (!request.quiet)
        std::printf("%s\n%s%s%s%s\n", table_text(lines, hold_out(plan, lines)).c_str(),
                    constants_text(errors).c_str(), goals_text(plan, errors).c_str(),
                    warnings.c_str(), (out / "comparison.csv").c_str());
    return print_outcome(lines, failures, reproduction.size());
}

} // namespace levee::reproduce
