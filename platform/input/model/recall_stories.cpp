// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/recall_stories.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace levee {

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> fields;
    std::istringstream stream(text);
    for (std::string field; std::getline(stream, field, separator);) {
        fields.push_back(field);
    }
    return fields;
}

/// Replaces the escapes of a field by the characters that they stand for.
std::string unescape(const std::string& field, const std::string& place)
{
    static const std::map<char, char> characters{{'n', '\n'}, {'t', '\t'}, {'\\', '\\'}};
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] != '\\') {
            text += field[i];
            continue;
        }
        const auto character = ++i < field.size() ? characters.find(field[i]) : characters.end();
        if (character == characters.end())
            throw ModelError(place + ": '" + field.substr(i - 1, 2) +
                             "', expected '\\n' for a line end, '\\t' for a tab or '\\\\' for a "
                             "backslash");
        text += character->second;
    }
    return text;
}

RecallStory parse_line(const std::string& line, const std::string& place)
{
    std::vector<std::string> fields = split(line, '\t');
    for (std::string& field : fields)
        field = unescape(field, place);
    if (fields.size() < 4 || fields.size() % 2 != 0) {
        throw ModelError(
            place + ": " + std::to_string(fields.size()) +
            " fields separated by tabs, expected story, candidates, and a question and "
            "an answer once or more");
    }
    RecallStory story{fields[0], split(fields[1], ' '), {}};
    std::erase(story.candidates, "");
    if (std::set(story.candidates.begin(), story.candidates.end()).size() !=
        story.candidates.size())
        throw ModelError(place + ": candidates '" + fields[1] + "', expected each of them once");
    const bool blank =
        fields[0].empty() || std::any_of(fields.begin() + 2, fields.end(),
                                         [](const std::string& field) { return field.empty(); });
    if (blank || story.candidates.size() == 1) {
        throw ModelError(place + ": an empty field or one candidate, expected text in every field, "
                                 "and no candidates or several separated by spaces");
    }
    for (size_t i = 2; i < fields.size(); i += 2) {
        const std::string& answer = fields[i + 1];
        if (!story.candidates.empty() && std::find(story.candidates.begin(), story.candidates.end(),
                                                   answer) == story.candidates.end()) {
            throw ModelError(place + ": answer '" + answer + "', expected one of: " + fields[1]);
        }
        story.questions.push_back({fields[i], answer});
    }
    return story;
}

} // namespace

std::vector<RecallStory> read_recall_stories(const std::filesystem::path& path)
{
    const auto bytes = read_file(path);
    std::istringstream text(std::string(bytes.begin(), bytes.end()));
    std::vector<RecallStory> stories;
    size_t number = 0;
    for (std::string line; std::getline(text, line);) {
        ++number;
        if (line.ends_with('\r'))
            line.pop_back();
        if (!line.empty() && line[0] != '#') {
            stories.push_back(parse_line(line, path.string() + ":" + std::to_string(number)));
        }
    }
    if (stories.empty()) {
        throw ModelError(path.string() + ": no stories; expected one per line");
    }
    return stories;
}

} // namespace levee
