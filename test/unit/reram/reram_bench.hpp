// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/reram/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <random>

namespace levee::test {

/// Returns crossbars of 16 x 12 with 2 bits a cell and 128 units. t_c is 70 ns for 8 bits and 150
/// ns for 16 bits, t_w is 1 us.
inline reram::Config small_reram()
{
    reram::Config config;
    config.array.crossbar.rows = 16;
    config.array.crossbar.columns = 12;
    config.array.crossbar.cell_bits = 2;
    config.array.units = 128;
    config.timing = {10'000, 1'000, 2, 0, 1'000'000};
    config.queue = queue_config;
    return config;
}

/// Returns the same crossbars with operations that take only the time of their own work.
inline reram::Config bare_reram()
{
    reram::Config config = small_reram();
    config.queue.timing.fetch = config.queue.timing.latency = config.queue.timing.streams = false;
    config.queue.fetch = 0;
    return config;
}

/// A system with crossbars. Block i is component i.
struct ReramBench : Bench {
    std::vector<std::unique_ptr<reram::Reram>> rerams;
    std::mt19937 random{7};

    explicit ReramBench(const std::vector<std::pair<reram::Config, DataMode>>& configs,
                        const std::vector<StreamPortConfig>& ports = {})
        : Bench("bench", ports)
    {
        for (const auto& [config, data] : configs) {
            const std::string name = "reram" + std::to_string(rerams.size());
            rerams.push_back(std::make_unique<reram::Reram>(name.c_str(), config,
                                                            Fabric{flows, sync, streams, data}));
            connect(rerams.back()->queue);
        }
        for (unsigned i = 0; i < rerams.size(); ++i) {
            bus.targets.bind(rerams[i]->port);
            const auto target = static_cast<unsigned>(2 + rerams.size() + i);
            bus.map(
                {rerams[i]->name(), 0x60'0000'0000 + (std::uint64_t{i} << 32), 1 << 14, target, 0});
        }
    }

    [[nodiscard]] double real(const std::string& name, std::size_t block = 0) const
    {
        Stats stats;
        rerams[block]->report(stats);
        for (const auto& [known, value] : stats.figures())
            if (known == name)
                return std::get<double>(value);
        FAIL("the component reports no figure '" << name << "'");
        return 0;
    }
    [[nodiscard]] std::uint64_t count(const std::string& name, std::size_t block = 0) const
    {
        return figure(*rerams[block], name);
    }
    /// Returns how long the queue has worked, in picoseconds.
    [[nodiscard]] std::uint64_t busy(std::size_t block = 0) const
    {
        return static_cast<std::uint64_t>(real("busy_seconds", block) * 1e12 + 0.5);
    }
    std::uint32_t run_one(unsigned block, std::uint8_t opcode, const levee_reram_operation& op)
    {
        return execute(block, levee::test::describe(opcode, op));
    }
    /// Executes the operation and returns how long the queue worked on it.
    std::uint64_t timed(unsigned block, std::uint8_t opcode, const levee_reram_operation& op)
    {
        const std::uint64_t before = busy(block);
        CHECK(run_one(block, opcode, op) == LEVEE_ERROR_NONE);
        return busy(block) - before;
    }
    template <typename T> std::vector<T> draw(std::size_t count, std::int32_t most)
    {
        std::vector<T> values(count);
        for (T& value : values)
            value = static_cast<T>(
                static_cast<std::int32_t>(random() % static_cast<unsigned>(2 * most + 1)) - most);
        return values;
    }
};

/// Returns a stage of a matrix with this many word and bit lines, all driven and sensed.
inline levee_reram_stage stage_of(std::uint32_t unit, std::uint32_t rows, std::uint32_t columns,
                                  std::uint8_t bits, levee_reram_access access)
{
    levee_reram_stage stage{};
    stage.unit = unit;
    stage.rows = rows;
    stage.columns = columns;
    stage.bits = bits;
    stage.access = static_cast<std::uint8_t>(access);
    stage.lines = access == LEVEE_RERAM_COLUMNS_SENSED ? columns : rows;
    return stage;
}

/// Returns a product of m INT16 or INT8 vectors of k elements through the stages, consecutive in
/// memory.
inline levee_reram_operation product_of(Bench& bench, const std::vector<levee_reram_stage>& stages,
                                        std::uint32_t m, std::uint32_t k, levee_type type)
{
    levee_reram_operation op{};
    const std::int32_t bytes = type == LEVEE_TYPE_INT8 ? 1 : 2;
    op.stages = bench.put(stages);
    op.stage_count = static_cast<std::uint8_t>(stages.size());
    op.outer[0] = op.outer[1] = op.m0 = 1;
    op.m1 = static_cast<std::uint16_t>(m);
    op.k = k;
    op.n = stages.back().lines;
    op.a_type = static_cast<std::uint8_t>(type);
    op.a_stride[2] = static_cast<std::int32_t>(k) * bytes;
    op.out_type = LEVEE_TYPE_NONE;
    op.out_stride[2] = static_cast<std::int32_t>(op.n) * 8;
    op.alpha = 1.0f;
    return op;
}

/// Returns a write of m columns of k elements to the stage's matrix, from its first column on.
inline levee_reram_operation write_of(Bench& bench, const levee_reram_stage& stage, std::uint32_t m,
                                      std::uint32_t k, levee_type type)
{
    levee_reram_operation op = product_of(bench, {stage}, m, k, type);
    op.n = 0;
    return op;
}

} // namespace levee::test
