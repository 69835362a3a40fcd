// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/injector.hpp"

#include "core/config/error.hpp"
#include "platform/observe/debug/pokes.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace levee::faults {

namespace {

constexpr std::string_view core_prefix = "core.";

const Injectable& state_of(const debug::MachineView& machine, const StateBit& at)
{
    if (const auto index = machine.find(at.component))
        for (const Injectable& state : machine.system().components()[*index].injectable)
            if (state.name == at.state && state.flip)
                return state;
    throw config::Error("'" + at.component + "' has no state '" + at.state + "'");
}

CommandQueue& queue_of(const debug::MachineView& machine, const std::string& block)
{
    if (const auto index = machine.find(block))
        if (CommandQueue* const queue = machine.system().components()[*index].queue)
            return *queue;
    throw config::Error("'" + block + "' executes no descriptors");
}

} // namespace

class Injector::NextDescriptor : private CommandObserver {
public:
    NextDescriptor(Injector& injector, const DescriptorBit& at, CommandQueue& queue)
        : injector_(injector), at_(at)
    {
        queue.observe(*this);
    }
    void wait() { waits_ = true; }

private:
    void submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t) override
    {
        if (std::exchange(waits_, false))
            injector_.flip_descriptor(at_, queue.queued().back().address);
    }

    Injector& injector_;
    DescriptorBit at_;
    bool waits_ = false;
};

Injector::Injector(const debug::MachineView& machine, debug::CoreStops& stops,
                   const Injection& injection)
    : machine_(machine), stops_(stops), injection_(injection)
{
    for (const Flip& flip : injection.fault.flips)
        arm(flip);
    sc_core::sc_spawn(
        [this] {
            sc_core::wait(sc_core::sc_time::from_value(injection_.fault.at));
            for (const Flip& one : injection_.fault.flips)
                std::visit([this](const auto& at) { flip(at); }, one);
        },
        "fault");
}

Injector::~Injector() = default;

/// Prepares a flip before the run starts. Throws config::Error if a state bit or a queue does not
/// exist.
void Injector::arm(const Flip& flip)
{
    if (const auto* state = std::get_if<StateBit>(&flip))
        (void)state_of(machine_, *state);
    if (const auto* descriptor = std::get_if<DescriptorBit>(&flip))
        next_.push_back(std::make_unique<NextDescriptor>(*this, *descriptor,
                                                         queue_of(machine_, descriptor->block)));
    const auto* const reg = std::get_if<RegisterBit>(&flip);
    if (reg == nullptr || !reg->name.starts_with(core_prefix))
        return;
    of_core_.push_back(*reg);
    const riscv::Clock& clock = machine_.system().core().clock();
    stops_.add_cycle(clock.first_edge(injection_.fault.at), injection_.fault.at);
}

void Injector::core_stopped()
{
    if (now_ps() < injection_.fault.at)
        return;
    for (const RegisterBit& at : std::exchange(of_core_, {}))
        poke({"flip", at.name, "bit", std::to_string(at.bit)});
}

void Injector::flip(const RegisterBit& at)
{
    if (!at.name.starts_with(core_prefix)) // core_stopped() flips bits of the core's registers
        poke({"flip", at.name, "bit", std::to_string(at.bit)});
}

void Injector::flip(const BitAt& at)
{
    poke({"flip", "memory", std::to_string(at.address), "bit", std::to_string(at.bit)});
}

void Injector::flip(const DescriptorBit& at)
{
    const auto& waiting = queue_of(machine_, at.block).queued();
    if (!waiting.empty())
        return flip_descriptor(at, waiting[at.choice % waiting.size()].address);
    next_[waiting_++]->wait(); // all descriptor bits of a fault are in one queue, so either all
                               // wait or none, in the order of arm()
}

void Injector::flip(const StateBit& at)
{
    state_of(machine_, at).flip(at.bit);
    say(text_of(at));
}

void Injector::flip_descriptor(const DescriptorBit& at, std::uint64_t address)
{
    std::array<std::uint8_t, LEVEE_DESCRIPTOR_BYTES> bytes{};
    levee_descriptor descriptor;
    if (machine_.read(address, bytes) != bytes.size())
        return injection_.refused("the descriptor cannot be read");
    std::memcpy(&descriptor, bytes.data(), bytes.size());
    const Declaration& declaration = queue_of(machine_, at.block).declaration();
    poke(
        {"flip", "memory", std::to_string(address + at.bit / 8), "bit", std::to_string(at.bit % 8)},
        "; " + trace::operation_name(declaration, descriptor) + " of " + at.block + ", " +
            trace::field_name(declaration, descriptor.version, at.bit / 8));
}

void Injector::poke(const std::vector<std::string>& words, const std::string& more)
{
    try {
        say(debug::make(machine_, debug::parse_poke(machine_, words)) + more);
    } catch (const debug::PokeError& error) {
        injection_.refused(error.what());
    }
}

void Injector::say(const std::string& text)
{
    has_flipped_ = true;
    injection_.flipped(text);
}

} // namespace levee::faults
