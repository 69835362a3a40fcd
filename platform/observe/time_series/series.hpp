// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/phases.hpp"
#include "platform/observe/time_series/bins.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace levee::series {

constexpr std::size_t phases = phase_names.size();

/// The operations with one opcode that a block has completed in a phase.
struct Operations {
    std::string block;
    std::string operation; ///< name as in energy accounts, such as "gemm"
    levee_phase phase;
    std::uint64_t count;
    Picoseconds time; ///< sum of the operations' times, each from its start to its end
};

/// A part of the run in one phase: [begin, end) in picoseconds.
struct PhaseSpan {
    levee_phase phase;
    Picoseconds begin, end;
};

/// Records over time the bytes of memories and how busy blocks are, and sums of operations by
/// opcode. Its memory use and the work for each operation do not grow.
class Series {
public:
    /// Both must outlive the simulation.
    Series(const SystemPlan& plan, System& system);
    Series(const Series&) = delete;
    Series& operator=(const Series&) = delete;

    void enter(levee_phase phase, Picoseconds now);

    struct Line {
        std::string name;
        std::size_t channel;
        std::uint64_t peak; ///< peak of a memory, in bytes per second
    };
    [[nodiscard]] const Bins& bins() const { return bins_; }
    [[nodiscard]] const std::vector<Line>& memories() const { return memories_; } ///< bytes
    [[nodiscard]] std::vector<Line> blocks() const; ///< picoseconds in which the block executed

    /// Returns an entry for each block, opcode and phase that has an operation. Blocks are in the
    /// plan's order.
    [[nodiscard]] std::vector<Operations> operations() const;
    /// Returns the phases until `end`. If there are more than most_spans, the last span covers all
    /// further phases.
    [[nodiscard]] std::vector<PhaseSpan> spans(Picoseconds end) const;

private:
    static constexpr std::size_t most_spans = 64, none = SIZE_MAX;

    class Queue : public CommandObserver {
    public:
        Queue(Series& series, std::string name, CommandQueue& queue);
        [[nodiscard]] const std::string& name() const { return name_; }
        [[nodiscard]] std::size_t channel() const { return channel_; }
        void report(std::vector<Operations>& all) const;

    private:
        struct Sum {
            std::uint64_t count = 0;
            Picoseconds time = 0;
        };
        void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                     bool) override;
        void costs(const CommandQueue&, const levee_descriptor&, std::span<const FlowUse> uses,
                   std::span<const CountedEvent>) override;
        void finished(const CommandQueue&, std::uint32_t error, bool dropped) override;

        Series& series_;
        std::string name_;
        const Declaration& declaration_;
        std::size_t channel_;
        bool runs_ = false;
        Picoseconds began_ = 0;
        std::uint8_t opcode_ = 0;
        std::vector<std::pair<std::size_t, std::uint64_t>> bytes_;
        std::array<std::array<Sum, phases>, 256> sums_{};
    };

    [[nodiscard]] std::size_t channel_of(const FlowResource& resource);

    Bins bins_;
    std::vector<Line> memories_;
    std::vector<std::pair<const FlowResource*, std::size_t>> known_;
    std::deque<Queue> queues_;
    levee_phase phase_ = LEVEE_PHASE_OTHER;
    std::vector<std::pair<levee_phase, Picoseconds>> entered_;
};

} // namespace levee::series
