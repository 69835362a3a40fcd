// SPDX-License-Identifier: Apache-2.0
// Accesses to tensors and decisions, in one form for both kinds of run.
#pragma once

#include "core/command/command_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee {

/// Whether an operation performs its accesses of that kind at `address`. A functional run performs
/// all of them, a timing-only run only those that the memory tracks.
[[nodiscard]] inline bool makes_access(CommandQueue& queue, Direction direction,
                                       std::uint64_t address)
{
    return !queue.timing_only() || queue.tracks(direction, address);
}

/// Part of a tensor as an operation accesses it, with payload or without. A functional run moves
/// the elements; a timing-only run has none and only makes the access.
struct View {
    CommandQueue& queue;
    AccessPattern pattern;
    std::uint32_t field; ///< field of the descriptor, for messages

    /// Adds a stream through these elements to the operation.
    void open(Operation& operation, Direction direction) const
    {
        queue.add_stream(operation, direction, pattern, pattern.bytes(), field);
    }
    /// Reads the elements into `elements`, which stays empty without payload. Returns whether there
    /// are any.
    template <typename Element> bool read(std::vector<Element>& elements) const
    {
        elements.resize(queue.timing_only() ? 0 : pattern.bytes() / sizeof(Element));
        return read(elements, 0);
    }
    /// Reads them into a part of a buffer, from element `at` on. Without payload it may be empty.
    template <typename Buffer> bool read(Buffer& buffer, std::size_t at) const
    {
        const bool has_payload = !queue.timing_only();
        if (makes_access(queue, Direction::Read, pattern.address))
            queue.read(pattern, has_payload ? buffer.data() + at : nullptr, field);
        return has_payload;
    }
    /// Writes a part of a buffer, from element `at` on. Without payload it may be empty.
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
