// SPDX-License-Identifier: Apache-2.0
#include "platform/front/schema/schema.hpp"

#include "platform/front/schema/components.hpp"
#include "platform/front/schema/texts.hpp"
#include "platform/front/schema/values.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/input/config/scenario_keys.hpp"
#include "platform/observe/decisions/statistics.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/energy/price_keys.hpp"
#include "platform/studies/faults/study_keys.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"
#include "platform/studies/sweep/study_keys.hpp"

namespace levee::schema {

namespace {

/// Returns the schema of a whole file.
Json document(const std::string& title, const std::string& description, const Json& schema)
{
    Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", title},
               {"description", description}};
    whole.update(schema);
    return whole;
}

/// Returns the schema of a price list, with the events and parameters of each built-in component
/// type; libraries may add types.
Json price_list_of(bool parts)
{
    const Values values(parts, {{"lists." + std::string(some_name), "price_list"}});
    Json list = values.map(energy::price_list_keys, "");
    for (const Declaration* type : energy::priced_types()) {
        list["properties"]["prices"]["properties"][type->type] = values.or_part(
            values.map(energy::price_keys_of(*type), "prices." + std::string(type->type)), false);
        list["properties"]["for"]["properties"][type->type] =
            values.described(energy::scope_key_of(*type), "for");
    }
    return list;
}

Json requires_key(const char* key)
{
    return {{"required", Json::array({key})}};
}

/// Returns a schema that forbids null, except inside a map with `extends`: there, null removes a
/// key of the extended map.
Json without_nulls()
{
    const Json inner = reference("without_nulls");
    return {{"not", {{"type", "null"}}},
            {"if", {{"not", requires_key(config::base_key)}}},
            {"then", {{"additionalProperties", inner}}},
            {"items", inner}};
}

/// Returns the schema of price lists that name only built-in component types.
Json own_types()
{
    Json names = Json::array({config::base_key});
    for (const Declaration* type : energy::priced_types())
        names.push_back(type->type);
    const Json map{{"propertyNames", {{"enum", std::move(names)}}}};
    const Json chip{{"properties", {{"percent", map}}}};
    return {{"properties",
             {{"prices", map},
              {"for", map},
              {"lists", map},
              {"chip_power", chip},
              {"chip_area", chip}}}};
}

/// Returns a rule for price lists: if the scenario contains its whole system and lists no
/// libraries, they may name only built-in component types.
Json own_types_without_libraries()
{
    Json system{
        {"type", "object"},
        {"not",
         {{"anyOf", Json::array({requires_key("components"), requires_key(config::base_key)})}}}};
    Json condition = requires_key("system");
    condition["properties"]["system"] = std::move(system);
    Json list = reference("own_types");
    Json tech{{"properties", {{"energy", list}, {"also", {{"items", list}}}}}};
    return {{"if", std::move(condition)}, {"then", {{"properties", {{"tech", std::move(tech)}}}}}};
}

Json statistics_of(const Values& values)
{
    return values.map(statistics_keys(), "");
}

} // namespace

Json scenario(bool complete)
{
    const Values values(!complete, {{"system", "system"},
                                    {"tech.energy", "price_list"},
                                    {"tech.also", "price_list"},
                                    {"decisions.statistics", "statistics"}});
    Json schema = values.map(config::scenario_keys(), "");
    Json system = values.map(config::system_keys, "system");
    add_components(system);
    Json definitions{{"system", std::move(system)},
                     {"shape", values.map(config::shape_keys, "model.shape")},
                     {"price_list", price_list_of(!complete)},
                     {"own_types", own_types()},
                     {"without_nulls", without_nulls()},
                     {"statistics", statistics_of(values)}};
    definitions.update(component_definitions(values));
    schema["allOf"].push_back(own_types_without_libraries());
    schema["allOf"].push_back(reference("without_nulls"));
    schema["$defs"] = std::move(definitions);
    return document(complete ? "A Levee scenario, resolved" : "A Levee scenario",
                    "A system, a model, the work, and the observations (docs/scenarios.md).",
                    schema);
}

Json price_list()
{
    Json schema = reference("price_list");
    schema["allOf"] = Json::array({reference("without_nulls")});
    schema["$defs"] = {{"price_list", price_list_of(true)}, {"without_nulls", without_nulls()}};
    return document("A Levee price list",
                    "Prices of events, powers and areas (docs/energy.md). Libraries of a system "
                    "may add types of components, so only the program can refuse a type's name.",
                    schema);
}

Json statistics()
{
    return document("Levee's statistics of decisions",
                    "Decisions of timing-only runs (docs/timing_only.md).",
                    statistics_of(Values(true)));
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

Json faults()
{
    return document("A Levee fault campaign", "A scenario with faults (docs/faults.md).",
                    Values(false).map(campaign::study_keys, ""));
}

Json reproduction()
{
    return document("A Levee reproduction",
                    "How a paper's evaluation is simulated and compared (docs/reproduce.md).",
                    Values(false).map(reproduce::reproduction_keys, ""));
}

} // namespace levee::schema
