// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/plan.hpp"

#include "platform/machine/assembly/plan.hpp"
#include "platform/run/save_place.hpp"
#include "platform/studies/sweep/run_content.hpp"

#include <algorithm>
#include <set>

namespace levee::sweep {

class Planner::State {
public:
    State(const Study& study, const config::ScenarioSource& source) : study_(study), source_(source)
    {
    }

    void extend(Plan& plan)
    {
        for (; planned_ < study_.points.size(); ++planned_)
            add_point(planned_, plan.runs);
        plan.components.assign(components_.begin(), components_.end());
        plan.plugged.assign(plugged_.begin(), plugged_.end());
        plan.programs.assign(content_.programs().begin(), content_.programs().end());
        plan.files = content_.files();
        plan.files.insert(plan.files.end(), sources_.begin(), sources_.end());
    }

private:
    void add_point(std::size_t point, std::vector<PlannedRun>& runs)
    {
        PlannedRun run;
        run.point = point;
        std::uint64_t own_seed = 0;
        std::string content;
        try {
            const config::Scenario scenario = source_.load(study_.points[point].overrides, {});
            const SystemPlan system = plan_system_of(scenario);
            check_save(system, scenario);
            note_plugins(system);
            sources_.insert(scenario.sources.begin(), scenario.sources.end());
            content = content_.of(scenario);
            own_seed = scenario.seed;
            for (const auto* list : {&scenario.system.memories, &scenario.system.blocks})
                for (const config::Component& component : *list)
                    components_.insert(component.name);
        } catch (const std::runtime_error& error) {
            run.error = study_.origins.placed(error.what(), study_.points[point].overrides);
        }
        const auto add = [&](std::uint64_t seed) {
            if (run.error.empty())
                run.key = run_key(content, seed);
            runs.push_back(run);
        };
        if (study_.seeds.empty())
            add(own_seed);
        for (const std::uint64_t seed : study_.seeds) {
            run.seed = seed;
            add(seed);
        }
    }

    void note_plugins(const SystemPlan& system)
    {
        const std::vector<ComponentType>& own = component_types();
        for (const PlannedComponent& component : system.components)
            if (std::none_of(own.begin(), own.end(), [&](const ComponentType& type) {
                    return type.declaration == component.type->declaration;
                }))
                plugged_.insert(component.name);
    }

    const Study& study_;
    const config::ScenarioSource& source_;
    RunContent content_;
    std::set<std::string> components_, plugged_;
    std::set<std::filesystem::path> sources_; ///< scenarios and the files that these include
    std::size_t planned_ = 0;
};

Planner::Planner(const Study& study, const config::ScenarioSource& source)
    : state_(std::make_unique<State>(study, source))
{
}

Planner::~Planner() = default;

void Planner::extend(Plan& plan)
{
    state_->extend(plan);
}

Plan make_plan(const Study& study, const config::ScenarioSource& source)
{
    Plan plan;
    Planner(study, source).extend(plan);
    for (const PlannedRun& run : plan.runs)
        if (run.error.empty())
            return plan;
    throw config::Error(plan.runs.front().error);
}

} // namespace levee::sweep
