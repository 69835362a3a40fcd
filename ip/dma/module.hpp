#pragma once

#include "ip/common/clock.hpp"
#include "ip/common/command_queue.hpp"
#include "ip/dma/regs.h"

#include <systemc>

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::dma {

struct Config {
    Clock clock;
    std::uint32_t bytes_per_cycle = 0; ///< the engine's own width
    CommandQueueConfig queue;
};

/// Copies and fills memory by descriptors.
class Dma : public sc_core::sc_module, private Executor {
public:
    Dma(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t bytes_ = 0;
};

} // namespace levee::dma
