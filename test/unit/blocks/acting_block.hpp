// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/unit/blocks/bench.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace levee::test {

/// A block that has only a queue. The test prepares its operations with the parts under test.
class ActingBlock : public Bench, private Executor {
public:
    using Prepare = std::function<void(const levee_descriptor&, Operation&)>;

    explicit ActingBlock(const Declaration& declaration, DataMode data = DataMode::Functional,
                         const std::vector<StreamPortConfig>& ports = {})
        : Bench("bench", ports),
          queue("queue", queue_config, declaration, *this, Fabric{flows, sync, streams, data, {}})
    {
        connect(queue);
    }

    /// Submits one descriptor and returns its error code. The queue is then ready for the next one.
    template <typename Op> std::uint32_t with(std::uint8_t opcode, const Op& op, Prepare prepare)
    {
        prepare_ = std::move(prepare);
        const std::uint32_t code = execute(0, describe(opcode, op));
        error_field = reg(0, LEVEE_CMD_ERROR_FIELD);
        set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        return code;
    }

    CommandQueue queue;
    std::uint32_t error_field = 0; ///< The field that the last error names.

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override
    {
        prepare_(descriptor, operation);
    }

    Prepare prepare_;
};

} // namespace levee::test
