// SPDX-License-Identifier: Apache-2.0
// Common part of every Verilated design with one clock. For a design's wrapper file only, and never
// together with SystemC.
#pragma once

#include "ip/common/verilated_coverage.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <verilated.h>
#include <verilated_fst_c.h>

namespace levee {

/// A design with `clk_i` and `rst_ni`, evaluated twice per cycle: before the edge and after it.
template <typename Top> class VerilatedDesign {
public:
    VerilatedDesign(std::uint32_t seed, const std::string& plusarg)
    {
        // Registers start with random values: logic that relies on a reset must have one.
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
        close();
        // A model leaves the context of its thread, not its own.
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
    }
    void edge()
    {
        top_->clk_i = 1;
        evaluate();
    }

    void trace(const std::filesystem::path& fst)
    {
        close();
        if (fst.empty())
            return;
        waves_ = std::make_unique<VerilatedFstC>();
        constexpr int all_levels = 99;
        top_->trace(waves_.get(), all_levels);
        waves_->open(fst.c_str());
        if (!waves_->isOpen())
            throw std::runtime_error(fst.string() + ": waves cannot be written");
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
        Verilated::threadContextp(&context_); // where failed assertions are counted
        top_->eval();
        if (waves_)
            waves_->dump(context_.time());
        context_.timeInc(1);
    }
    void close()
    {
        if (waves_)
            waves_->close();
        waves_.reset();
    }

    mutable VerilatedContext context_; // mutable: coverage cannot be read from a const context
    std::unique_ptr<Top> top_;
    std::unique_ptr<VerilatedFstC> waves_;
};

} // namespace levee
