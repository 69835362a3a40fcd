// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/unit/blocks/bench.hpp"

#include <vector>

namespace levee::test {

/// Replaces the block in front of a stream port. It delivers `stream` in the time `busy`.
class Producer : public Executor {
public:
    explicit Producer(StreamPort& port) : port_(port) {}

    std::vector<float> stream;
    Picoseconds busy = 0;

private:
    void prepare(const levee_descriptor&, Operation& operation) override
    {
        operation.produces = &port_;
        operation.stream = stream;
        operation.job.activity.minimum = busy;
    }

    StreamPort& port_;
};

inline constexpr Declaration producer_declaration{.type = "producer"};

} // namespace levee::test
