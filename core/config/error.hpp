// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// Where a piece of configuration was written. Lines and columns count from 1; line 0: the name
/// says it all (an override).
struct Place {
    std::shared_ptr<const std::string>
        file; ///< as given by the user; "--set a.b=c" for an override
    int line = 0;
    int column = 0;

    [[nodiscard]] std::string text() const; ///< "file:line:column"
};

/// Something the user wrote that cannot be used. what() is the whole message, place first; one
/// that holds more of the input than can be read is cut in its middle.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message);
    Error(const Place& place, const std::string& message);
};

/// A text for a message: what is longer than `most` bytes keeps its two ends, and its length is
/// said between them.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// What the user wrote, in quotes, cut to what a line can hold.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The candidate that `name` most likely meant; empty if none is near.
[[nodiscard]] std::string nearest(std::string_view name,
                                  const std::vector<std::string>& candidates);

/// "; did you mean 'x'?", with " or 'y'" for each as near, or, if nothing is near, "; expected one
/// of: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string>& candidates);

} // namespace levee::config
