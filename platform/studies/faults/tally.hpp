// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/faults/domain.hpp"
#include "platform/studies/faults/outcome.hpp"
#include "platform/studies/faults/wilson.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace levee::campaign {

/// The number of injections with each effect, in the order of `effects`.
struct Counts {
    std::array<std::uint64_t, effects.size()> of{};

    void add(Effect effect);
    [[nodiscard]] std::uint64_t all() const;
};

/// Returns whether every effect's share has a confidence interval of at most this width.
[[nodiscard]] bool are_narrow(const Counts& counts, std::uint64_t trials, double width,
                              double quantile);

struct Injected {
    Draw draw;
    Outcome outcome;
};

struct SiteTally {
    const Domain* domain = nullptr;
    std::vector<Injected> injected;

    [[nodiscard]] Counts counts() const;
    /// Returns counts by the part that was hit (Draw::part); empty if the site has no parts.
    [[nodiscard]] std::map<std::string, Counts> parts() const;
    /// Returns the number of runs that each error message ended. Messages have N in place of
    /// numbers.
    [[nodiscard]] std::map<std::string, std::uint64_t> detections() const;
};

} // namespace levee::campaign
