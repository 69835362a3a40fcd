// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/observe/faults/place.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::campaign {

/// The times of faults: one of a list, or uniform over a part of the run.
struct When {
    std::vector<Picoseconds> at; ///< Times, one of which is drawn; empty: uniform.
    Picoseconds from = 0;
    std::optional<Picoseconds> to; ///< Empty: the end of the run.
    std::optional<std::uint32_t> token, pass;
    config::Place place;
};

/// A place for faults, as in the study.
struct Site {
    std::string name;
    faults::PlaceKind kind = faults::PlaceKind::Memory;
    std::string of; ///< name of the place in the machine
    config::Place place;
    std::uint64_t from = 0; ///< bytes
    std::optional<std::uint64_t> to;
    std::optional<std::string> within;
    std::vector<std::string> only; ///< empty: all
    unsigned element_bits = 8;
    bool has_element = false;
    std::vector<unsigned> bits; ///< empty: all
    bool together = false;
    When when;
};

/// Sequential stopping.
struct Until {
    double width = 0;
    std::uint32_t batch = 0, most = 0;
};

struct Study {
    std::string name;
    std::filesystem::path file, scenario;
    std::vector<std::string> overrides;
    std::vector<Site> sites;
    std::optional<std::uint32_t> number; ///< injections of each site; nothing: `until`
    Until until;
    double confidence = 0;
    std::uint64_t seed = 0;
    double limit = 0;
};

/// Reads a study (docs/faults.md). `overrides` are those of the command line. Throws config::Error
/// for unusable input; the campaign checks whether the machine has the places.
[[nodiscard]] Study read_study(const std::filesystem::path& file, const config::FileFinder& finder,
                               const std::vector<std::string>& overrides);

} // namespace levee::campaign
