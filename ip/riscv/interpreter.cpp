// SPDX-License-Identifier: Apache-2.0
// The interpreter loop. It keeps the slot pointer, the cycles left and the count of retired
// instructions in local variables; SAVE writes them back before anything outside may look.
#include "ip/riscv/hart.hpp"

#include <cstring>
#include <limits>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic" // labels as values: threaded dispatch
#endif

namespace levee::riscv {
namespace {

std::int32_t as_signed(std::uint32_t value)
{
    return static_cast<std::int32_t>(value);
}

std::uint32_t high_product(std::int64_t a, std::int64_t b)
{
    return static_cast<std::uint32_t>((a * b) >> 32);
}

std::uint32_t high_product_unsigned(std::uint32_t a, std::uint32_t b)
{
    return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}

/// Division by zero and overflow give the values of the unprivileged specification, table 7.1.
std::uint32_t divide(std::uint32_t a, std::uint32_t b)
{
    if (b == 0)
        return UINT32_MAX;
    if (as_signed(a) == std::numeric_limits<std::int32_t>::min() && as_signed(b) == -1)
        return a;
    return static_cast<std::uint32_t>(as_signed(a) / as_signed(b));
}

std::uint32_t remainder(std::uint32_t a, std::uint32_t b)
{
    if (b == 0)
        return a;
    if (as_signed(a) == std::numeric_limits<std::int32_t>::min() && as_signed(b) == -1)
        return 0;
    return static_cast<std::uint32_t>(as_signed(a) % as_signed(b));
}

std::uint32_t extend8(std::uint32_t value)
{
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
}
std::uint32_t extend16(std::uint32_t value)
{
    return static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
}

/// Whether an aligned access of this type lies in a page of the table; moves the value.
template <class T>
bool fast_load(std::uint8_t* const* pages, std::uint32_t address, std::uint32_t& value)
{
    const std::uint8_t* page = pages[address >> page_shift];
    if (address % sizeof(T) != 0 || page == nullptr) [[unlikely]]
        return false;
    T loaded;
    std::memcpy(&loaded, page + address % page_bytes, sizeof(T));
    value = loaded;
    return true;
}

template <class T>
bool fast_store(std::uint8_t* const* pages, std::uint32_t address, std::uint32_t value)
{
    std::uint8_t* page = pages[address >> page_shift];
    if (address % sizeof(T) != 0 || page == nullptr) [[unlikely]]
        return false;
    const T stored = static_cast<T>(value);
    std::memcpy(page + address % page_bytes, &stored, sizeof(T));
    return true;
}

} // namespace

CodePage& Hart::enter_page()
{
    const std::uint32_t page = pc_ >> page_shift;
    if (CodePage* decoded = code_.find(page))
        return *decoded;
    if (memory_.read_page(page) == nullptr)
        dmi(pc_, 2, false);
    if (memory_.read_page(page) != nullptr) {
        memory_.watch_writes(page);
        return code_.create(page);
    }
    for (std::uint32_t slot = 0; slot < slots_per_page; ++slot)
        transient_page_.slots[slot].code = Code::decode;
    transient_page_.base = page << page_shift;
    return transient_page_;
}

bool Hart::fetch_half(std::uint32_t pc, std::uint32_t address, std::uint16_t& half)
{
    std::uint8_t bytes[2];
    if (!read_bytes(address, bytes)) {
        raise(Cause::fetch_fault, address, pc);
        return false;
    }
    half = static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
    return true;
}

/// Decodes the instruction of a slot; false if it could not be fetched.
bool Hart::fetch(CodePage& page, std::uint32_t slot)
{
    const std::uint32_t pc = page.base + 2 * slot;
    std::uint16_t first = 0, second = 0;
    if (!fetch_half(pc, pc, first))
        return false;
    if (is_wide(first) && !fetch_half(pc, pc + 2, second))
        return false;
    if (is_wide(first) && slot == slots_per_page - 1 && !page.transient)
        memory_.watch_writes((pc + 2) >> page_shift);
    const std::uint32_t last = slot + (is_wide(first) && slot != slots_per_page - 1);
    if (page.stale.test(slot) || page.stale.test(last))
        port_.fetched_stale(pc);
    page.slots[slot] = decode(static_cast<std::uint32_t>(second) << 16 | first, pc, config_.costs);
    if (!breakpoints_.empty() && breakpoints_.contains(pc))
        page.slots[slot].code = Code::breakpoint;
    return true;
}

// Every operation ends in NEXT: on to the slot behind, charge its cost, count it, dispatch.
#define SAVE() (cycle_ = until_ - static_cast<std::uint64_t>(left), retired_ = retired)
#define RELOAD() (left = static_cast<std::int64_t>(until_ - cycle_))
#define PC()                                                                                       \
    (base + static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(ip) - first_slot) >> 3))
#define OP(name) label_##name:
#define DISPATCH()                                                                                 \
    do {                                                                                           \
        if (Observed) {                                                                            \
            goto observe;                                                                          \
        } else {                                                                                   \
            goto* labels[static_cast<unsigned>(ip->code)];                                         \
        }                                                                                          \
    } while (false)
#define NEXT()                                                                                     \
    do {                                                                                           \
        left -= ip->cost;                                                                          \
        ip += ip->step;                                                                            \
        ++retired;                                                                                 \
        if (left <= 0) [[unlikely]]                                                                \
            goto leave;                                                                            \
        DISPATCH();                                                                                \
    } while (false)
#define ALU(name, expression)                                                                      \
    OP(name)                                                                                       \
    {                                                                                              \
        const std::uint32_t a = x[ip->rs1];                                                        \
        [[maybe_unused]] const std::uint32_t b = x[ip->rs2];                                       \
        [[maybe_unused]] const auto imm = static_cast<std::uint32_t>(ip->imm);                     \
        x[ip->rd] = (expression);                                                                  \
        NEXT();                                                                                    \
    }
#define BRANCH(name, condition)                                                                    \
    OP(name)                                                                                       \
    {                                                                                              \
        const std::uint32_t a = x[ip->rs1];                                                        \
        const std::uint32_t b = x[ip->rs2];                                                        \
        if (!(condition))                                                                          \
            NEXT();                                                                                \
        left -= taken_cost;                                                                        \
        target = static_cast<std::uint32_t>(ip->imm);                                              \
        goto jump;                                                                                 \
    }
#define LOAD(name, type, extend)                                                                   \
    OP(name)                                                                                       \
    {                                                                                              \
        const std::uint32_t address = x[ip->rs1] + static_cast<std::uint32_t>(ip->imm);            \
        std::uint32_t value;                                                                       \
        if (Observed || !fast_load<type>(readable, address, value)) [[unlikely]] {                 \
            SAVE();                                                                                \
            if (!load(PC(), address, sizeof(type), value))                                         \
                goto trapped;                                                                      \
            RELOAD();                                                                              \
        }                                                                                          \
        x[ip->rd] = extend(value);                                                                 \
        NEXT();                                                                                    \
    }
#define STORE(name, type)                                                                          \
    OP(name)                                                                                       \
    {                                                                                              \
        const std::uint32_t address = x[ip->rs1] + static_cast<std::uint32_t>(ip->imm);            \
        if (Observed || !fast_store<type>(writable, address, x[ip->rs2])) [[unlikely]] {           \
            SAVE();                                                                                \
            if (!store(PC(), address, sizeof(type), x[ip->rs2]))                                   \
                goto trapped;                                                                      \
            RELOAD();                                                                              \
        }                                                                                          \
        NEXT();                                                                                    \
    }
// An operation with a function of its own that may trap.
#define CALL(name, call)                                                                           \
    OP(name)                                                                                       \
    {                                                                                              \
        SAVE();                                                                                    \
        if (!(call))                                                                               \
            goto trapped;                                                                          \
        RELOAD();                                                                                  \
        NEXT();                                                                                    \
    }
#define TRAP(name, cause, value)                                                                   \
    OP(name)                                                                                       \
    {                                                                                              \
        SAVE();                                                                                    \
        raise(cause, value, PC());                                                                 \
        goto trapped;                                                                              \
    }

template <bool Observed> Stop Hart::execute()
{
    static const void* const labels[] = {
#define LEVEE_RISCV_LABEL(name) &&label_##name,
        LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_LABEL)
#undef LEVEE_RISCV_LABEL
    };
    std::uint32_t* const x = x_.data();
    std::uint8_t* const* const readable = memory_.read_table();
    std::uint8_t* const* const writable = memory_.write_table();
    const auto taken_cost = static_cast<std::int64_t>(config_.costs.branch_taken);
    auto left = static_cast<std::int64_t>(until_ - cycle_);
    std::uint64_t retired = retired_;
    std::uint32_t target = 0;
    // Branches inside [base, base + span) stay in the page; span is 0 for a transient page.
    std::uint32_t base = 0;
    std::uint32_t span = 0;
    CodePage* page = nullptr;
    std::uintptr_t first_slot = 0;
    Op* ip = nullptr;

enter_at_pc:
    SAVE();
    page = &enter_page();
    RELOAD();
    base = page->base;
    span = page->transient ? 0 : page_bytes;
    first_slot = reinterpret_cast<std::uintptr_t>(page->slots.data());
    ip = &page->slots[(pc_ - base) >> 1];
    DISPATCH();

jump: // to target; the jump itself has been charged
    ++retired;
    if (target - base < span && left > 0) [[likely]] {
        ip = reinterpret_cast<Op*>(first_slot + (std::uintptr_t{target - base} << 3));
        DISPATCH();
    }
    pc_ = target;
    if (left > 0)
        goto enter_at_pc;
    SAVE();
    return Stop::deadline;

trapped: // raise() has set pc_ and charged the trap
    RELOAD();
    if (left > 0)
        goto enter_at_pc;
    return Stop::deadline;

leave:
    SAVE();
    pc_ = PC();
    return sleeping_ ? Stop::wfi : Stop::deadline;

observe:
    SAVE();
    pc_ = PC();
    instruction_ = ip;
    if (ip->code != Code::page_end && ip->code != Code::decode && ip->code != Code::breakpoint &&
        !observer_->before_instruction(pc_, cycle_))
        return Stop::observer;
    RELOAD();
    goto* labels[static_cast<unsigned>(ip->code)];

    OP(decode)
    {
        SAVE();
        if (!fetch(*page, (PC() - base) >> 1))
            goto trapped;
        RELOAD();
        DISPATCH();
    }
    OP(page_end)
    {
        pc_ = PC();
        goto enter_at_pc;
    }
    OP(breakpoint)
    {
        SAVE();
        pc_ = PC();
        return Stop::observer;
    }
    OP(jal)
    {
        x[ip->rd] = PC() + 2u * ip->step;
        left -= ip->cost;
        target = static_cast<std::uint32_t>(ip->imm);
        goto jump;
    }
    OP(jalr)
    {
        target = (x[ip->rs1] + static_cast<std::uint32_t>(ip->imm)) & ~1u;
        x[ip->rd] = PC() + 2u * ip->step;
        left -= ip->cost;
        goto jump;
    }
    BRANCH(beq, a == b)
    BRANCH(bne, a != b)
    BRANCH(blt, as_signed(a) < as_signed(b))
    BRANCH(bge, as_signed(a) >= as_signed(b))
    BRANCH(bltu, a < b)
    BRANCH(bgeu, a >= b)
    LOAD(lb, std::uint8_t, extend8)
    LOAD(lh, std::uint16_t, extend16)
    LOAD(lw, std::uint32_t, )
    LOAD(lbu, std::uint8_t, )
    LOAD(lhu, std::uint16_t, )
    STORE(sb, std::uint8_t)
    STORE(sh, std::uint16_t)
    STORE(sw, std::uint32_t)
    OP(load_immediate)
    {
        x[ip->rd] = static_cast<std::uint32_t>(ip->imm);
        NEXT();
    }
    ALU(addi, a + imm)
    ALU(slti, as_signed(a) < as_signed(imm))
    ALU(sltiu, a < imm)
    ALU(xori, a ^ imm)
    ALU(ori, a | imm)
    ALU(andi, a & imm)
    ALU(slli, a << imm)
    ALU(srli, a >> imm)
    ALU(srai, static_cast<std::uint32_t>(as_signed(a) >> imm))
    ALU(add, a + b)
    ALU(sub, a - b)
    ALU(sll, a << (b & 31))
    ALU(slt, as_signed(a) < as_signed(b))
    ALU(sltu, a < b)
    ALU(bit_xor, a ^ b)
    ALU(srl, a >> (b & 31))
    ALU(sra, static_cast<std::uint32_t>(as_signed(a) >> (b & 31)))
    ALU(bit_or, a | b)
    ALU(bit_and, a & b)
    ALU(mul, a * b)
    ALU(mulh, high_product(as_signed(a), as_signed(b)))
    ALU(mulhsu, high_product(as_signed(a), b))
    ALU(mulhu, high_product_unsigned(a, b))
    ALU(div, divide(a, b))
    ALU(divu, b == 0 ? UINT32_MAX : a / b)
    ALU(rem, remainder(a, b))
    ALU(remu, b == 0 ? a : a % b)
    CALL(lr, load_reserved(PC(), *ip))
    CALL(sc, store_conditional(PC(), *ip))
    CALL(amo, atomic(PC(), *ip))
    CALL(csr, csr(PC(), *ip))
    OP(fence)
    {
        NEXT();
    }
    OP(fence_i)
    {
        code_.invalidate_all();
        NEXT();
    }
    TRAP(illegal, Cause::illegal_instruction, ip->raw)
    TRAP(ecall, Cause::ecall_machine, 0)
    CALL(ebreak, environment_break(PC(), *ip))
    OP(mret)
    {
        left -= ip->cost;
        ++retired;
        pc_ = csrs_.leave_trap();
        SAVE();
        return Stop::deadline; // an interrupt may have become deliverable
    }
    OP(wfi)
    {
        SAVE();
        sleeping_ = !interrupt_pending();
        leave();
        RELOAD();
        NEXT();
    }
}

template Stop Hart::execute<false>();
template Stop Hart::execute<true>();

} // namespace levee::riscv
