// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/tensor_rows.hpp"
#include "core/memory/loop_nest.hpp"
#include "ip/sfu/vector_tables.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace levee::sfu {

/// Rows of a tensor, one for each vector of an operation.
struct VectorRows {
    std::uint64_t address = 0;
    std::array<std::int32_t, 3> stride{}; ///< Strides of o0, o1 and row.
    std::uint64_t bytes = 0;              ///< Bytes of a row.

    /// Returns the access to `count` rows of a group, starting `from` rows after the first.
    [[nodiscard]] AccessPattern of(const Group& group, std::uint64_t count,
                                   std::uint32_t from = 0) const
    {
        std::uint64_t first = offset_by(address, stride[2], from);
        first = offset_by(offset_by(first, stride[0], group.o0), stride[1], group.o1);
        AccessPattern pattern = contiguous(first, bytes);
        pattern.count[2] = count;
        pattern.stride[2] = stride[2];
        return pattern;
    }

    /// Adds the streams of these rows, except for the groups in `skipped`.
    void open(CommandQueue& queue, const VectorOperation& op, Operation& operation,
              Direction direction, std::uint32_t field, std::size_t skipped = 0) const
    {
        const std::uint64_t total = (op.groups() - skipped) * op.rows * bytes;
        if (total == 0)
            return;
        const auto patterns =
            patterns_of(address, bytes,
                        {{op.outer[0], stride[0]}, {op.outer[1], stride[1]}, {op.rows, stride[2]}});
        for (const AccessPattern& pattern : patterns)
            queue.add_stream(operation, direction, pattern, total / patterns.size(), field);
    }
};

/// The running maxima and sums at gain.
inline VectorRows running_rows(const VectorOperation& op)
{
    VectorRows running{op.gain, std::to_array(op.out_scale_stride), sizeof(levee_sfu_running)};
    for (std::int32_t& stride : running.stride)
        stride *= running_words;
    return running;
}

} // namespace levee::sfu
