// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/text.hpp"

#include "core/config/error.hpp"
#include "core/config/regular_file.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace levee {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view white = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(white);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string read_text(const std::filesystem::path& path)
{
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    std::string why;
    std::optional<std::string> text = config::read_file(path, most_bytes, why);
    if (!text)
        throw config::Error(path.string() + ": " + why);
    return *std::move(text);
}

std::vector<std::string> split_fields(std::string_view text, char separator)
{
    std::vector<std::string> fields;
    while (true) {
        const std::size_t end = text.find(separator);
        fields.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return fields;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> split_lines(std::string_view text)
{
    std::vector<std::string> lines = split_fields(text, '\n');
    if (lines.back().empty())
        lines.pop_back();
    for (std::string& line : lines)
        if (line.ends_with('\r'))
            line.pop_back();
    return lines;
}

std::vector<std::string> split_text(std::string_view text, std::string_view separator)
{
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = separator.empty() ? std::string_view::npos : text.find(separator);
        const std::string_view part = trimmed(text.substr(0, end));
        if (!part.empty())
            parts.emplace_back(part);
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + separator.size());
    }
}

} // namespace levee
