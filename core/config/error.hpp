// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// The place at which a piece of configuration was written. Lines and columns count from 1; line 0:
/// the name alone is the place (an override).
struct Place {
    std::shared_ptr<const std::string>
        file; ///< File as the user gave it; "--set a.b=c" for an override.
    int line = 0;
    int column = 0;

    [[nodiscard]] std::string text() const; ///< "file:line:column"
};

/// Error in the user's input. what() is the whole message and begins with the place. A message that
/// quotes very long input is shortened in the middle.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message);
    Error(const Place& place, const std::string& message);
};

/// A text for a message. A text longer than `most` bytes keeps its two ends, with its length
/// between them.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// The user's text in quotes, cut to the length of a line.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The candidate that `name` most likely meant; empty if none is near.
[[nodiscard]] std::string nearest(std::string_view name,
                                  const std::vector<std::string>& candidates);

/// "; did you mean 'x'?", with " or 'y'" for each as near, or, if nothing is near, "; expected one
/// of: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string>& candidates);

} // namespace levee::config
