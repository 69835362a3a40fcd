// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/run_control.hpp"

#include "platform/observe/debug/packet.hpp"

#include <algorithm>
#include <utility>

namespace levee::debug {

namespace {

constexpr unsigned stack_pointer = 2;
constexpr int core_initiator = 0;

bool matches(const Point& point, bool read, bool write)
{
    return (point.kind == PointKind::Access && (read || write)) ||
           (point.kind == PointKind::Read && read) || (point.kind == PointKind::Write && write);
}

/// Returns the first byte that is in both [a, a + a_bytes) and [b, b + b_bytes).
std::optional<std::uint64_t> common(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b,
                                    std::uint64_t b_bytes)
{
    const std::uint64_t first = std::max(a, b);
    return first < a + a_bytes && first < b + b_bytes ? std::optional(first) : std::nullopt;
}

} // namespace

std::string access_text(const WatchHit& hit)
{
    if (hit.by.empty())
        return {};
    return "0x" + number(hit.address) + (hit.write ? " written by " : " read by ") + hit.by + "\n";
}

std::string stop_reply(const WatchHit& hit)
{
    const char* const kind = hit.point.kind == PointKind::Write  ? "watch"
                             : hit.point.kind == PointKind::Read ? "rwatch"
                                                                 : "awatch";
    return std::string("T05") + kind + ":" + number(hit.address) + ";" + thread_suffix;
}

std::string stop_reply(PointKind breakpoint)
{
    std::string reply = "T05";
    reply += breakpoint == PointKind::Hardware ? "hwbreak:;" : "swbreak:;";
    return reply + thread_suffix;
}

RunControl::RunControl(riscv::Core& core, CoreStops& stops, bus::Bus& bus,
                       const std::vector<std::string>& initiators)
    : core_(core), stops_(stops), bus_(bus), initiators_(initiators)
{
    bus_.observe(*this);
}

void RunControl::on_stop(std::function<void()> stopped)
{
    stopped_ = std::move(stopped);
    run_free();
}

void RunControl::add(const Point& point)
{
    if (std::find(points_.begin(), points_.end(), point) != points_.end())
        return;
    points_.push_back(point);
    if (!point.is_watch())
        stops_.add(point.address);
    watching_ = watching_ || point.is_watch();
}

void RunControl::remove(const Point& point)
{
    if (std::erase(points_, point) != 0 && !point.is_watch())
        stops_.remove(point.address);
    watching_ = std::any_of(points_.begin(), points_.end(),
                            [](const Point& other) { return other.is_watch(); });
}

void RunControl::remove_all()
{
    const std::vector<Point> all = points_;
    for (const Point& point : all)
        remove(point);
    hits_.clear();
    reported_.reset();
}

bool RunControl::is_set(const Point& point) const
{
    return std::ranges::find(points_, point) != points_.end();
}

std::optional<PointKind> RunControl::breakpoint_at(std::uint32_t pc) const
{
    for (const Point& point : points_)
        if (!point.is_watch() && point.address == pc)
            return point.kind;
    return std::nullopt;
}

void RunControl::run_free()
{
    begin(Mode::Free);
}

void RunControl::step()
{
    begin(Mode::Step);
}

void RunControl::step_range(std::uint32_t begin_pc, std::uint64_t end_pc)
{
    range_begin_ = begin_pc;
    range_end_ = end_pc;
    begin(steps_over(true) ? Mode::Step : Mode::Range);
}

void RunControl::begin(Mode mode)
{
    stepping_over_ = mode != Mode::Search && steps_over(mode != Mode::Free);
    if (!stepping_over_)
        forget_removed();
    mode_ = mode;
    first_ = true;
    start_pc_ = core_.hart().pc();
    in_handler_.reset();
    step_done_ = false;
    const bool look = watching_ || stepping_over_ || mode != Mode::Free;
    core_.attach(look ? this : nullptr, stopped_);
}

bool RunControl::is_here(const Reported& reported) const
{
    return reported.instructions == core_.instructions() && reported.pc == core_.hart().pc();
}

/// Returns whether the debugger is stepping over the access that was just reported. GDB removes the
/// watchpoint and steps. If GDB takes the program for a Linux program, it instead sets a breakpoint
/// after the instruction and continues.
bool RunControl::steps_over(bool steps) const
{
    if (!reported_ || !is_here(*reported_) || is_set(reported_->hit.point))
        return false;
    const std::vector<Point>& before = reported_->points;
    return steps || std::ranges::any_of(points_, [&before](const Point& point) {
               return !point.is_watch() && std::ranges::find(before, point) == before.end();
           });
}

void RunControl::forget_removed()
{
    std::erase_if(hits_, [this](const WatchHit& hit) { return !is_set(hit.point); });
}

void RunControl::report(const WatchHit& hit)
{
    Reported now{hit, core_.instructions(), core_.hart().pc(), {}, points_};
    if (reported_ && is_here(*reported_))
        now.passed = std::move(reported_->passed);
    if (!hit.made)
        now.passed.push_back(hit.point);
    reported_ = std::move(now);
}

std::optional<WatchHit> RunControl::take_hit()
{
    if (stepping_over_ || hits_.empty())
        return std::nullopt;
    const WatchHit hit = std::move(hits_.front());
    hits_.pop_front();
    report(hit);
    return hit;
}

std::optional<RunControl::AtOnce> RunControl::at_once(bool steps)
{
    if (steps_over(steps)) {
        if (!reported_->hit.made)
            return std::nullopt;
        reported_.reset();
        return AtOnce{steps ? std::string("T05") + thread_suffix : stop_reply(PointKind::Software),
                      {}};
    }
    stepping_over_ = false;
    forget_removed();
    const auto hit = take_hit();
    return hit ? std::optional(AtOnce{stop_reply(*hit), access_text(*hit)}) : std::nullopt;
}

void RunControl::search(const std::vector<Point>& points, bool step)
{
    points_ = points; // not added to the core's stops, since a search does not stop the core
    watching_ = std::ranges::any_of(points_, &Point::is_watch);
    any_boundary_ = step;
    found_.reset();
    since_boundary_.clear();
    begin(Mode::Search);
}

std::optional<Found> RunControl::end_search(const std::vector<Point>& reported)
{
    for (const WatchHit& hit : since_boundary_)
        if (std::ranges::find(reported, hit.point) == reported.end())
            found_ = Found{core_.cycles(), stop_reply(hit), access_text(hit), hit.point};
    since_boundary_.clear();
    points_.clear();
    watching_ = false;
    run_free();
    return std::exchange(found_, std::nullopt);
}

void RunControl::note_boundary(std::uint32_t pc, std::uint64_t cycle)
{
    for (const WatchHit& hit : since_boundary_)
        found_ = Found{cycle, stop_reply(hit), access_text(hit), hit.point};
    since_boundary_.clear();
    if (any_boundary_)
        found_ = Found{cycle, std::string("T05") + thread_suffix, {}, {}};
    else if (const auto kind = breakpoint_at(pc))
        found_ = Found{cycle, stop_reply(*kind), {}, {}};
}

/// Returns the watchpoints that apply now. While the core steps over an access, these are the
/// watchpoints that were set before the step.
const std::vector<Point>& RunControl::watched() const
{
    return stepping_over_ ? reported_->points : points_;
}

void RunControl::note(const WatchHit& hit)
{
    if (mode_ == Mode::Search) {
        since_boundary_.push_back(hit);
        return;
    }
    hits_.push_back(hit);
    if (!hit.by.empty() && !stepping_over_)
        core_.request_stop();
}

bool RunControl::look_ahead()
{
    const auto access = core_.hart().data_access();
    if (!access)
        return true;
    const bool again = reported_ && (stepping_over_ ? !in_handler_ : is_here(*reported_));
    for (const Point& point : watched()) {
        if (!point.is_watch() || !matches(point, access->reads, access->writes))
            continue;
        if (again && std::ranges::find(reported_->passed, point) != reported_->passed.end())
            continue;
        const auto at = common(access->address, access->size, point.address, point.bytes);
        if (!at)
            continue;
        const bool passes = stepping_over_ || mode_ == Mode::Search;
        note({point, static_cast<std::uint32_t>(*at), {}, access->writes, passes});
        if (!passes)
            return false;
    }
    return true;
}

bool RunControl::before_instruction(std::uint32_t pc, std::uint64_t cycle)
{
    if (mode_ == Mode::Search) {
        note_boundary(pc, cycle);
        return look_ahead();
    }
    if (!stepping_over_ && !hits_.empty())
        return false;
    if (mode_ == Mode::Free && !stepping_over_)
        return look_ahead();
    if (belongs_to_step(pc))
        return look_ahead();
    if (mode_ != Mode::Free) {
        step_done_ = true;
        return false;
    }
    stepping_over_ = false;
    forget_removed();
    return look_ahead();
}

/// Returns whether the pc belongs to the current step. A step does not stop in interrupt handlers.
/// A handler that is entered during the step runs to its end, unless it hits a breakpoint.
bool RunControl::belongs_to_step(std::uint32_t pc)
{
    const riscv::Hart& hart = core_.hart();
    if (in_handler_) {
        if (pc != in_handler_->pc || hart.reg(stack_pointer) != in_handler_->sp)
            return true;
        in_handler_.reset();
    } else if (!(first_ && pc == start_pc_) && is_interrupt_entry(pc)) {
        in_handler_ = Return{core_.hart().read_csr(riscv::csr_number::mepc).value_or(0),
                             hart.reg(stack_pointer)};
        return true;
    }
    if (first_) {
        first_ = false;
        return true;
    }
    return mode_ == Mode::Range && pc >= range_begin_ && pc < range_end_;
}

bool RunControl::is_interrupt_entry(std::uint32_t pc)
{
    constexpr std::uint32_t interrupt_bit = 1u << 31;
    constexpr std::uint32_t vectored = 1;
    const std::uint32_t cause = core_.hart().read_csr(riscv::csr_number::mcause).value_or(0);
    if ((cause & interrupt_bit) == 0)
        return false;
    const std::uint32_t vector = core_.hart().read_csr(riscv::csr_number::mtvec).value_or(0);
    const std::uint32_t offset = (vector & 3u) == vectored ? 4 * (cause & ~interrupt_bit) : 0;
    return pc == (vector & ~3u) + offset;
}

void RunControl::passed(const bus::Transaction& transaction)
{
    if ((!watching_ && !stepping_over_) || transaction.initiator == core_initiator ||
        transaction.window == nullptr || !transaction.payload->is_response_ok())
        return;
    const bool opens =
        transaction.bulk != nullptr && transaction.bulk->phase == BulkExtension::Phase::Open;
    const bool write = transaction.payload->is_write();
    if (opens || !(write || transaction.payload->is_read()))
        return;
    const auto index = static_cast<std::size_t>(transaction.initiator);
    for (const Point& point : watched()) {
        if (!point.is_watch() || !matches(point, !write, write))
            continue;
        const bool known = std::ranges::any_of(hits_, [&](const WatchHit& hit) {
            return hit.point == point && hit.by == initiators_[index];
        });
        if (known)
            continue; // already listed for this block since the core last
                      // stopped
        if (const auto at = touched(point, transaction))
            note({point, *at, initiators_[index], write, true});
    }
}

std::optional<RunControl::Place> RunControl::place_of(std::uint32_t address) const
{
    for (const bus::Mapping& window : bus_.mappings())
        if (address >= window.base && address - window.base < window.size)
            return Place{window.target, address - window.base + window.target_base};
    return std::nullopt;
}

std::optional<std::uint32_t> RunControl::touched(const Point& point,
                                                 const bus::Transaction& transaction) const
{
    const auto place = place_of(point.address);
    const bus::Mapping& window = *transaction.window;
    if (!place || place->target != window.target)
        return std::nullopt;
    // Address of the watched bytes as the initiator sees them.
    const std::uint64_t watched = place->offset - window.target_base + window.base;
    const auto seen_by_core = [&](std::uint64_t at) {
        return static_cast<std::uint32_t>(at - watched + point.address);
    };
    if (transaction.bulk == nullptr) {
        const auto at = common(transaction.payload->get_address(),
                               transaction.payload->get_data_length(), watched, point.bytes);
        return at ? std::optional(seen_by_core(*at)) : std::nullopt;
    }
    const AccessPattern& pattern = transaction.bulk->pattern;
    const auto extent = pattern.extent();
    if (!extent || !common(extent->first, extent->last - extent->first + 1, watched, point.bytes))
        return std::nullopt;
    std::optional<std::uint32_t> found;
    pattern.for_each_run([&](std::uint64_t run) {
        const auto at = common(run, pattern.run_bytes, watched, point.bytes);
        if (at && (!found || seen_by_core(*at) < *found))
            found = seen_by_core(*at);
    });
    return found;
}

} // namespace levee::debug
