// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/description.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/studies/sweep/content_hash.hpp"

#include <set>
#include <string>

namespace levee::sweep {

/// Everything on which the results of runs depend, except their seeds. Each file is read once.
class RunContent {
public:
    /// Returns a text with the resolved scenario and with hashes of its files, of its program and
    /// of Levee itself. Throws std::runtime_error for a file that cannot be read.
    [[nodiscard]] std::string of(const config::Scenario& scenario);
    [[nodiscard]] const std::set<std::string>& programs() const { return programs_; }
    /// Returns all files that the texts depend on, except scenarios.
    [[nodiscard]] std::vector<std::filesystem::path> files() const { return files_.files(); }

private:
    std::string of_rtl(const config::Node& component);
    const std::string& of_modules();

    FileHashes files_;
    std::string modules_;
    own_rtl::IncludedFiles included_;
    std::set<std::string> programs_;
};

/// Returns the key of a run with this content and seed. Equal keys mean equal results.
[[nodiscard]] std::string run_key(const std::string& content, std::uint64_t seed);

} // namespace levee::sweep
