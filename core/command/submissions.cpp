// SPDX-License-Identifier: Apache-2.0
#include "core/command/submissions.hpp"

#include <algorithm>

namespace levee {

Submissions::Submissions(const Config& config, RegisterFile& registers,
                         const CommandObservers& observers,
                         const std::function<void(bool)>& on_interrupt)
    : config_(config), observers_(observers), on_interrupt_(on_interrupt)
{
    describe(registers);
    describe_interrupts(registers);
    describe_errors(registers);
}

void Submissions::describe(RegisterFile& registers)
{
    registers.add({"ID", LEVEE_CMD_ID, [this] { return config_.number; }, {}});
    registers.add(
        {"CONTROL", LEVEE_CMD_CONTROL, [] { return 0u; }, [this](std::uint32_t v) { control(v); }});
    registers.add({"STATUS", LEVEE_CMD_STATUS, [this] { return status(); }, {}});
    registers.add({"ADDRESS_LO", LEVEE_CMD_ADDRESS_LO,
                   [this] { return static_cast<std::uint32_t>(address_); },
                   [this](std::uint32_t v) { address_ = (address_ & ~0xFFFFFFFFull) | v; }});
    registers.add({"ADDRESS_HI", LEVEE_CMD_ADDRESS_HI,
                   [this] { return static_cast<std::uint32_t>(address_ >> 32); },
                   [this](std::uint32_t v) {
                       address_ =
                           (address_ & 0xFFFFFFFFull) | (static_cast<std::uint64_t>(v) << 32);
                   }});
    registers.add({"SUBMIT", LEVEE_CMD_SUBMIT, {}, [this](std::uint32_t v) { submit(v); }});
    registers.add({"FREE", LEVEE_CMD_FREE, [this] { return room(); }, {}});
    registers.add({"DONE_COUNT", LEVEE_CMD_DONE_COUNT, [this] { return done_; }, {}});
}

void Submissions::describe_interrupts(RegisterFile& registers)
{
    registers.add({"IRQ_STATUS", LEVEE_CMD_IRQ_STATUS, [this] { return irq_status_; },
                   [this](std::uint32_t v) {
                       irq_status_ &= ~v;
                       update_interrupt();
                   }});
    registers.add({"IRQ_ENABLE", LEVEE_CMD_IRQ_ENABLE, [this] { return irq_enable_; },
                   [this](std::uint32_t v) {
                       irq_enable_ = v & (LEVEE_CMD_IRQ_DONE | LEVEE_CMD_IRQ_ERROR);
                       update_interrupt();
                   }});
}

void Submissions::describe_errors(RegisterFile& registers)
{
    registers.add({"ERROR_CODE",
                   LEVEE_CMD_ERROR_CODE,
                   [this] { return static_cast<std::uint32_t>(error_.code); },
                   {}});
    registers.add({"ERROR_INDEX", LEVEE_CMD_ERROR_INDEX, [this] { return error_index_; }, {}});
    registers.add({"ERROR_FIELD", LEVEE_CMD_ERROR_FIELD, [this] { return error_.field; }, {}});
    registers.add({"ERROR_TAG", LEVEE_CMD_ERROR_TAG, [this] { return error_tag_; }, {}});
}

std::uint32_t Submissions::status() const
{
    std::uint32_t bits = 0;
    if (busy_)
        bits |= LEVEE_CMD_STATUS_BUSY;
    if (!busy_ && pending_.empty())
        bits |= LEVEE_CMD_STATUS_EMPTY;
    if (error_.code != LEVEE_ERROR_NONE)
        bits |= LEVEE_CMD_STATUS_STOPPED;
    return bits;
}

std::uint32_t Submissions::room() const
{
    return config_.depth - static_cast<std::uint32_t>(pending_.size());
}

void Submissions::submit(std::uint32_t count)
{
    if (error_.code != LEVEE_ERROR_NONE)
        return; // The queue has stopped; firmware must reset it first.
    if (count > room()) {
        record({LEVEE_ERROR_OVERFLOW, 0}, taken_ + static_cast<std::uint32_t>(pending_.size()), 0);
        observers_.notify(&CommandObserver::overflowed, count, room());
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        fetcher_free_at_ = std::max(fetcher_free_at_, now_ps()) + config_.fetch;
        const std::uint64_t id = submissions_++;
        pending_.push_back(
            {id, address_ + std::uint64_t{i} * LEVEE_DESCRIPTOR_BYTES, fetcher_free_at_});
        observers_.notify(&CommandObserver::submitted, id,
                          static_cast<std::uint32_t>(pending_.size()));
    }
    submitted_.notify(sc_core::SC_ZERO_TIME);
}

void Submissions::control(std::uint32_t value)
{
    if ((value & LEVEE_CMD_CONTROL_RESET) == 0)
        return;
    pending_.clear();
    fetcher_free_at_ = now_ps();
    observers_.notify(&CommandObserver::emptied);
    ++epoch_;
    if (awaited_ != nullptr)
        awaited_->notify(sc_core::SC_ZERO_TIME);
    error_ = {LEVEE_ERROR_NONE, 0};
    error_index_ = 0;
    error_tag_ = 0;
    irq_status_ = 0;
    update_interrupt();
}

Submissions::Pending Submissions::take()
{
    busy_ = false;
    while (pending_.empty() || error_.code != LEVEE_ERROR_NONE)
        sc_core::wait(submitted_);
    busy_ = true;
    const Pending next = pending_.front();
    pending_.pop_front();
    ++taken_;
    running_epoch_ = epoch_;
    return next;
}

void Submissions::done(bool interrupts)
{
    ++done_;
    if (interrupts)
        raise(LEVEE_CMD_IRQ_DONE);
}

void Submissions::stop(const CommandFault& fault, std::uint32_t tag)
{
    record(fault, taken_ - 1, tag);
}

/// Records only the first error, because later ones are often its consequences.
void Submissions::record(const CommandFault& fault, std::uint32_t index, std::uint32_t tag)
{
    if (error_.code == LEVEE_ERROR_NONE) {
        error_ = fault;
        error_index_ = index;
        error_tag_ = tag;
    }
    raise(LEVEE_CMD_IRQ_ERROR);
}

void Submissions::raise(std::uint32_t bits)
{
    irq_status_ |= bits;
    update_interrupt();
}

void Submissions::update_interrupt()
{
    const bool level = (irq_status_ & irq_enable_) != 0;
    if (level == interrupt_)
        return;
    interrupt_ = level;
    if (on_interrupt_)
        on_interrupt_(level);
}

/// Waits for an event that a reset also notifies. Waiting for the event or a separate reset event
/// would allocate memory.
void Submissions::pause(sc_core::sc_event& event)
{
    awaited_ = &event;
    sc_core::wait(event);
    awaited_ = nullptr;
}

void Submissions::need_no_reset() const
{
    if (was_reset())
        throw Dropped{};
}

void Submissions::wait(sc_core::sc_event& event)
{
    pause(event);
    need_no_reset();
}

} // namespace levee
