// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/intake/intake.hpp"

#include "core/config/reader.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/input/config/model.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/kept_image.hpp"
#include "platform/input/workload/model.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/report/si.hpp"
#include "platform/observe/report/versions.hpp"

#include <optional>

namespace levee {

namespace {

/// Paths on the command line are unrestricted.
config::FileFinder anywhere()
{
    return config::FileFinder(scenarios_folder(), config::reach(true));
}

config::Scenario scenario_for(const IntakeRequest& request)
{
    const std::string system = request.system.value_or("systems/" + request.component + ".yaml");
    std::vector<std::string> overrides{"system={extends: " + system + "}"};
    overrides.insert(overrides.end(), request.overrides.begin(), request.overrides.end());
    return config::load_scenario({shipped_scenario("app"), overrides, std::nullopt}, anywhere());
}

const PlannedComponent& component_in(const SystemPlan& plan, const IntakeRequest& request)
{
    std::vector<std::string> known;
    for (const PlannedComponent& component : plan.components) {
        if (component.plan.take_in && component.name == request.component)
            return component;
        if (component.plan.take_in)
            known.push_back(component.name);
    }
    throw config::Error("--to: '" + plan.config.name + "' has no component '" + request.component +
                        "' that stores a model's matrices" +
                        (known.empty() ? ", and no other component stores them"
                                       : config::suggestion(request.component, known)));
}

/// Lines with a name and a value.
class Lines {
public:
    void add(const std::string& name, const std::string& value)
    {
        constexpr std::size_t width = 12;
        text_ +=
            "  " + name + std::string(width - std::min(width - 1, name.size()), ' ') + value + "\n";
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

void add_energy(const config::Scenario& scenario, const SystemPlan& plan,
                const PlannedComponent& component, const Intake& intake, Lines& lines)
{
    for (const energy::PriceList& list : energy::read_price_lists(scenario, plan))
        for (const energy::Consumer& consumer : energy::consumers_of(plan)) {
            if (consumer.name != component.name)
                continue;
            energy::Attojoules sum = 0;
            for (const CountedEvent& event : intake.events)
                sum += list.rate(consumer, event.event->name).of(event.count);
            lines.add("energy", si(energy::joules(sum), "J") + " by " + list.name());
        }
}

} // namespace

ModelImage model_of_shape(const std::string& shape)
{
    const bool is_name = shape.find('/') == std::string::npos && !shape.ends_with(".yaml") &&
                         !shape.ends_with(".json") && !std::filesystem::is_directory(shape);
    std::string file = is_name ? "models/" + shape + ".yaml" : shape;
    for (std::size_t at = file.find('\''); at != std::string::npos; at = file.find('\'', at + 2))
        file.insert(at, 1, '\''); // YAML writes a quote twice
    const config::FileFinder finder = anywhere();
    const config::Node scenario = config::compose(finder.scenario(shipped_scenario("app")), finder,
                                                  {"model={shape: '" + file + "'}"});
    config::MapReader reader(scenario, "");
    return open_model(config::read_model(*reader.raw("model", true), finder, DataMode::TimingOnly));
}

std::string take_in(const ModelImage& model, const IntakeRequest& request)
{
    const config::Scenario scenario = scenario_for(request);
    const SystemPlan plan = plan_system(scenario.system);
    const PlannedComponent& component = component_in(plan, request);
    std::optional<OutputFile> file;
    RawSink sink;
    if (request.pages) {
        if (!model.has_data())
            throw std::runtime_error("--pages: '" + model.name() +
                                     "' is a shape without weights, so there are no pages to "
                                     "write; expected a model image");
        file.emplace(*request.pages);
        sink = [&file](std::span<const std::uint8_t> bytes) { file->append(bytes); };
    }
    const std::vector<ModelMatrix> matrices = layer_matrices(model);
    const Intake intake = component.plan.take_in(matrices, sink);
    if (file)
        file->commit();
    Lines lines;
    for (const auto& [name, value] : intake.facts)
        lines.add(name, value);
    for (const auto& [name, time] : intake.times)
        lines.add(name, si(static_cast<double>(time) * 1e-12, "s"));
    add_energy(scenario, plan, component, intake, lines);
    return component.name + " of '" + plan.config.name + "': " + std::to_string(matrices.size()) +
           " matrices of '" + model.name() + "'\n" + lines.text();
}

} // namespace levee
