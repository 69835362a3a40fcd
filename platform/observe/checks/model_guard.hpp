// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace levee::checks {

/// Reports the core's stores to the model's image, and names the part of the image that a block's
/// result overwrites; always on. The image is loaded before the run, and nothing may change it.
class ModelGuard : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation.
    ModelGuard(const Context& context, Findings& findings);
    ModelGuard(const ModelGuard&) = delete;
    ModelGuard& operator=(const ModelGuard&) = delete;

    /// Names the part of the image that overlaps [first, last], such as "the model's image, in W_UP
    /// of layer 3"; nothing if there is no overlap. Addresses are those that accelerators use.
    [[nodiscard]] std::optional<std::string> part(std::uint64_t first, std::uint64_t last) const;

private:
    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    [[nodiscard]] std::string name(std::uint64_t offset) const;

    const Context& context_;
    Findings& findings_;
    MemoryKeys keys_;
    const System::PlacedModel* model_; ///< null without a model
    std::uint64_t base_ = 0;           ///< the image's address, as the accelerators see it
    std::uint64_t first_key_ = 0;
    int core_;
    std::set<std::uint32_t> reported_;
};

} // namespace levee::checks
