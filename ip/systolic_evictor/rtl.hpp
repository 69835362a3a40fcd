// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/systolic_evictor/driver.hpp"
#include "ip/systolic_evictor/engine.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::systolic_evictor {

/// Uses a Verilated design as an Engine. The design is clocked only during passes. Throws
/// LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are missing.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, std::vector<Tile>> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlEngine() override;

    /// Throws std::runtime_error if there are more tokens than an index can number.
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
