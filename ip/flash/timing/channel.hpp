// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/parts.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace levee::flash {

/// Simulates one channel with its chips, request by request, with its own event queue. Channels do
/// not depend on each other.
///
/// A read consists of a command on the bus, sensing into the data register (tR), a move to the
/// cache register when that register is free, and data out in slices.
///
/// A read-compute senses a page and multiplies it in the die's core. The read-computes of a tile
/// share one input vector, which is sent once for all cores. In each die, pages are sensed (tR) and
/// move to the cache register. The core computes for one plane at a time, and its result is sent on
/// the bus. An input occupies the core's buffer from the input's transfer until the last page that
/// needs the input is computed. A result occupies the buffer from the start of its computation
/// until it has been sent. An input is sent only if every waiting computation still has space for
/// its result; this avoids deadlock. Tiles are processed in order. A plane that the next tile needs
/// starts no other request.
///
/// A program is data in, then tPROG; an erase is a command, then tBERS. If several requests wait
/// for a plane, reads go before programs, and programs before erases.
class Channel final : private BusQueues {
public:
    Channel(const Geometry& geometry, const TimingConfig& config, ChannelParts parts = {});

    /// Called when a request is complete; may submit more requests.
    std::function<void(std::uint32_t request, Time now)> on_done;
    SpanSink on_span; ///< Receives every step of every request, ordered by end time.

    /// Submits a request, except a read-compute, and returns its number. `at` must not be in the
    /// past. Throws std::invalid_argument if the place is not in the channel.
    std::uint32_t submit(const Request& request, Time at);
    /// Submits read-computes, ordered by die, that share an input vector of `input_bytes` bytes.
    /// Returns the number of the first; the numbers of the others follow. Throws
    /// std::invalid_argument if there are no requests or no cores, or if a place is not in the
    /// channel. Also throws if the input and a result do not fit in a core's buffer, if a die gets
    /// more requests than may be in flight, or if dies are out of order.
    std::uint32_t submit_tile(std::span<const Request> requests, std::uint32_t input_bytes,
                              Time at);

    /// Runs until no request is left. Returns the time of the last event, or now() if there was
    /// none.
    Time run();
    /// Runs all events up to `until`, and advances the time to `until`.
    void run_until(Time until);
    /// Returns the time of the next event; empty if no request is left.
    [[nodiscard]] std::optional<Time> next_time();
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::uint64_t pending() const { return jobs_.size() - done_; }
    /// Discards completed requests; numbers start at 0 again. No request may be pending.
    void forget();
    [[nodiscard]] const ChannelCounts& counts() const { return counts_; }

private:
    static constexpr std::uint32_t none = ~0u;
    struct Job {
        Request request;
        std::uint32_t tile; ///< Tile of a read-compute; `none` for other requests.
        std::uint32_t left; ///< Data out: bytes that remain to be sent. Read-compute: bytes that
                            ///< remain to be computed.
    };
    struct Tile {
        std::uint32_t first, count, input_bytes;
    };
    struct Plane {
        std::uint32_t data = none, cache = none; ///< Jobs that occupy the registers.
        Time cached_at = 0;                      ///< When the page in `cache` arrived there.
        bool sensing = false;                    ///< The page in `data` is still being sensed.
        Time sensed_at = 0;                      ///< When the page in `data` had been sensed.
        std::uint32_t reserved = 0;              ///< Read-computes whose input has not arrived.
        std::deque<std::uint32_t> computes;      ///< Read-computes whose input has arrived.
    };
    struct Die {
        std::uint32_t computing = none;
        std::uint32_t inputs = 0, results = 0; ///< Bytes used in the core's buffer.
        std::vector<std::uint32_t> to_compute; ///< Jobs whose input has been sent or is on the bus.
        /// Read-computes whose page is in a cache register, waiting for the core.
        std::deque<std::uint32_t> core_queue;

        /// Read-computes whose input was sent and whose computation has not ended.
        [[nodiscard]] std::size_t in_flight() const
        {
            return to_compute.size() + (computing != none);
        }
    };
    /// A unit that accepts commands: one plane, or a whole die if its planes are not independent.
    struct Unit {
        std::deque<std::uint32_t> reads, programs, erases;
        bool read_listed = false, write_listed = false;
    };
    struct Waiting {
        Time since;
        std::uint32_t what;
    };
    enum class EventKind : std::uint8_t { Arrival, TileArrival, Sensed, Computed, Written };
    struct Event {
        Time at;
        std::uint64_t order;
        EventKind kind;
        std::uint32_t what;
        bool operator>(const Event& other) const
        {
            return at != other.at ? at > other.at : order > other.order;
        }
    };
    using Use = BusUse;
    struct Choice {
        Use use;
        std::size_t index;
        Time since;
    };
    /// How a kind of transfer uses the bus: functions that choose, start and finish a transfer of
    /// this kind.
    struct Transfer {
        std::optional<Choice> (Channel::*candidate)(Use use);
        void (Channel::*start)(const Choice& choice);
        void (Channel::*finish)(std::uint32_t what);
    };

    [[nodiscard]] std::uint32_t plane_of(const Request& request) const
    {
        return request.die * geometry_.planes + request.plane;
    }
    [[nodiscard]] std::uint32_t unit_of(std::uint32_t plane) const
    {
        return config_.planes == PlaneCommands::Paired ? plane / geometry_.planes : plane;
    }
    [[nodiscard]] bool can_sense(const Plane& plane) const;
    [[nodiscard]] bool is_free(std::uint32_t unit) const;
    [[nodiscard]] bool is_reserved(std::uint32_t unit) const;
    void check(const Request& request) const;
    void schedule(Time at, EventKind kind, std::uint32_t what);
    void note(std::uint32_t job, Step step, Time from, Time to);
    void finish(std::uint32_t job);

    bool step(Time until);
    void handle(const Event& event);
    void arrive(std::uint32_t job);
    void sense(std::uint32_t job);
    void advance(std::uint32_t plane);
    void release(std::uint32_t plane);
    void queue_data_out(Waiting page);
    void list(std::uint32_t unit);
    void start_core(std::uint32_t die);
    void computed(std::uint32_t die);
    void reserve_next_tile();
    void consider_tile();
    [[nodiscard]] bool has_room(const Tile& tile) const;
    [[nodiscard]] std::uint32_t largest_result(const Die& die) const;
    void start_sense(std::uint32_t plane);

    void grant();
    [[nodiscard]] static const Transfer& transfer(Use use);
    [[nodiscard]] std::optional<Choice> result_that_waits(Use use);
    [[nodiscard]] std::optional<Choice> input_that_waits(Use use);
    [[nodiscard]] std::optional<Choice> page_that_waits(Use use);
    [[nodiscard]] std::optional<Choice> unit_that_waits(Use use);
    [[nodiscard]] std::optional<Time> waits(BusUse use) override;
    [[nodiscard]] Choice granted(BusUse use) const;
    void take_reads(const Choice& choice, std::vector<std::uint32_t>& jobs);
    void start_free_commands();
    void start_result(const Choice& choice);
    void start_input(const Choice& choice);
    void start_command(const Choice& choice);
    void start_data_out(const Choice& choice);
    void start_write(const Choice& choice);
    void occupy(Time duration);
    void finish_transfer();
    void finish_result(std::uint32_t job);
    void finish_input(std::uint32_t tile);
    void finish_command(std::uint32_t job);
    void finish_data_out(std::uint32_t job);
    void finish_write(std::uint32_t job);

    Geometry geometry_;
    TimingConfig config_;
    std::unique_ptr<SliceControl> own_slice_control_; ///< Null: the arbiter belongs to another
                                                      ///< object.
    std::unique_ptr<ComputeCore> own_core_;           ///< The core of every die; null if another
                                                      ///< object provides cores.
    ChannelParts parts_;
    std::array<std::optional<Choice>, 5> choices_; ///< Last choice for each use of the bus.
    Time now_ = 0;
    std::uint64_t order_ = 0;
    std::vector<Job> jobs_;
    std::uint64_t done_ = 0;
    std::vector<Tile> tiles_;
    std::vector<Plane> planes_;
    std::vector<Die> dies_;
    std::vector<Unit> units_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;

    std::deque<std::uint32_t> next_tiles_;   ///< Tiles whose input is not sent yet.
    std::optional<Time> tile_ready_;         ///< Time since which the input of the first tile
                                             ///< in next_tiles_ could be sent.
    std::deque<Waiting> results_, data_out_; ///< Jobs that wait for the bus.
    std::deque<Waiting> commands_, writes_;  ///< Units that wait for the bus.

    bool bus_busy_ = false;
    Use bus_use_ = Use::Result;
    Time bus_from_ = 0, bus_until_ = 0;
    std::vector<std::uint32_t> on_bus_; ///< Jobs of the current transfer; for an input, the tile.
    std::uint32_t bus_bytes_ = 0;
    ChannelCounts counts_;
};

} // namespace levee::flash
