// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/published.hpp"

#include "core/config/csv.hpp"
#include "core/config/error.hpp"
#include "core/config/regular_file.hpp"

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace levee::reproduce {

namespace {

const std::string heading = "id,paper,section,quantity,configuration,published,unit";

constexpr std::size_t columns = 7;

std::vector<double> numbers_of(const std::string& text)
{
    std::vector<double> numbers;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, '/');) {
        const std::size_t begin = part.find_first_not_of("<>~ ");
        double number = 0.0;
        const char* const end = part.data() + part.size();
        if (begin == std::string::npos)
            return {};
        const auto result = std::from_chars(part.data() + begin, end, number);
        if (result.ec != std::errc() || result.ptr != end)
            return {};
        numbers.push_back(number);
    }
    return numbers;
}

} // namespace

std::vector<Published> read_published(const std::filesystem::path& file)
{
    const auto shown = std::make_shared<const std::string>(file.string());
    std::ifstream stream = config::regular_stream(file);
    if (!stream)
        throw config::Error(*shown + ": " + config::why_unreadable(file));
    std::vector<Published> rows;
    std::set<std::string> ids;
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        const config::Place place{shown, number, 1};
        if (line.ends_with('\r')) // spreadsheets end lines with CR LF
            line.pop_back();
        if (number == 1 && line != heading)
            throw config::Error(place,
                                "the first line is '" + line + "'; expected '" + heading + "'");
        if (line.empty() || number == 1)
            continue;
        std::vector<std::string> fields = config::csv_fields(line);
        if (fields.size() != columns)
            throw config::Error(place, "the line has " + std::to_string(fields.size()) +
                                           " fields; expected " + heading);
        if (!ids.insert(fields[0]).second)
            throw config::Error(place, "'" + fields[0] + "' was given before");
        rows.push_back({fields[0], fields[2], fields[3], fields[4], fields[5], fields[6],
                        numbers_of(fields[5])});
    }
    return rows;
}

} // namespace levee::reproduce
