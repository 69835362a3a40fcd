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

/// Something the user wrote that cannot be used. what() is the whole message, place first.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    Error(const Place& place, const std::string& message);
};

/// The candidate that `name` most likely meant; empty if none is near.
[[nodiscard]] std::string nearest(std::string_view name,
                                  const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or, if nothing is near, "; expected one of: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string>& candidates);

} // namespace levee::config
