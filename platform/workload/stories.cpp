#include "platform/workload/stories.hpp"

#include "platform/config/error.hpp"
#include "platform/workload/text.hpp"

#include <algorithm>

namespace levee {

namespace {

Story read_story(const std::string& line, const config::Place& place)
{
    const std::vector<std::string> fields = split_fields(line, '\t');
    if (fields.size() < 4 || fields.size() % 2 != 0)
        throw config::Error(place, "a line of " + std::to_string(fields.size()) +
                                       " fields; expected story, candidates, and a question and an "
                                       "answer in turn, separated by tabs");
    Story story;
    story.text = fields[0];
    story.candidates = split_text(fields[1], " ");
    for (std::size_t i = 2; i < fields.size(); i += 2) {
        const std::string& answer = fields[i + 1];
        if (std::find(story.candidates.begin(), story.candidates.end(), answer) ==
            story.candidates.end())
            throw config::Error(place, "the answer '" + answer + "' is not among the candidates '" +
                                           fields[1] + "'");
        story.questions.push_back({fields[i], answer});
    }
    return story;
}

} // namespace

std::vector<Story> read_stories(const std::filesystem::path& path, std::uint32_t most)
{
    const auto file = std::make_shared<const std::string>(path.string());
    std::vector<Story> stories;
    int number = 0;
    for (const std::string& line : split_lines(read_text(path))) {
        ++number;
        if (line.empty() || line.starts_with('#'))
            continue;
        if (most != 0 && stories.size() == most)
            break;
        stories.push_back(read_story(line, {file, number, 1}));
    }
    return stories;
}

double chance(const std::vector<Story>& stories)
{
    double sum = 0;
    std::size_t questions = 0;
    for (const Story& story : stories) {
        sum += static_cast<double>(story.questions.size()) /
               static_cast<double>(story.candidates.size());
        questions += story.questions.size();
    }
    return questions ? sum / static_cast<double>(questions) : 0.0;
}

} // namespace levee
