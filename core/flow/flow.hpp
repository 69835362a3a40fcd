// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "core/units/time.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

struct FlowUse;
struct ScheduledStream;
class FairShares;

/// Account of a resource: its owner, and the category of the bytes that pass it.
struct FlowAccount {
    enum class Kind {
        Storage, ///< Reads and writes of a component's data.
        Link,    ///< Transfers of an interconnect.
        Stream,  ///< Wires of a stream port; not accounted.
        Units    ///< A component's own execution units; not accounted.
    };
    Kind kind = Kind::Stream;
    std::string component; ///< Name of the owner in the system.
    std::string to{};      ///< Destination component of a link.

    bool operator==(const FlowAccount&) const = default;
};

/// What limits a stream besides the resource that prices it.
struct StreamDemand {
    double bytes_per_ps = 0.0; ///< Maximum rate by the stream's own limits, or infinity.
    std::size_t activity = 0;  ///< The same for streams that advance together.
};

/// A resource that streams share: a memory, a port or a link. It offers one picosecond of service
/// per picosecond and sets the prices of its active streams.
class FlowResource {
public:
    /// `name` is for display; the default is the owner's name.
    explicit FlowResource(FlowAccount account, std::string name = {})
        : account_(std::move(account)), name_(name.empty() ? account_.component : std::move(name))
    {
    }
    virtual ~FlowResource() = default;

    /// Sets ps_per_byte[i] > 0, the service time of one byte of stream i of `mix`, for the time in
    /// which exactly these streams are active. `demand[i]` limits stream i. Prices must depend only
    /// on the arguments and on the state that price_state() counts. Called with an empty mix when
    /// the last stream has ended.
    virtual void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                       std::span<double> ps_per_byte) = 0;

    /// A number that changes whenever the prices of an unchanged mix change. Prices are computed
    /// again when the next activity starts or ends.
    [[nodiscard]] virtual std::uint64_t price_state() const { return 0; }
    /// Returns the fraction of the use's present price, below 1, that is due to refresh.
    [[nodiscard]] virtual double refresh_share(const FlowUse& /*use*/) { return 0.0; }

    /// True: this resource schedules its streams instead of dividing its time fairly at a price,
    /// and schedule() is called instead of price(). The answer may change whenever an activity
    /// starts or ends. When it changes, the function used before (price() or schedule()) is called
    /// with an empty mix. The other function is called with the streams at their present progress.
    [[nodiscard]] virtual bool schedules() const { return false; }
    /// Sets for each stream of `mix` when it will end if no activity starts or ends before. `mix`
    /// has exactly the streams that are active from `now` on. Called at every start and end of an
    /// activity, even if that activity uses only other resources. Called several times if the pace
    /// of streams depends on the result. `now` does not decrease. A use has the same address until
    /// its stream ends.
    virtual void schedule(Picoseconds /*now*/, std::span<ScheduledStream> /*mix*/) {}
    /// Time until which results of schedule() are valid. schedule() is then called again, even if
    /// nothing has started or ended.
    [[nodiscard]] virtual Picoseconds holds_until() const { return forever; }

    [[nodiscard]] const FlowAccount& account() const { return account_; }
    [[nodiscard]] const std::string& flow_name() const { return name_; }

private:
    FlowAccount account_;
    std::string name_;
};

/// One stream of an activity through one resource.
struct FlowUse {
    FlowResource* resource = nullptr;
    Direction direction = Direction::Read;
    AccessPattern pattern;   ///< Pattern in the resource's addresses.
    std::uint64_t bytes = 0; ///< Total of the activity; exceeds the pattern's bytes if data are
                             ///< read again.
    /// The bytes count in the resource's account. False if another resource in series with the same
    /// account has counted them.
    bool accounted = true;
};

/// A stream of a resource that schedules.
struct ScheduledStream {
    const FlowUse* use = nullptr;
    std::size_t activity = 0; ///< The same for streams that advance together.
    double remaining = 1.0;   ///< Fraction of the stream's bytes that remains.
    double bytes_per_ps = 0;  ///< Limit by other resources and the stream's own pace.
    // The following members are set by schedule().
    double ends_in = 0.0;  ///< Picoseconds from now.
    bool is_bound = false; ///< False: other limits set the stream's speed.
};

/// An operation in progress: streams that advance together, and a maximum pace.
struct Activity {
    std::vector<FlowUse> uses;
    /// Minimum time, which the activity takes if every resource is fast enough (the block's own
    /// cycles).
    Picoseconds minimum = 0;
    /// During most of this time the block loads its stationary operand, so faster memories do not
    /// help.
    bool loads = false;

    // The following members are maintained by FlowNetwork.
    double remaining = 1.0;                 ///< Fraction of the activity that remains.
    double speed = 0.0;                     ///< Fraction of the activity that completes per
                                            ///< picosecond.
    Picoseconds settled_at = 0;             ///< Time at which `remaining` is valid.
    Picoseconds completes_at = 0;           ///< End of the activity at its current speed.
    const FlowResource* bound_by = nullptr; ///< Current limit; null: its own pace.
    double refresh_share = 0.0;             ///< Fraction of its time due to refresh of `bound_by`.
};

/// Activities that share resources. Each resource's bytes are divided max-min fairly among its
/// streams, unless the resource schedules them itself. Rates change only when an activity starts or
/// ends, or when a scheduling resource asks for it. Nothing is computed in between, regardless of
/// the number of bytes.
class FlowNetwork {
public:
    FlowNetwork();
    ~FlowNetwork();
    FlowNetwork(const FlowNetwork&) = delete;
    FlowNetwork& operator=(const FlowNetwork&) = delete;

    /// Starts `activity` at `now`. The object must live until the activity has ended.
    void start(Activity& activity, Picoseconds now);

    /// Ends every activity that is complete at `now`, in order of their start, and calls
    /// done(activity) for each. Calls scheduling resources again if their schedules are no longer
    /// valid.
    void finish_due(Picoseconds now, const std::function<void(Activity&)>& done);

    /// Removes an activity before its end. Does nothing if it is not running.
    void cancel(Activity& activity, Picoseconds now);

    /// Returns the next time at which finish_due() must run; `forever` if no activity runs.
    [[nodiscard]] Picoseconds next_event() const;

    /// Returns the fraction of `activity` that is done at `now`, 0 to 1.
    [[nodiscard]] static double progress(const Activity& activity, Picoseconds now);

    /// Returns the time at which `activity` will have completed the fraction `share` at its present
    /// speed.
    [[nodiscard]] static Picoseconds reaches(const Activity& activity, double share);

    /// Running activities in the order of their start.
    [[nodiscard]] std::span<Activity* const> running() const;

private:
    void settle(Picoseconds now);
    void solve(Picoseconds now);

    std::unique_ptr<FairShares> shares_;
};

} // namespace levee
