// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace levee {

namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string number_text(double number)
{
    if (!std::isfinite(number))
        return "null"; // JSON has no infinities or NaN
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

void write(const Json& value, std::string& out, const std::string& indent);

void write_list(const Json& list, std::string& out, const std::string& indent)
{
    const bool flat =
        std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_primitive(); });
    const std::string inner = indent + "  ";
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        out += i ? (flat ? ", " : ",") : "";
        out += flat ? "" : "\n" + inner;
        write(list[i], out, inner);
    }
    out += flat || list.empty() ? "]" : "\n" + indent + "]";
}

void write_map(const Json& map, std::string& out, const std::string& indent)
{
    const std::string inner = indent + "  ";
    out += '{';
    bool first = true;
    for (const auto& [key, item] : map.items()) {
        out += (first ? "\n" : ",\n") + inner + quoted(key) + ": ";
        write(item, out, inner);
        first = false;
    }
    out += first ? "}" : "\n" + indent + "}";
}

void write(const Json& value, std::string& out, const std::string& indent)
{
    if (value.is_object())
        write_map(value, out, indent);
    else if (value.is_array())
        write_list(value, out, indent);
    else if (value.is_number_float())
        out += number_text(value.get<double>());
    else if (value.is_string())
        out += quoted(value.get_ref<const std::string&>());
    else
        out += value.dump();
}

} // namespace

std::string json_text(const Json& value)
{
    std::string out;
    write(value, out, "");
    return out + "\n";
}

} // namespace levee
