// SPDX-License-Identifier: Apache-2.0
// Wrong operations that a block must refuse.
#pragma once

#include "core/command/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace levee::test {

template <typename Op> struct BadOperation {
    static constexpr std::size_t no_member = SIZE_MAX; ///< only the opcode is wrong

    std::uint8_t opcode;
    std::function<void(Op&)> spoil; ///< turns a valid operation into a wrong one
    levee_command_error code;
    std::size_t member; ///< offset of the wrong member

    /// Expected value of LEVEE_CMD_ERROR_FIELD.
    [[nodiscard]] std::uint32_t field() const
    {
        return member == no_member ? offsetof(levee_descriptor, opcode) : operation_field(member);
    }
};

} // namespace levee::test
