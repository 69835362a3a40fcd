// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee::flash {

using Time = std::uint64_t; ///< picoseconds

/// Size of each level of the hierarchy: channel, chip, die, plane, block, page.
struct Geometry {
    std::uint32_t channels = 0;
    std::uint32_t chips = 0;  ///< Chips of a channel.
    std::uint32_t dies = 0;   ///< Dies of a chip; each has a compute core.
    std::uint32_t planes = 0; ///< Planes of a die; each has a data and a cache register.
    std::uint32_t blocks = 0; ///< Blocks of a plane.
    std::uint32_t pages = 0;  ///< Pages of a block.
    std::uint32_t page_bytes = 0;
    std::uint32_t spare_bytes = 0; ///< Spare bytes of a page, in addition to page_bytes.

    [[nodiscard]] std::uint32_t dies_per_channel() const { return chips * dies; }
    [[nodiscard]] std::uint32_t planes_per_channel() const { return dies_per_channel() * planes; }
    [[nodiscard]] std::uint32_t pages_per_plane() const { return blocks * pages; }
    [[nodiscard]] std::uint64_t pages_in_all() const
    {
        return std::uint64_t{channels} * planes_per_channel() * pages_per_plane();
    }
};

/// Order of waiting transfers on a channel. Transfers are never interrupted.
enum class Arbitration {
    /// Slice control. Order: inputs and results of read-computes, commands, data out, data in. Data
    /// out yields the bus after each slice.
    ReadComputeFirst,
    FirstCome, ///< In the order in which transfers became ready.
    DataFirst  ///< Data out before commands, as is common in controllers without slice control.
};

/// How commands address the planes of a die.
enum class PlaneCommands {
    Independent, ///< Each plane works independently.
    Paired ///< One command at a time. Reads with the same page number in several planes share a
           ///< command.
};

struct TimingConfig {
    Time read = 0;           ///< Time to sense a page into the data register (tR).
    Time program = 0;        ///< Time to program a page (tPROG).
    Time erase = 0;          ///< Time to erase a block (tBERS).
    Time command = 0;        ///< Time of a command on the channel.
    Time paired_command = 0; ///< Time of a command that addresses several planes.
    std::uint64_t channel_bytes_per_second = 0;
    std::uint64_t core_macs_per_second = 0; ///< Rate of a die's compute core; 0: no read-compute.
    std::uint32_t buffer_bytes = 0;         ///< Buffer of a core, for inputs and results together.
    std::uint32_t slice_bytes = 0;          ///< Bytes of data out that are sent at a time; 0: whole
                                            ///< pages.
    std::uint32_t in_flight = 2; ///< Maximum number of read-computes of a die whose input has been
                                 ///< sent and whose computation has not ended.
    Arbitration arbitration = Arbitration::ReadComputeFirst;
    PlaneCommands planes = PlaneCommands::Independent;
    /// A page that waits for data out moves to the cache register, which frees the data register.
    bool cache_read = true;
    /// The input vector may be sent while the plane still senses another page. Otherwise it is sent
    /// when the plane is free, so that a read-compute takes the input transfer plus tR.
    bool input_ahead = false;

    bool operator==(const TimingConfig&) const = default;
    [[nodiscard]] Time transfer(std::uint64_t bytes) const;
    [[nodiscard]] Time compute(std::uint64_t macs) const;
};

enum class RequestKind : std::uint8_t { Read, ReadCompute, Program, Erase };
[[nodiscard]] const char* name_of(RequestKind kind);

/// A request to one plane of a channel.
struct Request {
    RequestKind kind = RequestKind::Read;
    std::uint32_t die = 0;   ///< Die of the channel: chip x dies + die of the chip.
    std::uint32_t plane = 0; ///< Plane of the die.
    std::uint32_t page = 0;  ///< Page of the plane: block x pages + page of the block.
    std::uint32_t bytes = 0; ///< Bytes on the channel: data out, result or data in.
    std::uint32_t macs = 0;  ///< Multiply-accumulates of a read-compute.

    bool operator==(const Request&) const = default;
};

/// Steps of a request.
enum class Step : std::uint8_t {
    Command,
    Input, ///< The input vector is sent to all cores of the channel that the tile needs.
    Sense,
    Compute,
    Result,
    DataOut,
    DataIn,
    Program,
    Erase,
    Hold ///< The page waits in the cache register until it is computed or sent.
};
[[nodiscard]] const char* name_of(Step step);
/// Whether the step occupies the channel's bus.
[[nodiscard]] constexpr bool is_on_bus(Step step)
{
    return step != Step::Sense && step != Step::Compute && step != Step::Program &&
           step != Step::Erase && step != Step::Hold;
}

struct Span {
    std::uint32_t request;
    std::uint32_t requests; ///< Number of requests that share a broadcast input: `request` and
                            ///< those that follow it.
    RequestKind kind;
    Step step;
    std::uint32_t die, plane, page; ///< Place of `request`.
    Time from, to;
};
using SpanSink = std::function<void(const Span&)>;

/// Counts of a channel and its dies.
struct ChannelCounts {
    std::uint64_t requests[4] = {}; ///< Completed requests, by RequestKind.
    std::uint64_t input_bytes = 0;  ///< Bytes on the channel; a broadcast counts once.
    /// Bytes written into the buffers of cores. A broadcast counts once per core.
    std::uint64_t buffered_bytes = 0;
    std::uint64_t result_bytes = 0;
    std::uint64_t data_out_bytes = 0;
    std::uint64_t data_in_bytes = 0;
    std::uint64_t commands = 0;
    std::uint64_t macs = 0;
    Time bus_busy = 0;
    Time vector_busy = 0;  ///< Part of bus_busy that inputs and results take.
    Time sense_busy = 0;   ///< Time of sensing, summed over planes.
    Time compute_busy = 0; ///< Time of computation, summed over cores.
    Time last_compute = 0; ///< When the last read-compute's result had been sent.
    Time last_read = 0;    ///< When the last page had been sent.

    void add(const ChannelCounts& other);
};

} // namespace levee::flash
