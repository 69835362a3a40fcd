// SPDX-License-Identifier: Apache-2.0
#include "platform/front/schema/schema.hpp"

#include "platform/front/schema/components.hpp"
#include "platform/front/schema/values.hpp"
#include "platform/input/config/scenario_keys.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"
#include "platform/studies/sweep/study_keys.hpp"

namespace levee::schema {

namespace {

/// The schema of a whole file.
Json document(const std::string& title, const std::string& description, const Json& schema)
{
    Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", title},
               {"description", description}};
    whole.update(schema);
    return whole;
}

} // namespace

Json scenario(bool complete)
{
    const Values values(!complete);
    Json schema = values.map(config::scenario_keys(), "");
    Json system = values.map(config::system_keys, "system");
    add_components(system);
    const Json reference{{"$ref", "#/$defs/system"}};
    Json& property = schema["properties"]["system"];
    Json described{{"title", property["title"]}, {"description", property["description"]}};
    described.update(values.or_part(reference, "system"));
    property = std::move(described);
    Json definitions{{"system", std::move(system)}};
    definitions["shape"] = values.map(config::shape_keys, "model.shape");
    definitions.update(component_definitions(values));
    schema["$defs"] = std::move(definitions);
    return document(complete ? "A Levee scenario, resolved" : "A Levee scenario",
                    "A system, a model, the work, and the observations (docs/scenarios.md).",
                    schema);
}

Json study()
{
    return document("A Levee study", "A scenario at many points (docs/sweeps.md).",
                    Values(false).map(sweep::study_keys, ""));
}

Json exploration()
{
    Json schema = Values(false).map(sweep::study_keys, "");
    for (const char* const key : {"axes", "objectives", "explore"})
        schema["required"].push_back(key);
    schema["properties"]["sample"] = false;
    return document("A Levee exploration",
                    "A study whose points an optimiser proposes (docs/sweeps.md).", schema);
}

Json reproduction()
{
    return document("A Levee reproduction",
                    "How a paper's evaluation is simulated and compared (docs/reproduce.md).",
                    Values(false).map(reproduce::reproduction_keys, ""));
}

} // namespace levee::schema
