// SPDX-License-Identifier: Apache-2.0
// Two DMA engines, whose fills and copies represent the work of any block.
#pragma once

#include "ip/dma/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <cstddef>

namespace levee::test {

struct TwoEngines : Bench {
    dma::Dma first{"first", {Clock{1'000'000'000}, 64, queue_config}, fabric};
    dma::Dma second{"second", {Clock{1'000'000'000}, 64, queue_config}, fabric};

    TwoEngines() : Bench("bench")
    {
        connect(first.queue);
        connect(second.queue);
    }

    void wait_for(unsigned number, std::uint32_t value)
    {
        while (!sync.reached(number, value))
            sc_core::wait(sync.changed(number));
    }
    void set_counter(unsigned number, std::uint32_t value)
    {
        write(sync_base + LEVEE_SYNC_VALUE(number), value);
    }
    void add(unsigned number, std::uint32_t amount)
    {
        write(sync_base + LEVEE_SYNC_ADD(number), amount);
    }
};

/// Returns a fill of `runs` consecutive runs at `destination`, each with `run_bytes` bytes of
/// `value`.
inline levee_dma_operation fill_of(std::uint64_t destination, std::uint8_t value,
                                   std::uint32_t runs = 1, std::uint32_t run_bytes = 64)
{
    levee_dma_operation fill{};
    fill.destination = destination;
    fill.destination_stride[0] = run_bytes;
    fill.count[0] = runs;
    fill.count[1] = fill.count[2] = 1;
    fill.run_bytes = run_bytes;
    fill.fill = value;
    return fill;
}

inline levee_descriptor fill(std::uint64_t destination, std::uint8_t value, std::uint32_t runs = 1,
                             std::uint32_t run_bytes = 64)
{
    return describe(LEVEE_DMA_FILL, fill_of(destination, value, runs, run_bytes), value);
}

inline levee_descriptor copy(std::uint64_t source, std::uint64_t destination, std::uint32_t bytes)
{
    levee_dma_operation operation = fill_of(destination, 0, 1, bytes);
    operation.source = source;
    return describe(LEVEE_DMA_COPY, operation, 0xC0);
}

inline void wait_on(levee_descriptor& descriptor, unsigned slot, std::uint8_t number,
                    std::uint32_t value)
{
    descriptor.wait_counter[slot] = number;
    descriptor.wait_value[slot] = value;
}

inline void signal(levee_descriptor& descriptor, unsigned slot, std::uint8_t number,
                   std::uint16_t amount, std::uint32_t every = 0)
{
    descriptor.signal_counter[slot] = number;
    descriptor.signal_add[slot] = amount;
    descriptor.signal_every[slot] = every;
}

} // namespace levee::test
