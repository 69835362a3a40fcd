// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/queue_watch.hpp"

#include "core/units/clock.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

namespace levee::checks {

QueueWatch::QueueWatch(const Context& context, std::size_t component, Findings& findings)
    : context_(context), planned_(context.plan.components[component]),
      queue_(*context.system.components()[component].queue), findings_(findings)
{
    queue_.observe(*this);
}

std::uint32_t QueueWatch::error() const
{
    return peek(registers(), LEVEE_CMD_ERROR_CODE);
}

QueueWatch::Place QueueWatch::here() const
{
    const riscv::Hart& hart = context_.system.core().hart();
    return {hart.access_pc(), hart.reg(ra)};
}

/// Describes a place in the program. If ra points into another function, it adds the caller.
/// Otherwise ra is a return address left over from an earlier call.
std::string QueueWatch::locate(const Place& place) const
{
    const trace::Symbols& symbols = context_.symbols;
    std::string text = symbols.locate(place.pc);
    if (&symbols.at(place.pc) != &symbols.at(place.ra))
        text += ", called from " + symbols.locate(place.ra);
    return text;
}

/// Reads memory as the block would, but in no simulated time.
void QueueWatch::read(std::uint64_t address, Bytes& bytes) const
{
    if (const std::uint8_t* const there = queue_.peek(address, bytes.size())) {
        std::memcpy(bytes.data(), there, bytes.size());
        return;
    }
    bytes = {};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(bytes.size());
    payload.set_streaming_width(bytes.size());
    queue_.memory->transport_dbg(payload);
}

/// Returns the address of the descriptor that was just submitted. One doorbell can submit several
/// descriptors, which are consecutive in memory.
std::uint64_t QueueWatch::submitted_address()
{
    const std::uint64_t cycle = context_.system.core().hart().cycle();
    const std::uint64_t high = peek(registers(), LEVEE_CMD_ADDRESS_HI);
    const std::uint64_t first = high << 32 | peek(registers(), LEVEE_CMD_ADDRESS_LO);
    const bool same = cycle == doorbell_cycle_ && first == doorbell_address_;
    of_doorbell_ = same ? of_doorbell_ + 1 : 0;
    doorbell_cycle_ = cycle;
    doorbell_address_ = first;
    return first + of_doorbell_ * LEVEE_DESCRIPTOR_BYTES;
}

void QueueWatch::submitted(const CommandQueue&, std::uint64_t id, std::uint32_t)
{
    if (spare_.empty())
        spare_.emplace_back();
    origins_.splice(origins_.end(), spare_, spare_.begin());
    Origin& origin = origins_.back();
    origin.place = here();
    origin.ps = now_ps();
    origin.id = id;
    origin.address = submitted_address();
    read(origin.address, origin.bytes);
}

/// Checks that the descriptor has not changed since its doorbell was rung. The block may fetch it
/// at any time after that, so the program must not overwrite it.
void QueueWatch::check_unchanged()
{
    const std::uint8_t* const there = queue_.peek(origin_.address, origin_.bytes.size());
    if (there != nullptr && std::memcmp(there, origin_.bytes.data(), origin_.bytes.size()) == 0)
        return;
    Bytes now;
    read(origin_.address, now);
    const auto differs = std::mismatch(now.begin(), now.end(), origin_.bytes.begin());
    if (differs.first == now.end())
        return;
    const auto field = static_cast<std::uint32_t>(differs.first - now.begin());
    levee_descriptor then{};
    std::memcpy(&then, origin_.bytes.data(), sizeof then);
    findings_.report(name(),
                     "descriptor " + std::to_string(origin_.id) + " at " + hex(origin_.address) +
                         " has been overwritten while it was queued: it was " +
                         operation_of(declaration(), then) + ", at its doorbell (" +
                         time_text(origin_.ps) + ") and is now " +
                         operation_of(declaration(), *descriptor_) +
                         "; the first difference is in " +
                         trace::field_name(declaration(), then.version, field) + " (byte " +
                         std::to_string(field) + "); " + origin(),
                     now_ps());
}

std::string QueueWatch::left() const
{
    std::string text;
    if (executing_)
        text = (descriptor_ ? operation_of(declaration(), *descriptor_) : "a descriptor") +
               (running_ ? ", is running (" : ", waits to start (") + origin() + ")";
    if (waiting() != 0)
        text += (text.empty() ? "" : ", and ") + std::to_string(waiting()) +
                (waiting() == 1 ? " descriptor is" : " descriptors are") + " queued" +
                (executing_ ? " behind it" : " (the queue has stopped)");
    return text;
}

namespace {

levee_descriptor descriptor_in(std::span<const std::uint8_t> bytes)
{
    levee_descriptor descriptor{};
    std::memcpy(&descriptor, bytes.data(), sizeof descriptor);
    return descriptor;
}

} // namespace

/// Returns the first descriptor in the queue that will add to the counter. Operations that also
/// wait for this counter do not count, since their waits order the additions.
std::optional<levee_descriptor> QueueWatch::adding_to(std::uint32_t counter) const
{
    const auto adds = [counter](const levee_descriptor& descriptor) {
        return std::ranges::find(descriptor.signal_counter, counter) !=
                   std::end(descriptor.signal_counter) &&
               std::ranges::find(descriptor.wait_counter, counter) ==
                   std::end(descriptor.wait_counter);
    };
    if (executing_ && adds(descriptor_in(origin_.bytes)))
        return descriptor_in(origin_.bytes);
    for (const Origin& origin : origins_)
        if (const levee_descriptor descriptor = descriptor_in(origin.bytes); adds(descriptor))
            return descriptor;
    return std::nullopt;
}

bool QueueWatch::any_outstanding(auto predicate) const
{
    const auto fits = [&predicate, now = now_ps()](const Origin& origin) {
        return origin.ps < now && predicate(origin);
    };
    return (executing_ && fits(origin_)) || std::ranges::any_of(origins_, fits);
}

bool QueueWatch::has_outstanding() const
{
    return any_outstanding([](const Origin&) { return true; });
}

bool QueueWatch::may_interrupt() const
{
    return (peek(registers(), LEVEE_CMD_IRQ_ENABLE) & LEVEE_CMD_IRQ_DONE) != 0 &&
           any_outstanding([](const Origin& origin) {
               return (descriptor_in(origin.bytes).flags & LEVEE_DESC_IRQ) != 0;
           });
}

void QueueWatch::taken(const CommandQueue&, std::uint64_t, std::uint32_t)
{
    origin_ = origins_.front();
    spare_.splice(spare_.begin(), origins_, origins_.begin());
    executing_ = true;
    running_ = streams_ = false;
    descriptor_.reset();
}

void QueueWatch::fetched(const CommandQueue&, const levee_descriptor& descriptor)
{
    descriptor_ = descriptor;
    check_unchanged();
}

void QueueWatch::started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                         bool streams)
{
    descriptor_ = descriptor;
    running_ = true;
    streams_ = streams;
}

void QueueWatch::finished(const CommandQueue&, std::uint32_t error, bool)
{
    executing_ = running_ = false;
    if (reset_ && origin_.ps > reset_->ps)
        reset_->past = true;
    if (error == LEVEE_ERROR_NONE)
        return;
    const std::uint32_t field = peek(registers(), LEVEE_CMD_ERROR_FIELD);
    const std::string index = std::to_string(peek(registers(), LEVEE_CMD_ERROR_INDEX));
    if (error == LEVEE_ERROR_FETCH)
        return warn(name(), "stopped: descriptor " + index + " cannot be fetched from " +
                                hex(origin_.address) + ", expected a multiple of 8 in memory; " +
                                origin());
    std::string text =
        "stopped: " + error_name(error) + " in " +
        trace::field_name(declaration(), descriptor_ ? descriptor_->version : 0, field) +
        " (byte " + std::to_string(field) + ") of descriptor " + index;
    if (descriptor_ && error != LEVEE_ERROR_MAGIC)
        text += " (" + operation_of(declaration(), *descriptor_) + ")";
    warn(name(), text + ", " + origin());
}

void QueueWatch::emptied(const CommandQueue&)
{
    Reset reset{now_ps(), here(), {}, false};
    const auto drop = [&reset](const Origin& origin) {
        std::memcpy(&reset.dropped.emplace_back(), origin.bytes.data(), origin.bytes.size());
    };
    if (executing_ &&
        (!running_ || streams_)) // any other running operation ends normally despite the reset
        drop(origin_);
    std::for_each(origins_.begin(), origins_.end(), drop);
    origins_.clear();
    if (!reset.dropped.empty())
        reset_ = std::move(reset);
}

std::string QueueWatch::reset_text() const
{
    const std::size_t more = reset_->dropped.size() - 1;
    return "was reset at " + time_text(reset_->ps) + " by " + locate(reset_->place) + ", with " +
           operation_of(declaration(), reset_->dropped.front()) + "," +
           (more == 0 ? "" : " and " + std::to_string(more) + " more") + " pending";
}

void QueueWatch::overflowed(const CommandQueue&, std::uint32_t count, std::uint32_t room)
{
    warn(name(), "stopped: queue overflow: the doorbell submitted " + std::to_string(count) +
                     ", but there was room for " + std::to_string(room) + "; descriptor " +
                     std::to_string(peek(registers(), LEVEE_CMD_ERROR_INDEX)) + ", " +
                     from(here()));
}

} // namespace levee::checks
