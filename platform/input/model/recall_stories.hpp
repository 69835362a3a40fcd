// SPDX-License-Identifier: Apache-2.0
// Stories with questions about earlier facts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

struct RecallQuestion {
    std::string question; ///< the text before the answer
    std::string answer;   ///< one of the story's candidates, if it has any
};

struct RecallStory {
    std::string text;
    std::vector<std::string> candidates; ///< the words among which a guess chooses; empty: there
                                         ///< are too many
    std::vector<RecallQuestion> questions;
};

/// Reads one story per line. Tabs separate its fields: the text, the candidates (separated by
/// spaces, or none), and then questions and answers in turn. In a field `\n` is a line end, `\t` a
/// tab, and `\\` a backslash. Empty lines and lines that begin with '#' are skipped. Throws
/// ModelError ("<file>:<line>: <found>, expected <expected>"), also if the file has no stories.
std::vector<RecallStory> read_recall_stories(const std::filesystem::path& path);

} // namespace levee
