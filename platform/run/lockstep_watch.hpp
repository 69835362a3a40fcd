// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"
#include "platform/run/observer.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Observes the blocks that run RTL. A reported fault names the operation in which it occurred.
class LockstepWatch final : public RunObserver, private CommandObserver {
public:
    explicit LockstepWatch(const RunContext& run);

    /// Describes a difference between a design and its reference, and names the operation. The
    /// waveforms are written to the results folder.
    [[nodiscard]] std::optional<RunFault> explain_exception() override;
    /// Completes the requested waveforms.
    void finish() override;
    /// Returns a fault if a block with `lockstep` or `rtl_cycle` was never compared with its
    /// reference, or if a block with RTL has not finished.
    [[nodiscard]] std::optional<RunFault> fault() override;
    /// Counts "rtl.cycles" for blocks with RTL, and "lockstep.comparisons" for blocks in lockstep.
    void count(const FigureVisitor& visit) const override;
    [[nodiscard]] std::string text() const override { return text_; }

private:
    struct Design;
    /// A queue of a block with an RTL design. Several blocks' queues may share one design.
    struct Watched {
        const PlannedComponent* plan;
        Design* design;
        std::uint64_t id = 0;
        std::uint64_t fetched_ps = 0;
        levee_descriptor descriptor{};
        bool busy = false;
    };
    struct Design {
        RtlStatus* rtl;
        std::vector<const Watched*> queues;
        const Watched* begun; ///< queue whose operation the design began last
    };

    void watch(const PlannedComponent& plan, CommandQueue* queue, Design& design);
    [[nodiscard]] static std::string operation_text(const Watched& watched);
    [[nodiscard]] std::string waves_text(const std::string& block,
                                         const LockstepDifference& failure) const;
    [[nodiscard]] std::filesystem::path in_format(const std::filesystem::path& fst) const;
    [[nodiscard]] std::optional<std::string> unfinished() const;

    void taken(const CommandQueue& queue, std::uint64_t id, std::uint32_t waiting) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void ready(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;

    std::filesystem::path folder_;
    std::optional<config::WavesConfig> waves_;
    config::WaveFormat format_;
    std::string text_;
    std::map<std::string, Design> designs_; ///< by the block's name, so that the order is the same
                                            ///< on every host
    std::map<const CommandQueue*, Watched> watched_;
};

} // namespace levee
