// SPDX-License-Identifier: Apache-2.0
#include "platform/front/schema/components.hpp"

#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "platform/input/config/system_keys.hpp"

namespace levee::schema {

namespace {

std::string definition_of(const ComponentType& type)
{
    return "type_" + type.name();
}

/// Returns the schema of a component type. A type without declared keys accepts any key, since only
/// its reader knows its keys.
Json type_schema(const ComponentType& type, const Values& values)
{
    const std::span<const config::Key> keys = keys_of(*type.declaration);
    Json schema = keys.empty() ? Json{{"type", "object"}} : values.map(keys, type.name());
    schema["title"] = type.name();
    return schema;
}

/// Returns the schema of a component, which depends on its key `type`.
Json typed(bool stores, bool any_type)
{
    Json names = Json::array(), choices = Json::array();
    for (const ComponentType& type : component_types()) {
        if (type.declaration->stores != stores)
            continue;
        names.push_back(type.name());
        choices.push_back({{"if", {{"properties", {{"type", {{"const", type.name()}}}}}}},
                           {"then", reference(definition_of(type))}});
    }
    Json type{{"description", "Type of the component."}};
    type.update(any_type ? Json{{"type", "string"}} : Json{{"enum", names}});
    return {{"type", "object"},
            {"required", Json::array({"type"})},
            {"properties", {{"type", std::move(type)}}},
            {"allOf", std::move(choices)}};
}

/// Returns the schema of a component without `type`, which changes keys of a component in a file
/// that `extends` names.
Json untyped(bool stores, bool any_type)
{
    if (any_type)
        return {{"type", "object"}};
    Json fitting = Json::array();
    for (const ComponentType& type : component_types())
        if (type.declaration->stores == stores)
            fitting.push_back(reference(definition_of(type)));
    return {{"anyOf", std::move(fitting)}};
}

Json map_of_components(bool stores, bool any_type, const Values& values)
{
    Json component = typed(stores, any_type);
    if (values.parts())
        component = {{"if", {{"type", "object"}, {"required", Json::array({"type"})}}},
                     {"then", std::move(component)},
                     {"else", or_null({{"anyOf", Json::array({untyped(stores, any_type)})}})}};
    Json map{{"type", "object"},
             {"propertyNames", {{"pattern", config::component_name_pattern}}},
             {"additionalProperties", std::move(component)}};
    if (values.parts())
        map["properties"] = {{"extends", {{"type", "string"}}}};
    return values.or_part(std::move(map), false);
}

} // namespace

Json component_definitions(const Values& values)
{
    Json definitions = Json::object();
    for (const ComponentType& type : component_types())
        definitions[definition_of(type)] = type_schema(type, values);
    for (const bool any_type : {false, true}) {
        const std::string prefix = any_type ? "any_" : "";
        definitions[prefix + config::memories_key.name] = map_of_components(true, any_type, values);
        definitions[prefix + config::blocks_key.name] = map_of_components(false, any_type, values);
    }
    return definitions;
}

void add_components(Json& system)
{
    Json own = Json::object(), any = Json::object();
    for (const config::Key* key : {&config::memories_key, &config::blocks_key}) {
        own[key->name] = reference(key->name);
        any[key->name] = reference("any_" + std::string(key->name));
    }
    system["if"] = {{"required", Json::array({"components"})}};
    system["then"] = {{"properties", std::move(any)}};
    system["else"] = {{"properties", std::move(own)}};
}

} // namespace levee::schema
