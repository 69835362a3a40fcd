// SPDX-License-Identifier: Apache-2.0
// Descriptors for every block's queue. An input is the queue's number (one byte), a descriptor, and
// the bytes that follow it in memory. The system is timing-only, because an input may state data of
// any size.
#include "fuzz/machine.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee::fuzz {

namespace {

constexpr std::uint64_t at = 0x1000; ///< address in the memory for activations
constexpr std::size_t most_bytes = 4096;

const Register& register_at(const CommandQueue& queue, std::uint32_t offset)
{
    return *std::ranges::find(queue.register_file().registers(), offset, &Register::offset);
}

class Descriptors {
public:
    Descriptors()
    {
        for (Component& component : machine_.system().components())
            if (component.queue != nullptr)
                queues_.push_back(component.queue);
        const SystemPlan& plan = machine_.plan();
        for (std::size_t i = 0; i < plan.components.size(); ++i)
            if ((plan.components[i].roles & LEVEE_ROLE_ACTIVATIONS) != 0)
                memory_ = i;
    }

    /// Runs a descriptor until the queue is empty, has stopped, or has waited for a long time.
    /// Returns the error in its registers.
    std::string run(std::uint8_t number, Bytes bytes)
    {
        CommandQueue& queue = *queues_[number % queues_.size()];
        std::vector<std::uint8_t> content(most_bytes);
        std::copy_n(bytes.begin(), std::min(bytes.size(), most_bytes), content.begin());
        machine_.system().load(memory_, at, content);
        const std::uint64_t address = machine_.plan().components[memory_].base + at;
        register_at(queue, LEVEE_CMD_ADDRESS_LO).write(static_cast<std::uint32_t>(address));
        register_at(queue, LEVEE_CMD_ADDRESS_HI).write(static_cast<std::uint32_t>(address >> 32));
        register_at(queue, LEVEE_CMD_SUBMIT).write(1);
        sc_core::sc_start(longest);
        return outcome_of(queue);
    }

private:
    std::string outcome_of(const CommandQueue& queue)
    {
        const std::uint32_t code = register_at(queue, LEVEE_CMD_ERROR_CODE).value();
        const std::uint32_t field = register_at(queue, LEVEE_CMD_ERROR_FIELD).value();
        const bool stopped =
            (register_at(queue, LEVEE_CMD_STATUS).value() & LEVEE_CMD_STATUS_STOPPED) != 0;
        if (stopped != (code != LEVEE_ERROR_NONE))
            find_fault(std::string(queue.name()) +
                       " has stopped without an error code, or has a code without having stopped");
        register_at(queue, LEVEE_CMD_CONTROL).write(LEVEE_CMD_CONTROL_RESET);
        return stopped ? "error " + std::to_string(code) + " in field " + std::to_string(field)
                       : "";
    }

    const sc_core::sc_time longest{1, sc_core::SC_MS};
    Machine machine_;
    std::vector<CommandQueue*> queues_;
    std::size_t memory_ = 0;
};

} // namespace

std::string feed(Bytes input)
{
    static Descriptors descriptors;
    return input.empty() ? "no queue" : descriptors.run(input[0], input.subspan(1));
}

} // namespace levee::fuzz
