// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/cam/operation_run.hpp"

#include <systemc>

#include <cstdint>

namespace levee::cam {

struct Config {
    Clock clock;
    Build build;
    CommandQueueConfig queue;
};

/// Content-addressable memory: stores proxies of vectors and lists those nearest to queries, by
/// descriptors (ip/cam/README.md).
class Cam : public sc_core::sc_module, private Executor {
public:
    Cam(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;

    Config config_;
    OperationRun run_;
    OperationRun::Size sum_;
};

} // namespace levee::cam
