// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/expression.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// Returns the text of an axis's value, or of a key in the scenario; nothing if it is not set.
using TextOf = std::function<std::optional<std::string>(const std::string& name)>;

/// A condition on values of axes and keys of the scenario, such as `edram <= 8 MiB and (policy ==
/// aerp or kv_cache.budget > 2 * kv_cache.recent_window)`. It is an expression (expression.hpp)
/// with units, words, and names of axes and keys.
class Condition {
public:
    /// Reads a condition. Throws config::Error at `node` with the position and what was expected,
    /// also for a name that is neither in `axes` nor a key.
    Condition(const config::Node& node, const std::vector<std::string>& axes);

    /// Throws config::Error at the condition if it compares values that have no order, such as a
    /// size and a time.
    [[nodiscard]] bool holds(const TextOf& text_of) const;

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const config::Place& place() const { return place_; }

private:
    std::string text_;
    config::Place place_;
    std::vector<std::string> names_;
    Expression expression_;
};

} // namespace levee::sweep
