// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/page_data.hpp"

#include "platform/observe/report/versions.hpp"
#include "platform/studies/reproduce/names.hpp"
#include "platform/studies/reproduce/report.hpp"

#include <optional>

namespace levee::reproduce {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json row(const Comparison& line)
{
    Json readings = Json::array();
    for (const Figure& figure : line.variants)
        readings.push_back(number(figure.value));
    return {{"id", line.id},
            {"section", line.section},
            {"quantity", line.quantity},
            {"configuration", line.configuration},
            {"unit", line.unit},
            {"published", number(line.published)},
            {"published_text", line.published_text},
            {"simulated", number(line.simulated.value)},
            {"readings", readings},
            {"kind", name_of(line.row->kind)},
            {"follows", follows_text(line)},
            {"verdict", verdict(line)},
            {"note", full_note(line)}};
}

Json group(const GroupError& error)
{
    Json numbers = Json::array();
    for (const std::optional<double>& one : error.error)
        numbers.push_back(number(one));
    return {{"name", error.name}, {"numbers", error.numbers}, {"error", numbers}};
}

} // namespace

Json page_data(const Plan& plan, const std::vector<Comparison>& lines,
               const std::vector<GroupError>& errors, const PageFrame& frame)
{
    Json rows = Json::array(), groups = Json::array();
    for (const Comparison& line : lines)
        rows.push_back(row(line));
    for (const GroupError& error : errors)
        groups.push_back(group(error));
    return {{"paper", frame.paper},
            {"versions", versions()},
            {"failures", frame.failures},
            {"warnings", frame.warnings},
            {"readings", names_of(plan.variants)},
            {"rows", rows},
            {"errors", groups}};
}

} // namespace levee::reproduce
