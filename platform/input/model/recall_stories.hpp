// SPDX-License-Identifier: Apache-2.0
// Stories with questions about them, which require remembering early facts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

struct RecallQuestion {
    std::string question; ///< the text up to the answer
    std::string answer;   ///< one of the story's candidates, if it has any
};

struct RecallStory {
    std::string text;
    std::vector<std::string> candidates; ///< the words from which a guess chooses; empty: too many
    std::vector<RecallQuestion> questions;
};

/// One story a line, fields separated by tabs: text, candidates (separated by spaces, or none),
/// then question and answer in turn. Empty lines and lines that begin with '#' are skipped. Throws
/// ModelError ("<file>:<line>: <found>, expected <expected>"), also for a file without stories.
std::vector<RecallStory> read_recall_stories(const std::filesystem::path& path);

} // namespace levee
