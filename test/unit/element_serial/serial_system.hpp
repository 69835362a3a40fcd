// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/module.hpp"
#include "ip/element_serial/timing.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/element_serial/two_passes.hpp"

namespace levee::test {

inline constexpr Picoseconds serial_cycle = 1000;

/// A system with the unit, a fast memory and three ports.
struct SerialSystem : Bench {
    element_serial::ElementSerial unit;

    explicit SerialSystem(std::uint64_t rate = 1'024'000'000'000, std::uint32_t tile = paper_tile)
        : Bench("bench",
                {{"results", 64'000'000'000, 0},
                 {"normalised", 64'000'000'000, 0},
                 {"passed", 64'000'000'000, 0}},
                rate),
          unit("unit", {Clock{1'000'000'000}, tile, queue_config}, fabric)
    {
        connect(unit.queue);
    }

    /// Returns an operation on packed zeros; times do not depend on the data.
    levee_es_operation plain(element_serial::Function function, std::uint16_t heads,
                             std::uint16_t rows, std::uint32_t n)
    {
        levee_es_operation op{};
        op.outer[0] = 1;
        op.outer[1] = heads;
        op.rows = rows;
        op.group = 1;
        op.n = n;
        op.function = static_cast<std::uint8_t>(function);
        op.x_type = LEVEE_TYPE_FP16;
        op.param = 1.0f;
        const auto place = [&](std::int32_t(&stride)[3], std::uint64_t run) {
            stride[2] = static_cast<std::int32_t>(run);
            stride[1] = static_cast<std::int32_t>(run * rows);
            return take(run * rows * heads);
        };
        op.x = place(op.x_stride, 2ull * n);
        op.out = place(op.out_stride, 2ull * n);
        op.statistics = place(op.statistics_stride, sizeof(levee_es_statistics));
        return op;
    }
    void set_lengths(levee_es_operation& op, const std::vector<std::uint32_t>& lengths)
    {
        op.lengths = put(lengths);
        op.lengths_stride[1] = 4;
    }

    /// Returns the time from the doorbell to the completion signal, less the fetch and the memory's
    /// latency.
    Picoseconds duration(std::uint8_t opcode, const levee_es_operation& op)
    {
        levee_descriptor descriptor = describe(opcode, op);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(0, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        return now_ps() - begun - fetch - hop - memory_latency;
    }
    std::uint64_t cycles(std::uint8_t opcode, const levee_es_operation& op)
    {
        return duration(opcode, op) / serial_cycle;
    }
};

} // namespace levee::test
