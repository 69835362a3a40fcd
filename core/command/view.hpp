// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee {

/// Whether an operation makes accesses in this direction at `address`. A functional run makes all
/// accesses; a timing-only run makes only those that the memory tracks.
[[nodiscard]] inline bool makes_access(CommandQueue& queue, Direction direction,
                                       std::uint64_t address)
{
    return !queue.timing_only() || queue.tracks(direction, address);
}

/// Part of a tensor that an operation accesses. A functional run moves the elements; a timing-only
/// run has none and only makes the access.
struct View {
    CommandQueue& queue;
    AccessPattern pattern;
    std::uint32_t field;

    /// Adds a stream of these elements to the operation.
    void open(Operation& operation, Direction direction) const
    {
        queue.add_stream(operation, direction, pattern, pattern.bytes(), field);
    }
    /// Reads the elements. Returns false in timing-only runs, where `elements` stays empty.
    template <typename Element> bool read(std::vector<Element>& elements) const
    {
        elements.resize(queue.timing_only() ? 0 : pattern.bytes() / sizeof(Element));
        return read(elements, 0);
    }
    /// Reads the elements into a buffer, from element `at` on. The buffer may be empty in
    /// timing-only runs.
    template <typename Buffer> bool read(Buffer& buffer, std::size_t at) const
    {
        const bool has_payload = !queue.timing_only();
        if (makes_access(queue, Direction::Read, pattern.address))
            queue.read(pattern, has_payload ? buffer.data() + at : nullptr, field);
        return has_payload;
    }
    /// Writes elements of a buffer, from element `at` on. The buffer may be empty in timing-only
    /// runs.
    template <typename Buffer> void write(const Buffer& buffer, std::size_t at = 0) const
    {
        if (makes_access(queue, Direction::Write, pattern.address))
            queue.write(pattern, queue.timing_only() ? nullptr : buffer.data() + at);
    }
};

/// Whether decisions are drawn from statistics.
[[nodiscard]] inline bool draws(const CommandQueue& queue)
{
    return queue.timing_only() && queue.decisions().statistics != nullptr;
}

/// Whether decisions are replayed from a recorded run.
[[nodiscard]] inline bool replays(const CommandQueue& queue)
{
    return queue.timing_only() && queue.decisions().statistics == nullptr;
}

} // namespace levee
