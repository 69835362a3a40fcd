// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/plan.hpp"

#include "platform/input/rtl/description.hpp"
#include "platform/input/rtl/module_sources.hpp"
#include "platform/input/shipped/shipped.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/studies/run/program.hpp"
#include "platform/studies/sweep/content_hash.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace levee::sweep {

namespace fs = std::filesystem;

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
        plan.programs.assign(programs_.begin(), programs_.end());
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
            note_plugins(plan_system_of(scenario));
            content = content_of(scenario);
            own_seed = scenario.seed;
            for (const auto* list : {&scenario.system.memories, &scenario.system.blocks})
                for (const config::Component& component : *list)
                    components_.insert(component.name);
        } catch (const std::runtime_error& error) {
            run.error = error.what();
        }
        const auto add = [&](std::uint64_t seed) {
            if (run.error.empty())
                run.key = content_hash(content + "\nseed " + std::to_string(seed));
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

    /// Text of what results follow from, but for the seed.
    std::string content_of(const config::Scenario& scenario)
    {
        std::string content = "levee " + files_.of("/proc/self/exe") + "\n";
        for (const fs::path& file : scenario.files)
            content += "file " + files_.of(file) + "\n";
        for (const config::ComponentLibrary& library : scenario.system.libraries)
            for (const fs::path& file : files_of(library))
                content += "library " + files_.of(file) + "\n";
        if (scenario.workload) {
            const fs::path program = program_file(*scenario.workload);
            std::error_code ignored;
            if (fs::is_regular_file(program, ignored)) { // else the run says what there is
                content += "program " + files_.of(program) + "\n";
                programs_.insert(program.string());
            }
        }
        for (const auto* list : {&scenario.system.memories, &scenario.system.blocks})
            for (const config::Component& component : *list)
                content += content_of_rtl(component.node);
        return content + config::to_json(scenario.resolved).dump();
    }

    /// Content of the RTL that a component runs: the tree's, which is in modules and not in the
    /// program, or, if its `rtl` is a map, the user's.
    std::string content_of_rtl(const config::Node& component)
    {
        std::string content;
        const config::Node* const implementation = component.find("impl");
        if (implementation != nullptr && implementation->scalar != "tlm")
            content += "modules " + content_of_modules() + "\n";
        const config::Node* const rtl = component.find("rtl");
        if (rtl == nullptr || !rtl->is_map())
            return content;
        const own_rtl::Description description = own_rtl::read_description(*rtl);
        for (const fs::path& file : description.files)
            content += "rtl " + files_.of(file) + "\n";
        for (const auto& [name, file] : included_.of(description))
            content += "rtl " + name + " " + files_.of(file) + "\n";
        return content;
    }

    const std::string& content_of_modules()
    {
        if (modules_.empty()) {
            std::string content;
            for (const fs::path& file : own_rtl::module_sources(shipped().sources))
                content += files_.of(file) + "\n";
            modules_ = content_hash(content);
        }
        return modules_;
    }

    const Study& study_;
    const config::ScenarioSource& source_;
    FileHashes files_;
    std::string modules_;
    own_rtl::IncludedFiles included_;
    std::set<std::string> components_, plugged_, programs_;
    std::size_t planned_ = 0; // points
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
