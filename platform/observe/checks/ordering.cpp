// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/ordering.hpp"

#include "ip/riscv/csr.hpp"
#include "ip/sync/regs.h"

#include <algorithm>
#include <cstring>

namespace levee::checks {

namespace {

/// Returns the addresses of the stream ports among an operation's operands.
std::vector<std::uint64_t> streams_of(const Declaration& declaration,
                                      const levee_descriptor& descriptor)
{
    std::vector<std::uint64_t> ports;
    for (const Field& field : declaration.fields) {
        const bool is_port = field.kind == Field::Kind::Port;
        std::uint64_t value = 0;
        if (field.offset + field.bytes > sizeof descriptor.operation ||
            (field.kind != Field::Kind::Address && !is_port))
            continue;
        std::memcpy(&value, descriptor.operation + field.offset, field.bytes);
        if (is_port && value != 0)
            value = LEVEE_STREAM(value - 1);
        if (StreamPorts::is_stream(value))
            ports.push_back(value);
    }
    return ports;
}

} // namespace

Ordering::Ordering(const Context& context)
    : context_(context), core_initiator_(index_of_initiator(context.system, "core"))
{
    System& system = context.system;
    for (std::size_t i = 0; i < context.plan.components.size(); ++i) {
        const PlannedComponent& planned = context.plan.components[i];
        const Component& component = system.components()[i];
        if (component.counters != nullptr) {
            sync_ = component.register_file;
            counting_ = component.counters;
            sync_base_ = planned.registers;
            sync_irq_ = planned.irq;
            counters_.resize(peek(*sync_, LEVEE_SYNC_COUNTERS));
        }
        if (component.queue == nullptr)
            continue;
        Block& block = blocks_.emplace_back();
        block.queue = component.queue;
        block.registers = planned.registers;
        block.irq = planned.irq;
        component.queue->observe(*this);
    }
    core_ = VectorClock(blocks_.size() + 1);
    for (Block& block : blocks_)
        block.clock = block.done = block.taken = core_;
    for (const System::Peripheral& peripheral : system.peripherals())
        if (peripheral.base == LEVEE_PLIC_BASE)
            plic_ = peripheral.registers;
    system.bus().observe(*this);
    system.core().observe(*this);
}

Ordering::Block& Ordering::block(const CommandQueue& queue)
{
    return *std::find_if(blocks_.begin(), blocks_.end(),
                         [&](const Block& b) { return b.queue == &queue; });
}

std::size_t Ordering::party(const CommandQueue& queue) const
{
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const Block& b) { return b.queue == &queue; });
    return static_cast<std::size_t>(found - blocks_.begin()) + 1;
}

void Ordering::add_to(std::uint32_t counter, const VectorClock& clock)
{
    if (counters_[counter].add(counting_->value(counter), clock))
        counters_[counter].forget(known_to_all());
}

void Ordering::join_reached(VectorClock& clock, std::uint32_t counter, std::uint32_t value) const
{
    if (counter < counters_.size())
        counters_[counter].join(clock, value);
}

void Ordering::await(Block& block)
{
    if (!block.descriptor)
        return;
    const levee_descriptor& descriptor = *block.descriptor;
    for (std::size_t i = 0; i < std::size(descriptor.wait_counter); ++i)
        if (descriptor.wait_counter[i] != LEVEE_NO_COUNTER)
            join_reached(block.clock, descriptor.wait_counter[i], descriptor.wait_value[i]);
    block.descriptor.reset();
}

const VectorClock& Ordering::of_queue(const CommandQueue& queue)
{
    Block& found = block(queue);
    await(found);
    return found.clock;
}

VectorClock Ordering::known_to_all() const
{
    VectorClock all = core_;
    for (const Block& block : blocks_) {
        if (!block.executing && block.doorbells.empty())
            continue;
        VectorClock least = block.clock;
        if (!block.executing)
            least.join(block.doorbells.front());
        all.meet(least);
    }
    return all;
}

void Ordering::submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t)
{
    core_.release(core_party);
    block(queue).doorbells.push_back(core_);
}

void Ordering::taken(const CommandQueue& queue, std::uint64_t, std::uint32_t)
{
    Block& now = block(queue);
    now.taken = now.done;
    now.clock.join(now.doorbells.front());
    now.doorbells.pop_front();
    now.executing = true;
    now.raises = now.produces = false;
    now.consumer = nullptr;
    now.descriptor.reset();
    ++changes_;
}

void Ordering::fetched(const CommandQueue& queue, const levee_descriptor& descriptor)
{
    Block& now = block(queue);
    now.descriptor = descriptor;
    now.raises = (descriptor.flags & LEVEE_DESC_IRQ) != 0;
}

void Ordering::started(const CommandQueue& queue, const levee_descriptor& descriptor,
                       const Activity&, bool streams)
{
    Block& now = block(queue);
    await(now);
    now.ports = streams_of(queue.declaration(), descriptor);
    now.produces = streams;
    follow_stream(now);
}

/// Orders a consumer and its producer: the consumer starts after the producer's start, and the
/// producer ends after the consumer's end.
void Ordering::follow_stream(Block& consumer)
{
    for (Block& producer : blocks_) {
        if (&producer == &consumer || !producer.produces || producer.consumer != nullptr ||
            std::find_first_of(producer.ports.begin(), producer.ports.end(), consumer.ports.begin(),
                               consumer.ports.end()) == producer.ports.end())
            continue;
        consumer.clock.join(producer.clock);
        producer.consumer = &consumer;
    }
}

const CommandQueue* Ordering::producer(const CommandQueue& consumer) const
{
    for (const Block& block : blocks_)
        if (block.consumer != nullptr && block.consumer->queue == &consumer)
            return block.queue;
    return nullptr;
}

/// Joins the clocks of a producer and its consumer. The producer signals and ends after the
/// consumer, so at that time it knows everything that the consumer knew.
void Ordering::follow_consumer(Block& producer)
{
    if (producer.consumer != nullptr)
        producer.clock.join(producer.consumer->clock);
}

void Ordering::signalled(const CommandQueue& queue, std::uint32_t counter)
{
    Block& now = block(queue);
    follow_consumer(now);
    now.clock.release(party(queue));
    if (counter < counters_.size())
        add_to(counter, now.clock);
}

void Ordering::finished(const CommandQueue& queue, std::uint32_t error, bool dropped)
{
    Block& now = block(queue);
    follow_consumer(now);
    now.clock.release(party(queue));
    now.done = now.clock;
    now.executing = now.produces = false;
    now.consumer = nullptr;
    if (now.raises && error == LEVEE_ERROR_NONE && !dropped && !now.interrupt)
        now.interrupt = now.done;
    ++changes_;
}

void Ordering::emptied(const CommandQueue& queue)
{
    Block& now = block(queue);
    now.doorbells.clear();
    now.interrupt.reset();
}

void Ordering::see(const VectorClock& clock)
{
    core_.join(clock);
    ++changes_;
}

/// Observes the core's accesses to registers that show the progress of operations.
void Ordering::passed(const bus::Transaction& transaction)
{
    if (transaction.initiator != core_initiator_ || transaction.window == nullptr ||
        !transaction.payload->is_response_ok())
        return;
    const std::uint64_t base = transaction.window->base;
    const auto offset = static_cast<std::uint32_t>(transaction.payload->get_address() - base);
    std::uint32_t value = 0;
    std::memcpy(&value, transaction.payload->get_data_ptr(),
                std::min<std::size_t>(sizeof value, transaction.payload->get_data_length()));
    const bool write = transaction.payload->is_write();
    if (base == sync_base_)
        return write ? write_sync(offset) : read_sync(offset);
    if (base == LEVEE_PLIC_BASE && !write && offset == riscv::plic_register::claim)
        return see_interrupt(value);
    if (base == LEVEE_PLIC_BASE && !write && offset >= riscv::plic_register::pending &&
        offset < riscv::plic_register::enable)
        return see_pending();
    for (Block& block : blocks_)
        if (block.registers == base && !write)
            read_queue(block, offset, value);
        else if (block.registers == base && offset == LEVEE_CMD_IRQ_STATUS &&
                 (value & LEVEE_CMD_IRQ_DONE) != 0)
            block.interrupt.reset();
}

void Ordering::read_queue(const Block& block, std::uint32_t offset, std::uint32_t value)
{
    constexpr std::uint32_t at_rest = LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED;
    if (offset == LEVEE_CMD_DONE_COUNT || offset == LEVEE_CMD_ERROR_INDEX ||
        (offset == LEVEE_CMD_STATUS && (value & at_rest) != 0))
        see(block.done);
    else if (offset == LEVEE_CMD_FREE)
        see(block.taken); // the queue takes a descriptor after the previous operation's end
    else if (offset == LEVEE_CMD_IRQ_STATUS && (value & LEVEE_CMD_IRQ_ERROR) != 0)
        see(block.done);
    else if (offset == LEVEE_CMD_IRQ_STATUS && block.interrupt)
        see(*block.interrupt);
}

void Ordering::read_sync(std::uint32_t offset)
{
    const std::uint32_t counter = (offset - LEVEE_SYNC_VALUE(0)) / sizeof(std::uint32_t);
    if (offset >= LEVEE_SYNC_VALUE(0) && counter < counters_.size() && !counters_[counter].empty())
        see(counters_[counter].clock());
}

void Ordering::write_sync(std::uint32_t offset)
{
    const bool adds = offset >= LEVEE_SYNC_ADD(0);
    const std::uint32_t first = adds ? LEVEE_SYNC_ADD(0) : LEVEE_SYNC_VALUE(0);
    const std::uint32_t counter = (offset - first) / sizeof(std::uint32_t);
    if (offset < first || counter >= counters_.size())
        return;
    if (!adds)
        counters_[counter].clear();
    core_.release(core_party);
    add_to(counter, core_);
}

/// Called when the core has read the pending interrupts. If only one source is pending, the core
/// then knows that this source has raised its request.
void Ordering::see_pending()
{
    std::uint32_t found = 0;
    for (std::uint32_t word = 0; word <= riscv::Plic::source_count / 32; ++word) {
        const std::uint32_t at = word * sizeof(std::uint32_t);
        const std::uint32_t set = peek(*plic_, riscv::plic_register::pending + at) &
                                  peek(*plic_, riscv::plic_register::enable + at);
        for (std::uint32_t bit = 0; bit < 32; ++bit) {
            if ((set >> bit & 1u) == 0)
                continue;
            if (found != 0)
                return;
            found = 32 * word + bit;
        }
    }
    if (found != 0)
        see_interrupt(found);
}

void Ordering::see_interrupt(std::uint32_t irq)
{
    if (sync_ != nullptr && irq == sync_irq_) {
        const std::uint32_t counter = peek(*sync_, LEVEE_SYNC_IRQ_COUNTER);
        VectorClock reached = core_;
        join_reached(reached, counter, peek(*sync_, LEVEE_SYNC_IRQ_VALUE));
        see(reached);
    }
    for (const Block& block : blocks_) {
        if (irq == 0 || block.irq != irq)
            continue;
        const std::uint32_t status = peek(block.queue->register_file(), LEVEE_CMD_IRQ_STATUS);
        read_queue(block, LEVEE_CMD_IRQ_STATUS, status);
    }
}

bool Ordering::before_instruction(std::uint32_t, std::uint64_t)
{
    if (has_waited_)
        see_pending();
    const riscv::Op& op = context_.system.core().hart().instruction();
    has_waited_ = op.code == riscv::Code::wfi ||
                  (op.code == riscv::Code::csr &&
                   static_cast<std::uint32_t>(op.imm) == riscv::csr_number::mip);
    return true;
}

} // namespace levee::checks
