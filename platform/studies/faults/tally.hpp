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

/// Numbers of injections by their effect, in the order of `effects`.
struct Counts {
    std::array<std::uint64_t, effects.size()> of{};

    void add(Effect effect);
    [[nodiscard]] std::uint64_t all() const;
};

/// Whether the confidence interval of each effect's share is at most this wide.
[[nodiscard]] bool are_narrow(const Counts& counts, std::uint64_t trials, double width,
                              double quantile);

/// An injection and its effect on the run.
struct Injected {
    Draw draw;
    Outcome outcome;
};

/// All injections of a site.
struct SiteTally {
    const Domain* domain = nullptr;
    std::vector<Injected> injected;

    [[nodiscard]] Counts counts() const;
    /// Counts by the hit part (Draw::part); empty if the site has no parts.
    [[nodiscard]] std::map<std::string, Counts> parts() const;
    /// Number of reports of each text, for effects that end a run.
    [[nodiscard]] std::map<std::string, std::uint64_t> detections() const;
};

} // namespace levee::campaign
