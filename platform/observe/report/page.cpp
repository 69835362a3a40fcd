// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/page.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/regular_file.hpp"
#include "platform/observe/report/output_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

// The page without data (page/README.md). It is part of the program's binary, so that the program
// needs no other file.
asm(".section .rodata\n"
    ".global levee_page_begin\n"
    ".global levee_page_end\n"
    "levee_page_begin:\n"
    ".incbin \"" LEVEE_PAGE_FILE "\"\n"
    "levee_page_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char levee_page_begin[], levee_page_end[];

namespace levee {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kinds{"run", "sweep", "faults", "compare", "reproduce"};
constexpr std::string_view data_begins = "<script type=\"application/json\" id=\"levee-data\">";
constexpr std::string_view data_ends = "</script>";

/// Returns JSON text in which an HTML parser finds no markup. In JSON, '<' occurs only in strings,
/// so it can be escaped.
std::string script_text(const Json& value)
{
    const std::string plain = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text;
    text.reserve(plain.size());
    for (const char c : plain)
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    return text;
}

} // namespace

std::string page_text(std::string_view kind, const Json& data)
{
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        throw std::invalid_argument("no page shows '" + std::string(kind) +
                                    "'; expected run, sweep, faults, compare or reproduce");
    const std::string_view page(levee_page_begin,
                                static_cast<std::size_t>(levee_page_end - levee_page_begin));
    const std::size_t at = page.find(data_begins);
    if (at == std::string_view::npos)
        throw std::logic_error("the page's template has no place for data");
    const std::size_t begin = at + data_begins.size();
    std::string text(page.substr(0, begin));
    text += script_text(Json{{"kind", kind}, {"data", data}});
    text += page.substr(page.find(data_ends, begin));
    return text;
}

void write_page(const std::filesystem::path& file, std::string_view kind, const Json& data)
{
    write_atomically(file, page_text(kind, data));
}

void write_page(const std::filesystem::path& file, std::string_view kind,
                const nlohmann::json& data)
{
    write_page(file, kind, Json(data));
}

Json read_page(const std::filesystem::path& file)
{
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    std::string why;
    const std::optional<std::string> read = config::read_file(file, most_bytes, why);
    if (!read)
        throw std::runtime_error(file.string() + ": " + why);
    const std::string& text = *read;
    const std::size_t at = text.find(data_begins);
    const std::size_t end = text.find(data_ends, at);
    if (at == std::string::npos || end == std::string::npos)
        throw std::runtime_error(file.string() +
                                 ": is not a report; expected a page that levee has written");
    const std::size_t begin = at + data_begins.size();
    Json content = config::bounded_ordered_json(std::string_view(text).substr(begin, end - begin))
                       .value_or(Json());
    if (!content.is_object() || !content.contains("kind") || !content.contains("data") ||
        !content["kind"].is_string())
        throw std::runtime_error(file.string() + ": the data in this page are damaged");
    return content;
}

} // namespace levee
