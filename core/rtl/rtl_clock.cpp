// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/rtl_clock.hpp"

namespace levee {

RtlClock::RtlClock(const std::string& name, CommandQueue& queue, RtlStatus& rtl) : rtl_(rtl)
{
    queue.observe(*this);
    queue.before_end = [this] { await_design(); };
    sc_core::sc_spawn([this] { clock_operations(); }, name.c_str());
}

void RtlClock::started(const CommandQueue&, const levee_descriptor& descriptor,
                       const Activity& activity, bool streams)
{
    while (is_busy_) // A reset may have cancelled the current operation.
        sc_core::wait(done_);
    activity_ = streams ? nullptr : &activity;
    opcode_ = descriptor.opcode;
    begun_ps_ = now_ps();
    cycles_ = open_cycles_ = 0;
    is_busy_ = true;
    begun_.notify();
}

void RtlClock::clock_operations()
{
    const RtlClocking clocking{[this] { return is_open(); }, [this] { pass_cycle(); }};
    for (;;) {
        sc_core::wait(begun_);
        const std::uint64_t cycles = rtl_.run_deferred(clocking);
        ended_ps_ = now_ps();
        figures_.operations += cycles == 0 ? 0 : 1;
        figures_.cycles += cycles;
        is_busy_ = false;
        done_.notify();
    }
}

/// Whether the streams have delivered the data of the next cycle. At most two cycles of data may be
/// in flight.
bool RtlClock::is_open()
{
    constexpr double on_the_way = 2;
    double share = 1;
    if (activity_ != nullptr && activity_->minimum != 0 && !activity_->uses.empty())
        share = FlowNetwork::progress(*activity_, now_ps());
    const auto own_cycles = static_cast<double>(activity_ == nullptr ? 0 : activity_->minimum) *
                            static_cast<double>(rtl_.clock().hz) /
                            static_cast<double>(ps_per_second);
    const bool is_open =
        share >= 1 || static_cast<double>(open_cycles_) < share * own_cycles + on_the_way;
    open_cycles_ += is_open ? 1 : 0;
    figures_.held_cycles += is_open ? 0 : 1;
    return is_open;
}

void RtlClock::pass_cycle()
{
    ++cycles_;
    const std::uint64_t edge = begun_ps_ + rtl_.clock().span(cycles_);
    if (const std::uint64_t now = now_ps(); edge > now)
        pass_time(edge - now);
}

/// Waits until the design has no more work. Runs in the queue's process, after the activity has
/// ended.
void RtlClock::await_design()
{
    const std::uint64_t activity_ended_ps = now_ps();
    activity_ = nullptr;
    while (is_busy_)
        sc_core::wait(done_);
    if (cycles_ != 0)
        compare(activity_ended_ps);
    cycles_ = 0;
}

void RtlClock::compare(std::uint64_t activity_ended_ps)
{
    const double cycles_a_ps =
        static_cast<double>(rtl_.clock().hz) / static_cast<double>(ps_per_second);
    const auto cycles_of = [&](std::uint64_t ps) {
        return static_cast<std::uint64_t>(static_cast<double>(ps) * cycles_a_ps + 0.5);
    };
    if (ended_ps_ < activity_ended_ps) {
        const std::uint64_t early = cycles_of(activity_ended_ps - ended_ps_);
        figures_.early += early == 0 ? 0 : 1;
        figures_.early_cycles += early;
        return;
    }
    const std::uint64_t late = cycles_of(ended_ps_ - activity_ended_ps);
    figures_.late += late == 0 ? 0 : 1;
    figures_.late_cycles += late;
    if (late <= figures_.most_late_cycles)
        return;
    figures_.most_late_cycles = late;
    figures_.latest_descriptor = id_;
    figures_.latest_opcode = opcode_;
    figures_.latest_begun_ps = begun_ps_;
}

} // namespace levee
