// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_clock.hpp"
#include "platform/run/observer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace levee {

/// The clocks of all blocks with `impl: rtl_cycle`.
class RtlClocks final : public RunObserver {
public:
    explicit RtlClocks(const RunContext& run);

    /// Counts the figures "rtl_cycle.*" of each block.
    void count(const FigureVisitor& visit) const override;
    [[nodiscard]] std::string text() const override;

private:
    struct Block {
        const PlannedComponent* plan;
        std::unique_ptr<RtlClock> clock;
    };

    [[nodiscard]] static std::string text_of(const Block& block);

    std::vector<Block> blocks_; ///< sorted by name
};

} // namespace levee
