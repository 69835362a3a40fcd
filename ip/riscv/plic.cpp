// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/plic.hpp"

#include <stdexcept>

namespace levee::riscv {

Plic::Plic(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
{
    socket.register_b_transport(this, &Plic::b_transport);
    socket.register_transport_dbg(this, &Plic::transport_dbg);
    add_registers();
}

void Plic::add_registers()
{
    using namespace plic_register;
    for (std::uint32_t irq = 0; irq <= source_count; ++irq)
        registers_.add({"priority" + std::to_string(irq), priority + 4 * irq,
                        [this, irq] { return sources_[irq].priority; },
                        [this, irq](std::uint32_t value) {
                            sources_[irq].priority = irq == 0 ? 0 : value & max_priority;
                            update();
                        }});
    for (std::uint32_t word = 0; word < words; ++word) {
        registers_.add({"pending" + std::to_string(word), pending + 4 * word,
                        [this, word] { return bits(word, &Source::pending); },
                        [](std::uint32_t) {}}); // Read-only; writes are ignored.
        registers_.add({"enable" + std::to_string(word), enable + 4 * word,
                        [this, word] { return bits(word, &Source::enabled); },
                        [this, word](std::uint32_t value) { set_enabled(word, value); }});
    }
    registers_.add({"threshold", threshold, [this] { return threshold_; },
                    [this](std::uint32_t value) {
                        threshold_ = value & max_priority;
                        update();
                    }});
    registers_.add({"claim", plic_register::claim, [this] { return claim(); },
                    [this](std::uint32_t irq) { complete(irq); }, [this] { return best(); }});
}

void Plic::connect(InterruptSink& hart)
{
    hart_ = &hart;
    update();
}

void Plic::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    registers_.transport(payload);
}

unsigned Plic::transport_dbg(tlm::tlm_generic_payload& payload)
{
    return registers_.transport_debug(payload);
}

std::uint32_t Plic::bits(std::uint32_t word, bool Source::*member) const
{
    std::uint32_t value = 0;
    for (std::uint32_t bit = 0; bit < 32 && 32 * word + bit <= source_count; ++bit)
        value |= static_cast<std::uint32_t>(sources_[32 * word + bit].*member) << bit;
    return value;
}

void Plic::set_enabled(std::uint32_t word, std::uint32_t value)
{
    for (std::uint32_t bit = 0; bit < 32 && 32 * word + bit <= source_count; ++bit)
        sources_[32 * word + bit].enabled = word + bit != 0 && (value >> bit & 1u) != 0;
    update();
}

std::uint32_t Plic::best() const
{
    std::uint32_t found = 0;
    for (std::uint32_t irq = 1; irq <= source_count; ++irq) {
        const Source& source = sources_[irq];
        if (source.pending && source.enabled && source.priority > sources_[found].priority)
            found = irq;
    }
    return found;
}

std::uint32_t Plic::claim()
{
    const std::uint32_t irq = best();
    if (irq != 0) {
        sources_[irq].pending = false;
        sources_[irq].in_service = true;
        report(irq, Request::Claimed);
        update();
    }
    return irq;
}

void Plic::complete(std::uint32_t irq)
{
    // A completion is ignored if its source is not enabled for this context (PLIC spec, ch. 9).
    if (irq == 0 || irq > source_count || !sources_[irq].enabled)
        return;
    if (sources_[irq].in_service)
        report(irq, Request::None);
    else if (on_unclaimed)
        on_unclaimed(irq);
    sources_[irq].in_service = false;
    latch(irq);
    update();
}

/// Makes a request pending. The request stays pending until it is claimed, even if the line drops.
void Plic::latch(std::uint32_t irq)
{
    Source& source = sources_[irq];
    if (!source.level || source.in_service || source.pending)
        return;
    source.pending = true;
    report(irq, Request::Pending);
}

Plic::Request Plic::request(std::uint32_t irq) const
{
    const Source& source = sources_.at(irq);
    return source.in_service ? Request::Claimed : source.pending ? Request::Pending : Request::None;
}

void Plic::report(std::uint32_t irq, Request request) const
{
    if (on_request)
        on_request(irq, request);
}

void Plic::set_source(std::uint32_t irq, bool level)
{
    if (irq == 0 || irq > source_count)
        throw std::out_of_range("PLIC: there is no source " + std::to_string(irq) +
                                ", expected 1 to " + std::to_string(source_count));
    sources_[irq].level = level;
    latch(irq);
    update();
}

void Plic::update()
{
    if (hart_ == nullptr)
        return;
    const std::uint32_t irq = best();
    hart_->set_interrupt(Interrupt::external, irq != 0 && sources_[irq].priority > threshold_);
}

} // namespace levee::riscv
