// SPDX-License-Identifier: Apache-2.0
// Slow memory accesses: atomics, and accesses that are misaligned, watched or not possible by
// pointer.
#include "ip/riscv/hart.hpp"

#include <algorithm>
#include <cstring>

namespace levee::riscv {
namespace {

std::uint32_t amo_result(std::uint32_t funct5, std::uint32_t memory, std::uint32_t operand)
{
    const auto a = static_cast<std::int32_t>(memory);
    const auto b = static_cast<std::int32_t>(operand);
    switch (funct5) {
    case 0x00:
        return memory + operand;
    case 0x01:
        return operand;
    case 0x04:
        return memory ^ operand;
    case 0x08:
        return memory | operand;
    case 0x0C:
        return memory & operand;
    case 0x10:
        return static_cast<std::uint32_t>(std::min(a, b));
    case 0x14:
        return static_cast<std::uint32_t>(std::max(a, b));
    case 0x18:
        return std::min(memory, operand);
    default: // 0x1C; decode() admits no other value.
        return std::max(memory, operand);
    }
}

std::span<std::uint8_t> bytes_of(std::uint32_t& value, std::uint32_t size)
{
    return {reinterpret_cast<std::uint8_t*>(&value), size};
}

} // namespace

std::uint8_t* Hart::dmi(std::uint32_t address, std::uint32_t size, bool write)
{
    if (std::uint8_t* data = memory_.find(address, size, write))
        return data;
    const auto region = port_.request_dmi(address);
    if (!region)
        return nullptr;
    memory_.add(*region);
    return memory_.find(address, size, write);
}

bool Hart::read_bytes(std::uint32_t address, std::span<std::uint8_t> data)
{
    return is_cached_data(address) ? read_cached(address, data) : read_uncached(address, data);
}

bool Hart::read_uncached(std::uint32_t address, std::span<std::uint8_t> data)
{
    const auto size = static_cast<std::uint32_t>(data.size());
    if (const std::uint8_t* memory = dmi(address, size, false)) {
        std::memcpy(data.data(), memory, size);
        return true;
    }
    const bool done = port_.read(address, data, cycle_);
    leave(); // Return from the loop, because time has passed.
    return done;
}

bool Hart::write_bytes(std::uint32_t address, std::span<const std::uint8_t> data)
{
    const auto size = static_cast<std::uint32_t>(data.size());
    if (memory_.guards(address >> page_shift) ||
        memory_.guards((address + (size - 1)) >> page_shift))
        port_.guarded(address, size);
    if (is_cached_data(address)) {
        if (!write_cached(address, data))
            return false;
    } else if (std::uint8_t* memory = dmi(address, size, true)) {
        std::memcpy(memory, data.data(), size);
    } else {
        const bool done = port_.write(address, data, cycle_);
        leave();
        if (!done)
            return false;
    }
    code_.stored(address, size);
    if (config_.tohost)
        check_tohost(address, size);
    return true;
}

void Hart::observe_access(std::uint32_t address, std::uint32_t size, bool write)
{
    if (observer_ != nullptr)
        observer_->after_access(address, size, write);
}

/// Whether a misaligned access is allowed. Only memory permits misaligned accesses, because a
/// device register cannot be accessed in parts.
bool Hart::misaligned_allowed(std::uint32_t address, std::uint32_t size, bool write)
{
    if (config_.misaligned_traps)
        return false;
    return dmi(address, size, write) != nullptr ||
           (is_cached_data(address) && is_cached_data(address + size - 1));
}

bool Hart::load(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t& value)
{
    access_pc_ = pc;
    if (address % size != 0) {
        if (!misaligned_allowed(address, size, false)) {
            raise(Cause::load_misaligned, address, pc);
            return false;
        }
        cycle_ += config_.costs.misaligned;
    }
    value = 0;
    if (!read_bytes(address, bytes_of(value, size))) {
        raise(Cause::load_fault, address, pc);
        return false;
    }
    observe_access(address, size, false);
    return true;
}

bool Hart::store(std::uint32_t pc, std::uint32_t address, std::uint32_t size, std::uint32_t value)
{
    access_pc_ = pc;
    if (address % size != 0) {
        if (!misaligned_allowed(address, size, true)) {
            raise(Cause::store_misaligned, address, pc);
            return false;
        }
        cycle_ += config_.costs.misaligned;
    }
    if (!write_bytes(address, bytes_of(value, size))) {
        raise(Cause::store_fault, address, pc);
        return false;
    }
    observe_access(address, size, true);
    return true;
}

bool Hart::atomic(std::uint32_t pc, const Op& op)
{
    const std::uint32_t address = x_[op.rs1];
    access_pc_ = pc;
    if (address % 4 != 0) {
        raise(Cause::store_misaligned, address, pc);
        return false;
    }
    std::uint32_t old = 0;
    if (!read_bytes(address, bytes_of(old, 4))) {
        raise(Cause::store_fault, address, pc);
        return false;
    }
    observe_access(address, 4, false);
    std::uint32_t result = amo_result(static_cast<std::uint32_t>(op.imm), old, x_[op.rs2]);
    if (!write_bytes(address, bytes_of(result, 4))) {
        raise(Cause::store_fault, address, pc);
        return false;
    }
    x_[op.rd] = old;
    observe_access(address, 4, true);
    return true;
}

bool Hart::load_reserved(std::uint32_t pc, const Op& op)
{
    const std::uint32_t address = x_[op.rs1];
    if (address % 4 != 0) {
        raise(Cause::load_misaligned, address, pc);
        return false;
    }
    std::uint32_t value = 0;
    if (!load(pc, address, 4, value))
        return false;
    reservation_ = Reservation{address, value};
    x_[op.rd] = value;
    return true;
}

bool Hart::store_conditional(std::uint32_t pc, const Op& op)
{
    const std::uint32_t address = x_[op.rs1];
    if (address % 4 != 0) {
        raise(Cause::store_misaligned, address, pc);
        return false;
    }
    const auto reservation = reservation_;
    reservation_.reset();
    bool holds = reservation && reservation->address == address;
    if (holds) {
        // A write by another master since lr breaks the reservation, if it has changed the value.
        std::uint32_t now = 0;
        if (!read_bytes(address, bytes_of(now, 4))) {
            raise(Cause::store_fault, address, pc);
            return false;
        }
        holds = now == reservation->value;
    }
    if (holds && !store(pc, address, 4, x_[op.rs2]))
        return false;
    x_[op.rd] = holds ? 0 : 1;
    return true;
}

/// Checks for a request in tohost after a store. A 32-bit program writes a console request in two
/// stores. If the other half is still zero, and this half may belong to a console request, the hart
/// waits for the second store for up to `half_instructions` instructions.
void Hart::check_tohost(std::uint32_t address, std::uint32_t size)
{
    constexpr std::uint32_t success = 1, most_character = 0xFF;
    const std::uint32_t tohost = *config_.tohost;
    const std::uint64_t end = std::uint64_t{address} + size;
    if (end <= tohost || address >= std::uint64_t{tohost} + 8)
        return;
    std::uint32_t low = 0, high = 0;
    if (!read_bytes(tohost, bytes_of(low, 4)) || !read_bytes(tohost + 4, bytes_of(high, 4)))
        return; // No memory has this address, so nothing was written.
    half_request_.reset();
    if ((low | high) == 0)
        return;
    const bool low_alone = high == 0 && end <= std::uint64_t{tohost} + 4;
    const bool high_alone = low == 0 && address >= tohost + 4;
    if (high_alone || (low_alone && low > success && low <= most_character)) {
        half_request_ = 0;
        leave();
        return;
    }
    serve_tohost();
}

void Hart::serve_tohost()
{
    half_request_.reset();
    std::uint32_t low = 0, high = 0;
    if (!read_bytes(*config_.tohost, bytes_of(low, 4)) ||
        !read_bytes(*config_.tohost + 4, bytes_of(high, 4)))
        return;
    leave();
    if ((low & 1u) != 0 && high == 0)
        port_.exited(low >> 1, cycle_);
    else
        port_.htif_request(std::uint64_t{high} << 32 | low, cycle_);
}

} // namespace levee::riscv
