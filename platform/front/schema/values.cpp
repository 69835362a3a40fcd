// SPDX-License-Identifier: Apache-2.0
#include "platform/front/schema/values.hpp"

#include "platform/front/schema/texts.hpp"
#include "platform/input/config/compose.hpp"

#include <algorithm>

namespace levee::schema {

namespace {

using config::Dimension;
using config::Key;

/// Returns an unquoted word of YAML as a JSON value.
Json plain(const std::string& word)
{
    if (word == "true" || word == "false")
        return word == "true";
    return word;
}

Json words_of(const Key& key)
{
    Json words = Json::array();
    for (const config::Word& word : key.words)
        words.push_back(plain(word.text));
    return {{"enum", words}};
}

/// Returns the schema of a text. Without a pattern, it also permits numbers and booleans, since a
/// YAML file may omit the quotes.
Json text_of(const Key& key)
{
    if (key.pattern != nullptr)
        return {{"type", "string"}, {"pattern", key.pattern}};
    Json schema{{"type", Json::array({"string", "number", "boolean"})}};
    if ((key.never_empty && key.kind == Key::Kind::Text) || key.no_empty_items)
        schema["minLength"] = 1;
    return schema;
}

Json count_of(const Key& key)
{
    return {{"type", "integer"}, {"minimum", key.limits.least}, {"maximum", key.limits.most}};
}

/// Returns the schema of "<number> <unit>", as config::parse_quantity reads it. Zero needs no unit.
Json quantity_of(const Key& key)
{
    if (key.dimension == Dimension::Count)
        return count_of(key);
    std::string units;
    for (const std::string_view unit : config::unit_names(key.dimension))
        units += (units.empty() ? "" : "|") + std::string(unit);
    const bool may_be_zero = config::bounds_of(key.limits, key.dimension).least == 0;
    const std::string above_zero = may_be_zero ? "" : "(?=[0.]*[1-9])";
    Json schema{{"type", "string"},
                {"pattern", "^ *" + above_zero +
                                "([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][-+]?[0-9]+)? *(" + units +
                                ") *$"}};
    if (may_be_zero)
        return {{"anyOf", Json::array({std::move(schema), {{"const", 0}}})}};
    return schema;
}

/// Returns the JSON value that a key has if the YAML file contains `text`.
Json json_of(const Key& key, const std::string& text)
{
    const bool is_count = key.kind == Key::Kind::Quantity && key.dimension == Dimension::Count;
    if (key.kind == Key::Kind::Boolean || key.kind == Key::Kind::Word)
        return plain(text);
    if (is_count || key.kind == Key::Kind::Real)
        return Json::parse(text);
    return text;
}

/// Returns a schema that requires at least one of these keys. `other` may be null.
Json any_of_keys(const char* key, const char* other)
{
    const auto has = [](const char* name) { return Json{{"required", Json::array({name})}}; };
    return other == nullptr ? has(key) : Json{{"anyOf", Json::array({has(key), has(other)})}};
}

/// Returns a schema for a key that replaces the map's required keys (Key::alone). The schema
/// requires the key, with a value other than its default.
Json given_alone(const Key& key)
{
    Json schema = any_of_keys(key.name, nullptr);
    if (key.otherwise != nullptr)
        schema["properties"][key.name] = {{"not", {{"const", json_of(key, key.otherwise)}}}};
    return schema;
}

/// Returns a schema that requires a key under the key's condition (Key::needed).
Json case_of(const Key& key, std::span<const Key> keys)
{
    const config::Needed& needed = key.needed;
    Json then = any_of_keys(key.name, needed.in_place);
    if (needed.with == nullptr)
        return then;
    const Key& with = *config::find_key(keys, needed.with);
    Json values = Json::array();
    for (const char* value : needed.values)
        values.push_back(json_of(with, value));
    Json value = values.empty() ? Json(true) : Json{{"enum", std::move(values)}};
    if (needed.other_values && !needed.values.empty())
        value = {{"not", std::move(value)}};
    Json condition{{"properties", {{needed.with, std::move(value)}}}};
    if (with.otherwise == nullptr || !needed.holds(with.otherwise))
        condition["required"] = Json::array({needed.with});
    return {{"if", std::move(condition)}, {"then", std::move(then)}};
}

Json base_schema()
{
    return {{"type", "string"}, {"description", "A file with a map that these keys override."}};
}

} // namespace

Json required(std::span<const Key> keys)
{
    Json needed = Json::array(), ways = Json::array();
    for (const Key& key : keys)
        if (key.is_required())
            needed.push_back(key.name);
    ways.push_back({{"required", needed}});
    for (const Key& key : keys)
        if (key.stands_alone)
            ways.push_back(given_alone(key));
    Json schema = ways.size() == 1 ? ways[0] : Json{{"anyOf", ways}};
    for (const Key& key : keys)
        if (key.needed.is_stated())
            schema["allOf"].push_back(case_of(key, keys));
    return schema;
}

Json reference(const std::string& definition)
{
    return {{"$ref", "#/$defs/" + definition}};
}

Json or_null(Json value)
{
    if (value.contains("enum"))
        value["enum"].push_back(nullptr);
    else if (value.contains("anyOf"))
        value["anyOf"].push_back({{"type", "null"}});
    else if (value["type"].is_array())
        value["type"].push_back("null");
    else
        value["type"] = Json::array({value["type"], "null"});
    return value;
}

Json Values::or_part(Json value, bool file) const
{
    if (!parts_ || value.empty())
        return value;
    if (!file)
        return or_null(std::move(value));
    const Json its_name{{"type", "string"}, {"description", "A file that contains the value."}};
    return or_null({{"anyOf", Json::array({std::move(value), its_name})}});
}

const std::string* Values::definition_of(const std::string& path) const
{
    const auto found = std::ranges::find(references_, path, &References::value_type::first);
    return found != references_.end() ? &found->second : nullptr;
}

Json Values::map(std::span<const Key> keys, const std::string& path) const
{
    Json properties = Json::object();
    Json others = false;
    if (parts_)
        properties[config::base_key] = base_schema();
    for (const Key& key : keys)
        if (key.name == config::any_name)
            others = described(key, path);
        else
            properties[key.name] = described(key, path);
    Json schema{{"type", "object"},
                {"properties", std::move(properties)},
                {"additionalProperties", std::move(others)}};
    if (!parts_)
        schema.update(required(keys));
    return schema;
}

Json Values::one_of(std::span<const Key> forms, const std::string& path) const
{
    if (forms.empty())
        return Json::object();
    if (forms.size() == 1)
        return value(forms[0], path);
    Json schemas = Json::array();
    for (const Key& form : forms)
        schemas.push_back(value(form, path));
    return {{"anyOf", std::move(schemas)}};
}

Json Values::row(const Key& key, const std::string& path) const
{
    Json columns = Json::array();
    for (const Key& column : key.keys)
        columns.push_back(value(column, path));
    const std::size_t count = columns.size();
    return {{"type", "array"},
            {"prefixItems", std::move(columns)},
            {"items", false},
            {"minItems", count}};
}

Json Values::value(const Key& key, const std::string& path) const
{
    const auto list_of = [&key](Json item) {
        Json list{{"type", "array"}, {"items", std::move(item)}};
        if (key.never_empty)
            list["minItems"] = 1;
        return list;
    };
    const auto named = [this, &key](Json map) {
        Json all{{"type", "object"}, {"additionalProperties", or_part(std::move(map), false)}};
        if (parts_)
            all["properties"][config::base_key] = base_schema();
        else if (key.never_empty)
            all["minProperties"] = 1;
        return all;
    };
    const auto own_map = [&] {
        Json schema = map(key.keys, path);
        if (key.never_empty && !parts_)
            schema["minProperties"] = 1;
        return schema;
    };
    switch (key.kind) {
    case Key::Kind::Boolean:
        return {{"type", "boolean"}};
    case Key::Kind::Quantity:
    case Key::Kind::Pages:
        return quantity_of(key);
    case Key::Kind::Real:
        return {{"type", "number"}, {"minimum", key.least}, {"maximum", key.most}};
    case Key::Kind::Word:
        return words_of(key);
    case Key::Kind::Text:
        return text_of(key);
    case Key::Kind::Texts:
        return list_of(key.words.empty() ? text_of(key) : words_of(key));
    case Key::Kind::Row:
        return row(key, path);
    case Key::Kind::List:
        return list_of(definition_of(path) != nullptr
                           ? or_part(reference(*definition_of(path)), true)
                           : one_of(key.keys, path));
    case Key::Kind::Map:
        return own_map();
    case Key::Kind::Maps:
        return list_of(own_map());
    case Key::Kind::Named:
        return named(map(key.keys, path + "." + some_name));
    case Key::Kind::Any:
        return one_of(key.keys, path);
    }
    return Json::object();
}

Json Values::described(const Key& key, const std::string& path) const
{
    const std::string full = path_in(path, key);
    Json schema{{"title", full}, {"description", description_of(key)}};
    if (key.otherwise != nullptr)
        schema["default"] = json_of(key, key.otherwise);
    if (const std::string* const definition = definition_of(full);
        definition != nullptr && key.kind != Key::Kind::List)
        schema.update(or_part(reference(*definition), true));
    else
        schema.update(
            or_part(value(key, full), (key.kind == Key::Kind::Map || key.kind == Key::Kind::Maps) &&
                                          config::may_name_a_file(key.name)));
    return schema;
}

} // namespace levee::schema
