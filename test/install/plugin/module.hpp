// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "declaration.hpp"

#include <systemc>

namespace argmax {

struct Config {
    levee::Clock clock;
    std::uint32_t lanes = 0; ///< elements compared per cycle
    levee::CommandQueueConfig queue;
};

/// Finds the greatest element of a vector, comparing `lanes` elements per cycle.
class Argmax : public sc_core::sc_module, private levee::Executor {
public:
    Argmax(const sc_core::sc_module_name& name, const Config& config, levee::Fabric fabric);

    levee::CommandQueue queue;

    void report(levee::Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, levee::Operation& operation) override;

    Config config_;
    std::uint64_t compared_ = 0;
};

} // namespace argmax
