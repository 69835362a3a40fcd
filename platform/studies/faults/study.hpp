// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/sweep/origins.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::campaign {

/// The time of a fault is drawn from a list, or uniformly from a part of the run.
struct When {
    std::vector<Picoseconds> at; ///< times from which one is drawn; empty: uniform in the range
    Picoseconds from = 0;
    std::optional<Picoseconds> to; ///< nothing: the end of the run
    std::optional<std::uint32_t> token, pass;
    config::Place place;
};

/// A site: a place for faults, as the study describes it.
struct Site {
    std::string name;
    faults::PlaceKind kind = faults::PlaceKind::Memory;
    std::string of;
    config::Place place;
    std::uint64_t from = 0; ///< offset of the first byte in the memory
    std::optional<std::uint64_t> to;
    std::optional<std::string> within;
    std::vector<std::string> only; ///< registers or fields of the place; empty: all
    unsigned element_bits = 8;
    bool has_element = false;
    std::vector<unsigned> bits; ///< empty: all
    bool together = false;
    When when;
};

/// A site has enough injections when all confidence intervals are at most `width` wide, or after
/// `most` injections. The widths are checked after each `batch`.
struct Until {
    double width = 0;
    std::uint32_t batch = 0, most = 0;
};

struct Study {
    std::string name;
    std::filesystem::path file, scenario;
    std::vector<std::string> overrides;
    sweep::Origins origins; ///< places of the study's own overrides
    std::vector<Site> sites;
    std::optional<std::uint32_t> number; ///< injections at each site; nothing: see `until`
    Until until;
    double confidence = 0;
    std::uint64_t seed = 0;
    double limit = 0;
};

/// Reads a study (docs/faults.md). `overrides` are those of the command line. Throws config::Error
/// for input that cannot be used. It does not check whether the machine has the sites.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

} // namespace levee::campaign
