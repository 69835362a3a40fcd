// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/inner_spans.hpp"
#include "core/flow/storage_module.hpp"
#include "core/units/clock.hpp"
#include "test/component/declaration.hpp"

namespace levee::tally {

struct Config {
    Clock clock;
    std::uint64_t size_bytes = 0;
    std::uint64_t bytes_per_second = 0; ///< Bandwidth that all readers of the rows share.
    Picoseconds latency = 0;            ///< Latency of each access.
    Picoseconds scrub_interval = 0;     ///< Time between two scrubs of a row.
    CommandQueueConfig queue;
};

/// A memory that computes weighted sums of its contents, with one multiply-accumulate per cycle
/// next to its rows.
class Tally : public StorageModule, private Executor, private FlowResource {
public:
    Tally(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;

    [[nodiscard]] std::uint64_t scrubbed_rows() const { return now_ps() / config_.scrub_interval; }
    void report(Stats& stats) const;
    /// The steps of a weighted sum, value by value, for timelines.
    [[nodiscard]] InnerSpans inside();

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;
    Picoseconds accessed(Direction, std::uint64_t, unsigned, Picoseconds) override
    {
        return config_.latency;
    }
    Picoseconds begun(const BulkExtension&, std::uint64_t) override { return config_.latency; }
    FlowResource& resource() override { return *this; }

    Config config_;
    std::uint64_t weighed_ = 0;
    InnerSpanSink inside_; ///< null if no observer is set
};

} // namespace levee::tally
