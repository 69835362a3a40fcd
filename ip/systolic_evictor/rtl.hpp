// SPDX-License-Identifier: Apache-2.0
// The evictor's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/systolic_evictor/driver.hpp"
#include "ip/systolic_evictor/engine.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::systolic_evictor {

/// A Verilated design as an Engine. It is clocked only during passes. Throws LockstepDifference;
/// with RtlMode::Rtl, only if the design delivers no results.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, std::vector<Tile>> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the engine need not compile the whole twin.
    ~RtlEngine() override;

    /// Throws std::runtime_error for more tokens than an index can number.
    Pair pass(const Pass& pass) override;
    void stream(std::span<const Stream> streams) override;
    std::uint64_t take_cycles(std::uint64_t expected) override;

private:
    [[nodiscard]] RtlPlace place_of(const kv_tables::Place& place, std::size_t first) const;
    [[nodiscard]] std::vector<Tile> tiles_of(const Pass& pass) const;
    [[nodiscard]] std::vector<Tile> tiles_of(std::span<const Stream> streams) const;
    Run run(std::vector<Tile> tiles);
    void pass_each(std::span<const Stream> streams);

    std::uint64_t score_cycles_ = 0;
};

} // namespace levee::systolic_evictor
