// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_statistics.hpp"
#include "ip/dma/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/rsa/more_memory.hpp"

#include <cstddef>
#include <map>
#include <stdexcept>

namespace levee::test {

/// Records decisions and plays them back. Names of blocks are ignored.
class Memo : public DecisionRecorder, public DecisionSource {
public:
    void decided(const std::string&, std::uint64_t operation, const Decision& decision) override
    {
        Decision& all = decisions_[operation];
        all.descriptor = decision.descriptor;
        all.writes.insert(all.writes.end(), decision.writes.begin(), decision.writes.end());
    }
    const Decision& decision(const std::string&, std::uint64_t operation) override
    {
        const auto found = decisions_.find(operation);
        if (found == decisions_.end())
            throw std::runtime_error("operation " + std::to_string(operation) +
                                     " has decided nothing");
        return found->second;
    }

private:
    std::map<std::uint64_t, Decision> decisions_;
};

/// A system with one functional and one timing-only block of each type, and a memory that tracks
/// accesses.
struct Twins : Bench {
    /// Writes a table whose words place runs in rows below `rows`, or skip them.
    template <typename Draw> std::uint64_t put_table(std::uint32_t rows, Draw draw)
    {
        std::vector<std::uint32_t> words(125);
        for (std::uint32_t& word : words)
            word = draw(4) == 0 ? LEVEE_DMA_SKIP : draw(rows);
        return put(words);
    }

    enum Number : unsigned { RealDma, ShapeDma, RealSfu, ShapeSfu };

    Memo memo;
    DecisionStatistics statistics{};
    dma::Dma real_dma, shape_dma;
    sfu::Sfu real_sfu, shape_sfu;
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[4];

    explicit Twins(bool statistical = false)
        : Bench("bench"), real_dma("real_dma", engine, of(DataMode::Functional, statistical)),
          shape_dma("shape_dma", engine, of(DataMode::TimingOnly, statistical)),
          real_sfu("real_sfu", unit, of(DataMode::Functional, statistical)),
          shape_sfu("shape_sfu", unit, of(DataMode::TimingOnly, statistical))
    {
        CommandQueue* const queues[] = {&real_dma.queue, &shape_dma.queue, &real_sfu.queue,
                                        &shape_sfu.queue};
        for (std::size_t i = 0; i < std::size(queues); ++i) {
            connect(*queues[i]);
            queues[i]->observe(asked[i]);
        }
        levee::test::connect(*this, more, 4);
    }

    Outcome execute_on(unsigned block, levee_descriptor descriptor)
    {
        return levee::test::execute_on(*this, more, block, descriptor);
    }
    /// Executes the descriptor on block `real`, calls `between`, then executes it on the block's
    /// timing-only copy. Any difference fails the test.
    std::uint32_t compare(unsigned real, const levee_descriptor& descriptor, auto between)
    {
        const Outcome one = execute_on(real, descriptor);
        between();
        const Outcome other = execute_on(real + 1, descriptor);
        check_same(one, asked[real], other, asked[real + 1]);
        return one.error;
    }

    /// Returns all bytes allocated so far in both memories.
    std::vector<std::uint8_t> bytes() { return bytes_in(*this, more); }
    /// Moves the operand's address to the corresponding place in the other memory.
    static void move_there(std::uint64_t& address)
    {
        if (address != 0)
            address += more_base - memory_base;
    }

private:
    static constexpr dma::Config engine{Clock{1'000'000'000}, 16, queue_config};
    static constexpr sfu::Config unit{Clock{1'000'000'000}, 8, 10, queue_config};

    Fabric of(DataMode data, bool statistical)
    {
        Fabric made{flows, sync, streams, data, {}};
        if (data == DataMode::Functional)
            made.decisions.recorder = &memo;
        else if (statistical)
            made.decisions.statistics = &statistics;
        else
            made.decisions.source = &memo;
        return made;
    }
};

} // namespace levee::test
