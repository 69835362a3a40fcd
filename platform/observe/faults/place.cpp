// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/place.hpp"

#include "platform/observe/debug/machine_view.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cinttypes>

namespace levee::faults {

namespace {

using Json = nlohmann::json;

Json json_of(const Place& place)
{
    Json json{{"kind", named(place.kind).name}, {"name", place.name},
              {"bits", place.own_bits},         {"until", place.until},
              {"ranges", Json::array()},        {"pieces", Json::array()}};
    for (const BitRange& range : place.ranges)
        json["ranges"].push_back({range.address, range.bytes, range.mask});
    for (const Piece& piece : place.pieces)
        json["pieces"].push_back({piece.name, piece.first, piece.bits});
    return json;
}

Place place_of(const Json& json)
{
    Place place;
    const std::string kind = json.at("kind");
    place.kind = std::ranges::find(place_kinds, kind, &NamedKind::name)->kind;
    place.name = json.at("name");
    place.own_bits = json.at("bits");
    place.until = json.at("until");
    for (const Json& range : json.at("ranges"))
        place.ranges.push_back({range.at(0), range.at(1), range.at(2)});
    for (const Json& piece : json.at("pieces"))
        place.pieces.push_back({piece.at(0), piece.at(1), piece.at(2)});
    return place;
}

} // namespace

const NamedKind& named(PlaceKind kind)
{
    return *std::ranges::find(place_kinds, kind, &NamedKind::kind);
}

std::string with_address(const std::string& name, std::uint32_t address)
{
    return name + debug::format("@0x%" PRIx32, address);
}

std::string of_part(const char* part, const std::string& name)
{
    return std::string(part) + "." + name;
}

bool is_told_apart(const std::string& name, const std::string& told_apart)
{
    return told_apart.starts_with(name + "@") || told_apart == of_part(descriptor_head, name) ||
           told_apart == of_part(descriptor_operation, name);
}

std::uint64_t Place::bits() const
{
    std::uint64_t bits = own_bits + bits_in(ranges);
    for (const Piece& piece : pieces)
        bits += piece.bits;
    return bits;
}

Json to_json(const Survey& survey)
{
    Json json{{"tokens", survey.tokens},
              {"end", survey.end},
              {"instructions", survey.instructions},
              {"places", Json::array()},
              {"passes", Json::array()}};
    for (const Place& place : survey.places)
        json["places"].push_back(json_of(place));
    for (const Pass& pass : survey.passes)
        json["passes"].push_back({pass.kind, pass.index, pass.begin, pass.end});
    return json;
}

Survey survey_of(const Json& json)
{
    Survey survey;
    json.at("tokens").get_to(survey.tokens);
    survey.end = json.at("end");
    survey.instructions = json.at("instructions");
    for (const Json& place : json.at("places"))
        survey.places.push_back(place_of(place));
    for (const Json& pass : json.at("passes"))
        survey.passes.push_back({pass.at(0), pass.at(1), pass.at(2), pass.at(3)});
    return survey;
}

} // namespace levee::faults
