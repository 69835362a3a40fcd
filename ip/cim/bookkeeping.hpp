// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/inner_spans.hpp"
#include "ip/cim/cores.hpp"
#include "ip/cim/inside.hpp"

#include <cstdint>
#include <span>

namespace levee::cim {

class Bookkeeping {
public:
    Bookkeeping(const Config& config, Cores& cores)
        : config_(config), cores_(cores), view_(config.cores)
    {
    }

    /// Accounts for a pass through layers. Only the results of compressed rows in `stored` are
    /// used.
    void account(const Pass& pass, std::span<const Stored> stored, Operation& operation);
    /// Accounts for a product with one matrix.
    void account_linear(const Pass& pass, const Matrix& matrix, Operation& operation);
    /// Accounts for compressing the keys and values of one entry's prompt.
    void account_prompt(const Pass& pass, const Stored& stored, Operation& operation);

    [[nodiscard]] StageView& view() { return view_; }
    void observe(InnerSpanSink sink) { inside_ = std::move(sink); }
    void report(Stats& stats) const;

private:
    void account_one(const Pass& pass, std::uint32_t layer, std::uint32_t entry,
                     const Stored* stored, Operation& operation);
    void add_work(const Activity& activity, std::uint64_t off_chip, Operation& operation) const;
    void add_loading(const Accounts& accounts, std::uint32_t layer, Operation& operation);
    [[nodiscard]] Picoseconds time_of(double cycles) const;

    const Config& config_;
    Cores& cores_;
    StageView view_;
    InnerSpanSink inside_; ///< Null: nobody observes the stages.
    std::uint64_t tokens_ = 0, layer_tokens_ = 0, kv_bytes_ = 0, input_bytes_ = 0,
                  loaded_bytes_ = 0, macs_ = 0;
};

} // namespace levee::cim
