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

/// Account of a resource: its owner and the category of the bytes that pass it.
struct FlowAccount {
    enum class Kind {
        Storage, ///< reads and writes of a component's data
        Link,    ///< transfers of an interconnect
        Stream,  ///< the wires of a stream port: not accounted
        Units    ///< a component's own execution units: not accounted
    };
    Kind kind = Kind::Stream;
    std::string component; ///< Name of the owner in the system.
    std::string to{};      ///< destination component of a link

    bool operator==(const FlowAccount&) const = default;
};

/// A resource that streams share: a memory, a port, a link. It offers one picosecond of service per
/// picosecond and prices its active streams.
class FlowResource {
public:
    /// `name` is for display; the default is its owner's name.
    explicit FlowResource(FlowAccount account, std::string name = {})
        : account_(std::move(account)), name_(name.empty() ? account_.component : std::move(name))
    {
    }
    virtual ~FlowResource() = default;

    /// Sets ps_per_byte[i] > 0, the service time of one byte of each stream of `mix` while exactly
    /// these streams are active (`demand_bytes_per_ps[i]`: the most that stream i can move by its
    /// own limits; infinity if there are none). Must depend on nothing but its arguments and what
    /// price_state() counts. Called with an empty mix when the last stream has ended.
    virtual void price(std::span<const FlowUse* const> mix,
                       std::span<const double> demand_bytes_per_ps,
                       std::span<double> ps_per_byte) = 0;

    /// Changes whenever the prices of an unchanged mix change; prices are then computed again when
    /// the next activity starts or ends.
    [[nodiscard]] virtual std::uint64_t price_state() const { return 0; }
    /// Share of the use's present price, below 1, that it would not have without refresh.
    [[nodiscard]] virtual double refresh_share(const FlowUse& /*use*/) { return 0.0; }

    /// True: this resource schedules its streams instead of dividing its time fairly at a price,
    /// and schedule() is called instead of price(). The answer may change between starts and ends
    /// of activities: the method used until then is called with an empty mix, the other one with
    /// the streams at their present progress.
    [[nodiscard]] virtual bool schedules() const { return false; }
    /// Sets for each stream of `mix`, exactly those active from `now` on, when it will end if
    /// nothing changes before. Called at every start and end of an activity, also if it uses other
    /// resources only, and several times if paces depend on the result. `now` does not decrease. A
    /// use has the same address until its stream ends.
    virtual void schedule(Picoseconds /*now*/, std::span<ScheduledStream> /*mix*/) {}
    /// Time until which the answers of schedule() hold. schedule() is then called again, even if
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
    std::uint64_t bytes = 0; ///< total of the activity; may exceed the pattern's (re-reads)
    /// The bytes count in the resource's account. False if another resource of the same account, in
    /// series with this one, has counted them.
    bool accounted = true;
};

/// A stream of a resource that schedules.
struct ScheduledStream {
    const FlowUse* use = nullptr;
    std::size_t activity = 0; ///< the same for streams that advance together
    double remaining = 1.0;   ///< share of its bytes not done yet
    double bytes_per_ps = 0;  ///< most that it can move by its own limits and other resources
    // The resource's answer.
    double ends_in = 0.0;  ///< picoseconds from now
    bool is_bound = false; ///< false: it moves as fast as its own limits and others let it
};

/// An operation in progress: streams that advance together, and a maximum pace.
struct Activity {
    std::vector<FlowUse> uses;
    /// Minimum time, if every resource keeps up (the block's own cycles).
    Picoseconds minimum = 0;
    /// Most of this time the block loads an operand that it keeps, so faster memories gain nothing.
    bool loads = false;

    // State maintained by FlowNetwork.
    double remaining = 1.0;                 ///< share not done yet
    double speed = 0.0;                     ///< share per picosecond
    Picoseconds settled_at = 0;             ///< `remaining` is valid at this time
    Picoseconds completes_at = 0;           ///< End of the activity at its current speed.
    const FlowResource* bound_by = nullptr; ///< current limit; null: its own pace
    double refresh_share = 0.0; ///< share of its time that refresh of `bound_by` costs it
};

/// Network of activities that share resources, each resource's bytes divided max-min fairly among
/// its streams, unless the resource schedules them itself. Rates change only when an activity
/// starts or ends, or when a resource that schedules looks at its streams again: there is no work
/// in between, whatever the number of bytes.
class FlowNetwork {
public:
    FlowNetwork();
    ~FlowNetwork();
    FlowNetwork(const FlowNetwork&) = delete;
    FlowNetwork& operator=(const FlowNetwork&) = delete;

    /// Starts `activity` (owned by the caller, who keeps it until it is done) at `now`.
    void start(Activity& activity, Picoseconds now);

    /// Ends every activity that is complete at `now`, in order of their start, and calls
    /// done(activity) for each. Asks resources again if their answers have expired.
    void finish_due(Picoseconds now, const std::function<void(Activity&)>& done);

    /// Removes an activity before its end. No effect if it is not running.
    void cancel(Activity& activity, Picoseconds now);

    /// Next time at which finish_due() must run; `forever` if no activity runs.
    [[nodiscard]] Picoseconds next_event() const;

    /// Share of `activity` done at `now`, 0 to 1.
    [[nodiscard]] static double progress(const Activity& activity, Picoseconds now);

    /// Time at which `activity` will have completed `share` at its present speed.
    [[nodiscard]] static Picoseconds reaches(const Activity& activity, double share);

    /// The running activities, in the order of their start.
    [[nodiscard]] std::span<Activity* const> running() const;

private:
    void settle(Picoseconds now);
    void solve(Picoseconds now);

    std::unique_ptr<FairShares> shares_;
};

} // namespace levee
