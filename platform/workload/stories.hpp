#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// A story with questions about it; the answer to each is one of the candidates.
struct Story {
    struct Question {
        std::string text; ///< up to the answer
        std::string answer;
    };
    std::string text;
    std::vector<std::string> candidates;
    std::vector<Question> questions;
};

/// Reads the first `most` (0: all) stories of a file: a line each, fields separated by tabs: story,
/// candidates separated by blanks, then question and answer in turn. Lines that begin with # are
/// comments. Throws config::Error with file, line and field.
[[nodiscard]] std::vector<Story> read_stories(const std::filesystem::path& path,
                                              std::uint32_t most);

/// The share of all questions that picking a candidate at random answers.
[[nodiscard]] double chance(const std::vector<Story>& stories);

} // namespace levee
