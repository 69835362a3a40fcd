// SPDX-License-Identifier: Apache-2.0
#include "core/config/csv.hpp"

#include "core/config/utf8.hpp"

#include <algorithm>

namespace levee::config {

std::vector<std::string> csv_fields(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back() += c;
    }
    return fields;
}

void for_each_csv_line(
    std::string_view text, const std::string& shown,
    const std::function<void(const Place&, const std::vector<std::string>&)>& visit)
{
    // UTF-8 byte order mark, which editors may write at the beginning of a file.
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    Place place{std::make_shared<const std::string>(shown), 1, 1};
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    check_utf8(place.file, text);
    for (; !text.empty(); ++place.line) {
        const std::size_t end = text.find('\n');
        std::string line(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.find('\0') != std::string::npos)
            throw Error(place, "the line has a zero byte; expected text");
        if (std::ranges::count(line, '"') % 2 != 0)
            throw Error(place, "the line ends within quotes; expected a text without line ends");
        if (place.line == 1 || !line.empty())
            visit(place, csv_fields(line));
    }
}

} // namespace levee::config
