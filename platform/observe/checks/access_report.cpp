// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/access_report.hpp"

#include "ip/riscv/decode.hpp"
#include "platform/observe/trace/disassembler.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace levee::checks {

namespace {

constexpr unsigned most_reported = 20; // limits the output, since a program may handle many
                                       // exceptions

unsigned size_of(riscv::Code code)
{
    using riscv::Code;
    switch (code) {
    case Code::lb:
    case Code::lbu:
    case Code::sb:
        return 1;
    case Code::lh:
    case Code::lhu:
    case Code::sh:
        return 2;
    default:
        return 4;
    }
}

std::string last_of(const bus::Mapping& window)
{
    return hex(window.base + (window.size - 1));
}

} // namespace

AccessReport::AccessReport(const Context& context, bool quiet)
    : context_(context), core_(index_of_initiator(context.system, "core")), quiet_(quiet)
{
    context.system.bus().observe(*this);
}

void AccessReport::passed(const bus::Transaction& transaction)
{
    if (transaction.initiator == core_)
        answer_ = transaction.payload->get_response_status();
}

/// Describes the access that failed. Returns an empty text if the exception was not caused by an
/// access.
std::string AccessReport::fault(riscv::Cause cause, std::uint32_t value, std::uint32_t pc) const
{
    using riscv::Cause;
    const bool write = cause == Cause::store_fault || cause == Cause::store_misaligned;
    const std::string kind = write ? "write" : "read";
    switch (cause) {
    case Cause::load_fault:
    case Cause::store_fault:
        return kind + " at " + hex(value) + instruction(pc) + ": " + reason(value, write);
    case Cause::load_misaligned:
    case Cause::store_misaligned:
        return "misaligned " + kind + " at " + hex(value) + instruction(pc) +
               ": expected a multiple of the access's size";
    case Cause::fetch_fault:
        return "jump to " + hex(value) + ": " + reason(value, false);
    case Cause::illegal_instruction:
        return "illegal instruction " + hex(value);
    default:
        return "";
    }
}

void AccessReport::on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc)
{
    trap_.clear();
    if (cause == riscv::Cause::breakpoint)
        trap_ = "ebreak, and no debugger is connected" + place(pc);
    else if (cause == riscv::Cause::ecall_machine)
        trap_ = "ecall: no execution environment (such as SBI) handles it" + place(pc);
    std::string text = fault(cause, value, pc);
    if (text.empty() || reported_ == most_reported)
        return;
    text += place(pc);
    if (text == last_)
        return; // a trap loop, which TrapWatch reports
    kept_.push_back(text);
    last_ = std::move(text);
    if (++reported_ == most_reported)
        kept_.push_back("further exceptions are not reported");
    if (!quiet_)
        print();
}

void AccessReport::print()
{
    for (const std::string& line : kept_)
        warn("core", line);
    kept_.clear();
}

void AccessReport::failed()
{
    print();
    if (!trap_.empty())
        warn("core", trap_);
}

std::string AccessReport::place(std::uint32_t pc) const
{
    return "; pc " + context_.place(pc) + ", ra " +
           context_.place(context_.system.core().hart().reg(ra));
}

/// Returns the size and instruction of the access, such as " of 4 bytes (lw a0,0(a5))".
std::string AccessReport::instruction(std::uint32_t pc) const
{
    std::uint32_t raw = 0;
    std::array<std::uint8_t, sizeof raw> code{};
    if (context_.system.core().debug_read(pc, code) < sizeof(std::uint16_t))
        return "";
    std::memcpy(&raw, code.data(), sizeof raw);
    if (!riscv::is_wide(static_cast<std::uint16_t>(raw)))
        raw &= 0xFFFF;
    const riscv::Op op = riscv::decode(raw, pc, riscv::CycleCosts{});
    std::string text = trace::disassemble(op);
    std::replace(text.begin(), text.end(), '\t', ' ');
    return " of " + std::to_string(size_of(op.code)) + " bytes (" + text + ")";
}

std::string AccessReport::reason(std::uint32_t address, bool write) const
{
    for (const bus::Mapping& window : context_.system.bus().mappings())
        if (address >= window.base && address - window.base < window.size)
            return reason_in(window, address, write);
    return "nothing is mapped there; the nearest is " + nearest(address);
}

std::string AccessReport::nearest(std::uint32_t address) const
{
    const bus::Mapping* best = nullptr;
    std::uint64_t least = UINT64_MAX;
    for (const bus::Mapping& window : context_.system.bus().mappings()) {
        const std::uint64_t distance = address < window.base
                                           ? window.base - address
                                           : address - (window.base + window.size - 1);
        if (distance < least) {
            least = distance;
            best = &window;
        }
    }
    return best->name + ", " + hex(best->base) + " to " + last_of(*best) + ", " +
           std::to_string(least) + " bytes away";
}

std::string AccessReport::reason_in(const bus::Mapping& window, std::uint32_t address,
                                    bool write) const
{
    const std::uint64_t offset = address - window.base;
    const std::string where = window.name + " + " + hex(offset);
    if (answer_ == tlm::TLM_BURST_ERROR_RESPONSE)
        return where + ": registers are read and written as aligned 32-bit words";
    const Register* found = nullptr;
    for (std::size_t i = 0; i < context_.plan.components.size(); ++i)
        if (context_.plan.components[i].registers == window.base)
            for (const Register& reg : context_.system.components()[i].register_file->registers())
                if (reg.offset <= offset)
                    found = &reg;
    const bool exact = found != nullptr && found->offset == offset;
    if (answer_ == tlm::TLM_COMMAND_ERROR_RESPONSE)
        return where + (exact ? ", register " + found->name : std::string()) +
               (write ? ", is read-only" : ", is write-only");
    if (answer_ == tlm::TLM_ADDRESS_ERROR_RESPONSE)
        return where + " is not a register" +
               (found != nullptr
                    ? "; the nearest below is " + found->name + " at " + hex(found->offset)
                    : std::string());
    return where + " cannot be accessed this way";
}

} // namespace levee::checks
