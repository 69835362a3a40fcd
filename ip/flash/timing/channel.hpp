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

/// One channel with its chips, request by request, on a queue of its own events. Channels do not
/// depend on each other.
///
/// A read: command on the bus, tR into the data register, on to the cache register when that is
/// free, data out in slices. A tile of read-computes: its input vector on the bus, once, for all
/// its cores; in each die tR into the data register; on to the cache register; the core, which
/// works for one plane at a time; its result on the bus. An input occupies the core's buffer from
/// its transfer until the last page that needs it is computed; a result does so from the start of
/// its computation until its transfer. To avoid deadlock, an input is sent only if every waiting
/// computation still has room for its result. Tiles go in order; a plane that the next tile needs
/// starts no read. A program: data in, tPROG. An erase: command, tBERS. If several requests wait
/// for a plane, reads precede programs, and programs precede erases.
class Channel final : private BusQueues {
public:
    Channel(const Geometry& geometry, const TimingConfig& config, ChannelParts parts = {});

    /// Called when a request is complete; may submit more.
    std::function<void(std::uint32_t request, Time now)> on_done;
    SpanSink on_span; ///< every step of every request, in the order of their ends

    /// Submits a request other than a read-compute, at a time not in the past, and returns its
    /// number. Throws std::invalid_argument for a place that is not in the channel.
    std::uint32_t submit(const Request& request, Time at);
    /// Submits read-computes, in order of dies, that share an input vector of `input_bytes`;
    /// returns the first one's number, the others follow. Throws std::invalid_argument if input and
    /// a result do not fit in a core's buffer, if there are no cores, or not that many requests of
    /// a die can be in flight.
    std::uint32_t submit_tile(std::span<const Request> requests, std::uint32_t input_bytes,
                              Time at);

    /// Runs until no request is left; returns the time of the last event, or of now.
    Time run();
    /// Runs all events until `until`, and sets the time to it.
    void run_until(Time until);
    /// Time of the next event; empty if no request is left.
    [[nodiscard]] std::optional<Time> next_time();
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::uint64_t pending() const { return jobs_.size() - done_; }
    /// Discards completed requests; numbers start at 0 again. Requires that none is pending.
    void forget();
    [[nodiscard]] const ChannelCounts& counts() const { return counts_; }

private:
    static constexpr std::uint32_t none = ~0u;
    struct Job {
        Request request;
        std::uint32_t tile; ///< tile of a read-compute; none for other requests
        std::uint32_t left; ///< bytes of data out that are not sent yet; for a read-compute, bytes
                            ///< that are not computed yet
    };
    struct Tile {
        std::uint32_t first, count, input_bytes;
    };
    struct Plane {
        std::uint32_t data = none, cache = none; ///< jobs in the registers
        Time cached_at = 0;                      ///< Time at which the page in `cache` arrived
                                                 ///< there.
        bool sensing = false;                    ///< the page in `data` is not there yet
        Time sensed_at = 0;                      ///< Time at which the page in `data` had been
                                                 ///< sensed.
        std::uint32_t reserved = 0;              ///< read-computes whose input has not arrived
        std::deque<std::uint32_t> computes;      ///< read-computes whose input has arrived
    };
    struct Die {
        std::uint32_t computing = none;
        std::uint32_t inputs = 0, results = 0; ///< bytes in the core's buffer
        std::vector<std::uint32_t> to_compute; ///< jobs whose input is sent, or on the bus
        /// Read-computes whose page is in a cache register, waiting for the core.
        std::deque<std::uint32_t> core_queue;

        /// Read-computes between their input and the end of their computation.
        [[nodiscard]] std::size_t in_flight() const
        {
            return to_compute.size() + (computing != none);
        }
    };
    /// Unit that takes commands: a plane, or a die whose planes do not work independently.
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
    /// A use of the bus: which transfer would be next, its start, and the end of each that is on
    /// the bus.
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

    // The bus (channel_bus.cpp).
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
    std::unique_ptr<SliceControl> own_slice_control_; ///< null: another's
    std::unique_ptr<ComputeCore> own_core_;           ///< Core for every die; null: another object
                                                      ///< provides it.
    ChannelParts parts_;
    std::array<std::optional<Choice>, 5> choices_; ///< Choices by use, as last asked for.
    Time now_ = 0;
    std::uint64_t order_ = 0;
    std::vector<Job> jobs_;
    std::uint64_t done_ = 0;
    std::vector<Tile> tiles_;
    std::vector<Plane> planes_;
    std::vector<Die> dies_;
    std::vector<Unit> units_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;

    std::deque<std::uint32_t> next_tiles_;   ///< Tiles whose inputs are not sent yet.
    std::optional<Time> tile_ready_;         ///< Time at which the first of these could be sent.
    std::deque<Waiting> results_, data_out_; ///< jobs
    std::deque<Waiting> commands_, writes_;  ///< units

    bool bus_busy_ = false;
    Use bus_use_ = Use::Result;
    Time bus_from_ = 0, bus_until_ = 0;
    std::vector<std::uint32_t> on_bus_; ///< jobs of the transfer on the bus; for an input, its tile
    std::uint32_t bus_bytes_ = 0;
    ChannelCounts counts_;
};

} // namespace levee::flash
