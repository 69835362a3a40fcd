// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/queue_watch.hpp"

#include "platform/observe/trace/operation_text.hpp"

namespace levee::mistakes {

namespace {

constexpr unsigned ra = 1; // the link register (RISC-V calling convention)

} // namespace

QueueWatch::QueueWatch(const Context& context, std::size_t component)
    : context_(context), planned_(context.plan.components[component]),
      queue_(*context.system.components()[component].queue)
{
    context.system.components()[component].queue->observe(*this);
}

std::uint32_t QueueWatch::error() const
{
    return peek(registers(), LEVEE_CMD_ERROR_CODE);
}

QueueWatch::Origin QueueWatch::here() const
{
    const riscv::Hart& hart = context_.system.core().hart();
    return {hart.access_pc(), hart.reg(ra)};
}

/// The caller is named if ra lies in another function; in a leaf function, ra is the return
/// address.
std::string QueueWatch::from(const Origin& origin) const
{
    const trace::Symbols& symbols = context_.symbols;
    std::string text = "submitted by " + symbols.locate(origin.pc);
    if (&symbols.at(origin.pc) != &symbols.at(origin.ra))
        text += ", called from " + symbols.locate(origin.ra);
    return text;
}

void QueueWatch::submitted(const CommandQueue&, std::uint64_t, std::uint32_t)
{
    origins_.push_back(here());
}

void QueueWatch::taken(const CommandQueue&, std::uint64_t, std::uint32_t)
{
    origin_ = origins_.front();
    origins_.pop_front();
    executing_ = true;
    running_ = streams_ = false;
    descriptor_.reset();
}

void QueueWatch::fetched(const CommandQueue&, const levee_descriptor& descriptor)
{
    descriptor_ = descriptor;
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
    if (error == LEVEE_ERROR_NONE)
        return;
    const std::uint32_t field = peek(registers(), LEVEE_CMD_ERROR_FIELD);
    std::string text = "stopped: " + error_name(error);
    if (error != LEVEE_ERROR_FETCH)
        text += " in " +
                trace::field_name(declaration(), descriptor_ ? descriptor_->version : 0, field) +
                " (byte " + std::to_string(field) + ")";
    text += " of descriptor " + std::to_string(peek(registers(), LEVEE_CMD_ERROR_INDEX));
    if (descriptor_ && error != LEVEE_ERROR_MAGIC)
        text += " (" + operation_of(declaration(), *descriptor_) + ")";
    warn(name(), text + ", " + origin());
}

void QueueWatch::overflowed(const CommandQueue&, std::uint32_t count, std::uint32_t room)
{
    warn(name(), "stopped: queue overflow by a doorbell for " + std::to_string(count) +
                     " where there was room for " + std::to_string(room) + ", descriptor " +
                     std::to_string(peek(registers(), LEVEE_CMD_ERROR_INDEX)) + ", " +
                     from(here()));
}

} // namespace levee::mistakes
