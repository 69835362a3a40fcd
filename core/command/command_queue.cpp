// SPDX-License-Identifier: Apache-2.0
#include "core/command/command_queue.hpp"

#include <algorithm>

namespace levee {

CommandQueue::CommandQueue(const sc_core::sc_module_name& name, const CommandQueueConfig& config,
                           const Declaration& declaration, Executor& executor, Fabric fabric)
    : sc_module(name), registers("registers"), memory("memory"), config_(config),
      declaration_(declaration), executor_(executor), fabric_(fabric), port_(memory)
{
    registers.register_b_transport(this, &CommandQueue::transport);
    registers.register_transport_dbg(this, &CommandQueue::transport_debug);
    operation_.job.on_milestone = [this](std::uint32_t reached) { finish_iterations(reached); };
    describe_registers();
    SC_THREAD(serve);
}

void CommandQueue::describe_registers()
{
    const auto read_only = [this](const char* name, std::uint32_t offset, auto get) {
        register_file_.add({name, offset, get, {}});
    };
    read_only("ID", LEVEE_CMD_ID, [this] { return declaration_.number; });
    register_file_.add(
        {"CONTROL", LEVEE_CMD_CONTROL, [] { return 0u; }, [this](std::uint32_t v) { control(v); }});
    read_only("STATUS", LEVEE_CMD_STATUS, [this] { return status(); });
    register_file_.add(
        {"ADDRESS_LO", LEVEE_CMD_ADDRESS_LO,
         [this] { return static_cast<std::uint32_t>(submit_address_); },
         [this](std::uint32_t v) { submit_address_ = (submit_address_ & ~0xFFFFFFFFull) | v; }});
    register_file_.add({"ADDRESS_HI", LEVEE_CMD_ADDRESS_HI,
                        [this] { return static_cast<std::uint32_t>(submit_address_ >> 32); },
                        [this](std::uint32_t v) {
                            submit_address_ = (submit_address_ & 0xFFFFFFFFull) |
                                              (static_cast<std::uint64_t>(v) << 32);
                        }});
    register_file_.add({"SUBMIT", LEVEE_CMD_SUBMIT, {}, [this](std::uint32_t v) { submit(v); }});
    read_only("FREE", LEVEE_CMD_FREE,
              [this] { return config_.depth - static_cast<std::uint32_t>(pending_.size()); });
    read_only("DONE_COUNT", LEVEE_CMD_DONE_COUNT, [this] { return done_; });
    register_file_.add({"IRQ_STATUS", LEVEE_CMD_IRQ_STATUS, [this] { return irq_status_; },
                        [this](std::uint32_t v) {
                            irq_status_ &= ~v;
                            update_interrupt();
                        }});
    register_file_.add({"IRQ_ENABLE", LEVEE_CMD_IRQ_ENABLE, [this] { return irq_enable_; },
                        [this](std::uint32_t v) {
                            irq_enable_ = v & (LEVEE_CMD_IRQ_DONE | LEVEE_CMD_IRQ_ERROR);
                            update_interrupt();
                        }});
    read_only("ERROR_CODE", LEVEE_CMD_ERROR_CODE,
              [this] { return static_cast<std::uint32_t>(error_.code); });
    read_only("ERROR_INDEX", LEVEE_CMD_ERROR_INDEX, [this] { return error_index_; });
    read_only("ERROR_FIELD", LEVEE_CMD_ERROR_FIELD, [this] { return error_.field; });
    read_only("ERROR_TAG", LEVEE_CMD_ERROR_TAG, [this] { return error_tag_; });
}

void CommandQueue::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    register_file_.transport(payload);
    delay += sc_core::sc_time::from_value(config_.register_latency);
}

unsigned CommandQueue::transport_debug(tlm::tlm_generic_payload& payload)
{
    return register_file_.transport_debug(payload);
}

std::uint32_t CommandQueue::status() const
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

void CommandQueue::submit(std::uint32_t count)
{
    if (error_.code != LEVEE_ERROR_NONE)
        return; // stopped: firmware must reset the queue first
    const std::uint32_t room = config_.depth - static_cast<std::uint32_t>(pending_.size());
    if (count > room) {
        stop(CommandFault{LEVEE_ERROR_OVERFLOW, 0},
             taken_ + static_cast<std::uint32_t>(pending_.size()), 0);
        notify([&](CommandObserver& o) { o.overflowed(*this, count, room); });
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        fetcher_free_at_ =
            std::max(fetcher_free_at_, now_ps()) + (config_.timing.fetch ? config_.fetch : 0);
        const std::uint64_t id = submissions_++;
        pending_.push_back(Pending{id, submit_address_ + std::uint64_t{i} * LEVEE_DESCRIPTOR_BYTES,
                                   fetcher_free_at_});
        notify([&](CommandObserver& o) {
            o.submitted(*this, id, static_cast<std::uint32_t>(pending_.size()));
        });
    }
    submitted_.notify(sc_core::SC_ZERO_TIME);
}

void CommandQueue::control(std::uint32_t value)
{
    if ((value & LEVEE_CMD_CONTROL_RESET) == 0)
        return;
    pending_.clear();
    fetcher_free_at_ = now_ps(); // what it was still to fetch is dropped
    notify([this](CommandObserver& o) { o.emptied(*this); });
    ++epoch_;
    if (awaited_ != nullptr)
        awaited_->notify(sc_core::SC_ZERO_TIME);
    error_ = CommandFault{LEVEE_ERROR_NONE, 0};
    error_index_ = 0;
    error_tag_ = 0;
    irq_status_ = 0;
    update_interrupt();
}

/// Records the first error only: later ones are often its consequences.
void CommandQueue::stop(const CommandFault& fault, std::uint32_t index, std::uint32_t tag)
{
    if (error_.code == LEVEE_ERROR_NONE) {
        error_ = fault;
        error_index_ = index;
        error_tag_ = tag;
    }
    irq_status_ |= LEVEE_CMD_IRQ_ERROR;
    update_interrupt();
}

void CommandQueue::update_interrupt()
{
    const bool level = (irq_status_ & irq_enable_) != 0;
    if (level == interrupt_)
        return;
    interrupt_ = level;
    if (on_interrupt)
        on_interrupt(level);
}

std::vector<CommandQueue::Queued> CommandQueue::queued() const
{
    std::vector<Queued> all;
    for (const Pending& pending : pending_)
        all.push_back({pending.id, pending.address});
    return all;
}

void CommandQueue::report(Stats& stats) const
{
    stats.add("operations", operations_);
    stats.add("busy_seconds", seconds(busy_ps_));
    stats.add("waiting_seconds", seconds(waiting_ps_));
}

} // namespace levee
