// SPDX-License-Identifier: Apache-2.0
// Common part of every Verilated design with one clock. Only for a design's wrapper file, and never
// together with SystemC.
#pragma once

#include "core/rtl/verilated_coverage.hpp"
#include "core/rtl/verilated_state.hpp"
#include "core/rtl/verilated_waves.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <verilated.h>

namespace levee {

/// A design with `clk_i` and `rst_ni`. It is evaluated twice per cycle: before the edge and after
/// it. In waveforms, inputs change at the falling clock edge, in the middle of the cycle.
template <typename Top> class VerilatedDesign {
public:
    VerilatedDesign(std::uint32_t seed, const std::string& plusarg)
    {
        // Registers start with random values. This exposes logic that relies on initial values
        // without a reset.
        context_.randReset(2);
        context_.randSeed(static_cast<int>(seed & 0x7FFFFFFF) | 1);
        context_.fatalOnError(false);
        context_.traceEverOn(true);
        if (!plusarg.empty()) {
            const char* arguments[] = {"levee", plusarg.c_str()};
            context_.commandArgs(2, arguments);
        }
        top_ = std::make_unique<Top>(&context_);
        top_->clk_i = 0;
        top_->rst_ni = 0;
    }
    ~VerilatedDesign()
    {
        waves_.reset();
        // Another model may have set its own context for this thread.
        Verilated::threadContextp(&context_);
        top_->final();
    }
    VerilatedDesign(const VerilatedDesign&) = delete;
    VerilatedDesign& operator=(const VerilatedDesign&) = delete;

    [[nodiscard]] Top& top() { return *top_; }

    /// `idle` drives the inputs and settles the design.
    template <typename Idle> void reset(Idle idle)
    {
        constexpr int cycles = 2;
        top_->rst_ni = 0;
        for (int i = 0; i < cycles; ++i) {
            idle();
            edge();
        }
        top_->rst_ni = 1;
    }
    void settle()
    {
        top_->clk_i = 0;
        evaluate();
        if (waves_ && !only_marks_) [[unlikely]]
            waves_->dump(begin_ps_ + (end_ps_ - begin_ps_) / 2);
    }
    void edge()
    {
        top_->clk_i = 1;
        evaluate();
        if (waves_) [[unlikely]]
            end_cycle();
    }

    void trace(const WaveFile& file)
    {
        waves_.reset();
        only_marks_ = file.only_marks;
        if (!file.fst.empty())
            waves_ = std::make_unique<VerilatedWaves>(*top_, file);
    }
    void time(std::uint64_t begin_ps, std::uint64_t end_ps)
    {
        begin_ps_ = begin_ps;
        end_ps_ = end_ps;
    }
    void mark(std::uint64_t ps)
    {
        if (waves_)
            waves_->dump(ps);
    }

    [[nodiscard]] std::vector<std::uint8_t> save()
    {
        if constexpr (SavableModel<Top>) {
            StateWriter writer;
            writer << *top_;
            return writer.take();
        } else {
            return {};
        }
    }
    void restore(const std::vector<std::uint8_t>& state)
    {
        if constexpr (SavableModel<Top>) {
            StateReader reader(state);
            reader >> *top_;
        }
    }

    [[nodiscard]] std::uint64_t failed_assertions() const
    {
        return static_cast<std::uint64_t>(context_.errorCount());
    }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const
    {
        return verilated_coverage(context_);
    }

private:
    void evaluate()
    {
        Verilated::threadContextp(&context_); // The context counts failed assertions.
        top_->eval();
        context_.timeInc(1);
    }
    /// Ends the cycle after the rising edge. The next cycle follows immediately unless time() sets
    /// another time.
    void end_cycle()
    {
        if (!only_marks_)
            waves_->dump(end_ps_);
        begin_ps_ = end_ps_;
        end_ps_ += standalone_period_ps;
    }

    mutable VerilatedContext context_; // mutable, because coverage cannot be read from a const
                                       // context.
    std::unique_ptr<Top> top_;
    std::unique_ptr<VerilatedWaves> waves_;
    bool only_marks_ = false;
    std::uint64_t begin_ps_ = 0, end_ps_ = standalone_period_ps; ///< Times of the cycle, in
                                                                 ///< waveforms.
};

} // namespace levee
