// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "ip/systolic_evictor/module.hpp"
#include "test/unit/blocks/producer.hpp"
#include "test/unit/systolic_evictor/random_evictions.hpp"

#include <map>

namespace levee::test {

inline constexpr unsigned evictor = 0, source = 1; // numbers of the blocks
inline constexpr Picoseconds cycle = 1000;
inline constexpr Picoseconds fill = 7'000; // Fill time of the stream port.

/// Records the discarded bytes, and the written addresses in order.
class Traffic : public bus::BusObserver {
public:
    void passed(const bus::Transaction& transaction) override
    {
        if (transaction.bulk == nullptr || !transaction.payload->is_response_ok())
            return;
        const BulkExtension& bulk = *transaction.bulk;
        bulk.pattern.for_each_run([&](std::uint64_t at) {
            if (bulk.phase == BulkExtension::Phase::Discard)
                discarded[at] = bulk.pattern.run_bytes;
            else if (bulk.phase == BulkExtension::Phase::Data && bulk.direction == Direction::Write)
                written.emplace_back(at, bulk.pattern.run_bytes);
        });
    }

    std::map<std::uint64_t, std::uint64_t> discarded; ///< The discarded bytes by address.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
};

struct EvictorSystem : Bench {
    systolic_evictor::SystolicEvictor se;
    Producer producer;
    CommandQueue producer_queue;
    Traffic traffic;

    explicit EvictorSystem(std::uint32_t scores_per_cycle = 1,
                           std::unique_ptr<systolic_evictor::Engine> engine = nullptr,
                           std::uint64_t memory_bytes_per_second = 256'000'000'000)
        : Bench("bench", {{"scores", 256'000'000'000, fill}}, memory_bytes_per_second),
          se("se", {Clock{1'000'000'000}, 32, scores_per_cycle, queue_config}, fabric,
             std::move(engine)),
          producer(*streams.find(LEVEE_STREAM(0))),
          producer_queue("producer", queue_config, producer_declaration, producer, fabric)
    {
        connect(se.queue);
        connect(producer_queue);
        bus.observe(traffic);
    }
    /// Returns the time from the doorbell (or the later of two) to the evictor's signal.
    Picoseconds time(levee_descriptor descriptor, bool streams_scores = false)
    {
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        if (streams_scores)
            submit(source, {describe(1, levee_se_operation{})});
        submit(evictor, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        const Picoseconds taken = now_ps() - begun;
        CHECK(settle(evictor));
        return taken;
    }
    std::uint32_t error_field() { return reg(evictor, LEVEE_CMD_ERROR_FIELD) - operation_field(0); }
    void reset()
    {
        set_reg(evictor, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        sc_core::wait(1, sc_core::SC_US);
    }
};

} // namespace levee::test
