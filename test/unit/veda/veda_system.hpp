// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/module.hpp"
#include "test/unit/blocks/bench.hpp"

namespace levee::test {

inline constexpr veda::ArrayShape paper_arrays{2, 8, 8};

/// A system with the arrays and a fast memory.
struct VedaSystem : Bench {
    veda::Veda veda;

    explicit VedaSystem(const veda::ArrayShape& arrays = paper_arrays,
                        std::uint64_t buffer_bytes = 0, std::uint64_t rate = 1'024'000'000'000,
                        const std::vector<StreamPortConfig>& ports = {{"port", 64'000'000'000, 0}})
        : Bench("bench", ports, rate),
          veda("veda", {Clock{1'000'000'000}, arrays, buffer_bytes, queue_config}, fabric)
    {
        connect(veda.queue);
    }

    /// Returns the time from the doorbell to the completion signal, less the fetch and the memory's
    /// latency.
    Picoseconds duration(const levee_veda_operation& gemv, unsigned block = 0)
    {
        levee_descriptor descriptor = describe(LEVEE_VEDA_GEMV, gemv);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(block, {descriptor});
        const Picoseconds begun = sc_core::sc_time_stamp().value() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        return sc_core::sc_time_stamp().value() - begun - fetch - hop - memory_latency;
    }

    /// Returns an operation on packed zeros; times do not depend on the data.
    levee_veda_operation plain(levee_veda_mode mode, std::uint16_t heads, std::uint32_t m,
                               std::uint32_t k, std::uint32_t n)
    {
        levee_veda_operation op{};
        op.outer[0] = 1;
        op.outer[1] = heads;
        op.m = m;
        op.k = k;
        op.n = n;
        op.mode = mode;
        op.flags = mode == LEVEE_VEDA_INNER ? LEVEE_VEDA_B_TRANSPOSED : 0; // K and V are stored as
                                                                           // (l, d).
        op.out_type = LEVEE_TYPE_FP16;
        const auto rows = [&](std::int32_t(&stride)[3], std::uint32_t run, std::uint32_t count) {
            stride[2] = static_cast<std::int32_t>(2 * run);
            stride[1] = static_cast<std::int32_t>(2 * run * count);
            return take(2ull * run * count * heads);
        };
        const bool inner = mode == LEVEE_VEDA_INNER;
        op.a = rows(op.a_stride, k, m);
        op.b = rows(op.b_stride, inner ? k : n, inner ? n : k);
        op.out = rows(op.out_stride, n, m);
        return op;
    }
};

} // namespace levee::test
