// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// The place where a piece of configuration was written. Lines and columns count from 1. Line 0: an
/// override, for which only the name is known.
struct Place {
    std::shared_ptr<const std::string>
        file; ///< File name as the user gave it; "--set a.b=c" for an override.
    int line = 0;
    int column = 0;

    [[nodiscard]] std::string text() const; ///< "file:line:column"
};

/// Error in the user's input. what() is the whole message and begins with the place. Very long
/// quoted input is shortened in the middle.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message);
    Error(const Place& place, const std::string& message);
};

/// Shortens a text for a message. If the text is longer than `most` bytes, its middle is replaced
/// by a note of its length.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// The user's text in quotes, shortened to about a line.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Returns the candidate that `name` most likely means; empty if no candidate is similar.
[[nodiscard]] std::string nearest(std::string_view name,
                                  const std::vector<std::string>& candidates);

/// Returns "; did you mean 'x'?", with " or 'y'" for each equally similar candidate. If no
/// candidate is similar, returns "; expected one of: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string>& candidates);

} // namespace levee::config
