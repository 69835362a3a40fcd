// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/cam/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <string>
#include <utility>
#include <vector>

namespace levee::test {

inline constexpr Picoseconds cam_cycle = 1000;

/// 16 arrays, each with 16 rows of 24 cells of up to 4 bits. Programming a row takes 5 cycles, a
/// search takes 3.
inline cam::Build small_build()
{
    return {{16, 24, 16}, 4, {5, 3, 2}, {}};
}

/// Two sequences with three heads each. Each head has a slice of 20 slots with keys of 8 elements,
/// and two queries.
struct CamCase {
    static constexpr std::uint32_t entries = 2, heads = 3, slots = 20, n = 8, group = 2;
    std::vector<std::int16_t> keys, queries;
    std::vector<float> scales;
    std::uint64_t keys_at = 0, queries_at = 0, scales_at = 0, slots_at = 0, lengths_at = 0,
                  counts_at = 0, list_at = 0;

    CamCase(Bench& system, std::uint32_t seed)
    {
        std::uint64_t index = 0;
        const auto draw = [&](std::size_t count) {
            std::vector<std::int16_t> elements(count);
            for (std::int16_t& element : elements)
                element = static_cast<std::int16_t>(
                    static_cast<int>(random_word(seed, 0, index++) % 65535) - 32767);
            return elements;
        };
        keys = draw(std::size_t{entries} * heads * slots * n);
        queries = draw(std::size_t{entries} * heads * group * n);
        for (std::size_t i = 0; i < std::size_t{entries} * heads * slots; ++i)
            scales.push_back(static_cast<float>(random_word(seed, 1, i) % 100) / 1e6f);
        keys_at = system.put(keys);
        queries_at = system.put(queries);
        scales_at = system.put(scales);
        slots_at = system.put(std::vector<std::uint32_t>(entries));
        lengths_at = system.put(std::vector<std::uint32_t>{slots, 13});
        counts_at = system.put(std::vector<std::uint32_t>{7, 4});
        list_at = system.put(std::vector<std::uint32_t>(std::size_t{entries} * heads * slots, 77));
    }

    /// Sets the fields that WRITE and SEARCH share.
    static levee_cam_operation format(std::uint8_t bits, levee_cam_distance distance,
                                      float range = 0)
    {
        levee_cam_operation op{};
        op.outer[0] = entries;
        op.outer[1] = heads;
        op.row_stride[1] = slots;
        op.row_stride[0] = heads * slots;
        op.slice_slots = slots;
        op.n = n;
        op.type = LEVEE_TYPE_INT16;
        op.bits = bits;
        op.distance = static_cast<std::uint8_t>(distance);
        op.range = range;
        return op;
    }
    /// Writes all keys.
    [[nodiscard]] levee_cam_operation write(levee_cam_operation op) const
    {
        op.vectors = keys_at;
        op.vectors_stride[2] = 2 * n;
        op.vectors_stride[1] = static_cast<std::int32_t>(2 * n * slots);
        op.vectors_stride[0] = static_cast<std::int32_t>(2 * n * slots * heads);
        op.scales = scales_at;
        op.scales_stride[2] = 4;
        op.scales_stride[1] = 4 * slots;
        op.scales_stride[0] = 4 * slots * heads;
        op.slots = slots_at;
        op.slots_stride[0] = 4;
        op.rows = slots;
        return op;
    }
    [[nodiscard]] levee_cam_operation search(levee_cam_operation op) const
    {
        op.vectors = queries_at;
        op.vectors_stride[2] = 2 * n;
        op.vectors_stride[1] = 2 * n * group;
        op.vectors_stride[0] = 2 * n * group * heads;
        op.rows = group;
        op.lengths = lengths_at;
        op.counts = counts_at;
        op.word_stride = 4;
        op.list = list_at;
        op.list_stride[1] = 4 * slots;
        op.list_stride[0] = 4 * slots * heads;
        op.width = slots;
        return op;
    }
};

struct CamSystem : Bench {
    cam::Cam memory_of_proxies;

    explicit CamSystem(const cam::Build& build = small_build())
        : Bench("bench", {}, 256'000'000'000),
          memory_of_proxies("cam", {Clock{1'000'000'000}, build, queue_config}, fabric)
    {
        connect(memory_of_proxies.queue);
    }
    /// Returns the time from the doorbell to the completion signal.
    Picoseconds time(levee_descriptor descriptor)
    {
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(0, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        const Picoseconds taken = now_ps() - begun;
        CHECK(settle(0));
        return taken;
    }
};

} // namespace levee::test
