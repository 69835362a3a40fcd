// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <map>
#include <string>
#include <vector>

namespace levee::sweep {

/// The places at which a study states its overrides. A scenario's errors name an override as if it
/// was typed, "--set KEY=VALUE: ...".
class Origins {
public:
    Origins() = default;
    /// Records the place of each text in the tree that may be an override.
    explicit Origins(const config::Node& study);
    /// Records that the axis at `place` sets the keys.
    void add(const std::vector<std::string>& keys, const config::Place& place);

    /// Returns the error of a scenario with these overrides. If it concerns an override of the
    /// study, the error begins with the override's place in the study.
    [[nodiscard]] std::string placed(const std::string& error,
                                     const std::vector<std::string>& overrides) const;

private:
    [[nodiscard]] const config::Place* place_of(const std::string& text) const;

    std::map<std::string, config::Place> texts_, keys_;
};

} // namespace levee::sweep
