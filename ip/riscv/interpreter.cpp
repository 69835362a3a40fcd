// SPDX-License-Identifier: Apache-2.0
// The interpreter loop. Local variables hold the slot pointer, the remaining cycles and the count
// of retired instructions. SAVE writes them back before other code may read them.
#include "ip/riscv/arithmetic.hpp"
#include "ip/riscv/hart.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic" // Threaded dispatch uses labels as values.
#endif

namespace levee::riscv {
namespace {

/// If the access is aligned and its page is in the table, loads the value and returns true.
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

/// The code and, above it, the length of an instruction: the index of its label.
std::uint16_t code_and_step(const Op& op)
{
    static_assert(std::endian::native == std::endian::little && offsetof(Op, code) == 0 &&
                  offsetof(Op, step) == 1);
    std::uint16_t both = 0;
    std::memcpy(&both, &op, sizeof both);
    return both;
}

/// Labels by code_and_step(); the first row, for length 0, is empty.
using Labels = const void* const[3][256];

constexpr bool is_jump(Code code)
{
    return code == Code::jal || code == Code::jalr;
}

/// Whether an observer with straight() must see this instruction and the next one.
constexpr bool changes_flow(Code code)
{
    return is_jump(code) || code == Code::mret || code == Code::wfi;
}

} // namespace

/// Finds the slots of a page that the observer need not see: `bytes` bytes of slots from `begin`
/// on.
void Hart::find_quiet(const CodePage& page, std::uintptr_t& begin, std::uintptr_t& bytes) const
{
    bytes = 0;
    if (ask_)
        return;
    const std::uint64_t first = std::max(straight_->begin, page.base);
    const std::uint64_t end = std::min(straight_->end, std::uint64_t{page.base} + page_bytes);
    if (first >= end)
        return;
    begin = reinterpret_cast<std::uintptr_t>(&page.slots[(first - page.base) >> 1]);
    bytes = (end - first + 1) / 2 * sizeof(Op);
}

// Every operation ends in NEXT, which advances to the next slot, adds the instruction's cycles,
// counts it, and dispatches. Frequent operations exist for both instruction lengths, because
// reading the length would make each instruction wait for the previous one.
#define SAVE() (cycle_ = until_ - static_cast<std::uint64_t>(left), retired_ = retired)
#define RELOAD() (left = static_cast<std::int64_t>(until_ - cycle_))
#define PC()                                                                                       \
    (base + static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(ip) - first_slot) >> 3))
#define OP(name) label_##name##_1 : label_##name##_2:
#define BOTH(kind, name, ...) kind(name, 1, __VA_ARGS__) kind(name, 2, __VA_ARGS__)
#define DISPATCH()                                                                                 \
    do {                                                                                           \
        if (Observed || (Straight && reinterpret_cast<std::uintptr_t>(ip) - quiet >= quiet_bytes)) \
            goto observe;                                                                          \
        goto* labels[code_and_step(*ip)];                                                          \
    } while (false)
#define NEXT(slots)                                                                                \
    do {                                                                                           \
        const std::int64_t cost = ip->cost;                                                        \
        ip += (slots);                                                                             \
        ++retired;                                                                                 \
        left -= cost;                                                                              \
        if (left <= 0) [[unlikely]]                                                                \
            goto leave;                                                                            \
        DISPATCH();                                                                                \
    } while (false)
#define ALU_OF(name, slots, expression)                                                            \
    label_##name##_##slots:                                                                        \
    {                                                                                              \
        [[maybe_unused]] const std::uint32_t a = x[ip->rs1];                                       \
        [[maybe_unused]] const std::uint32_t b = x[ip->rs2];                                       \
        [[maybe_unused]] const auto imm = static_cast<std::uint32_t>(ip->imm);                     \
        x[ip->rd] = (expression);                                                                  \
        NEXT(slots);                                                                               \
    }
#define BRANCH_OF(name, slots, condition)                                                          \
    label_##name##_##slots:                                                                        \
    {                                                                                              \
        [[maybe_unused]] const std::uint32_t a = x[ip->rs1];                                       \
        const std::uint32_t b = x[ip->rs2];                                                        \
        if (!(condition))                                                                          \
            NEXT(slots);                                                                           \
        left -= taken_cost;                                                                        \
        target = static_cast<std::uint32_t>(ip->imm);                                              \
        goto jump;                                                                                 \
    }
#define LOAD_OF(name, slots, type, extend)                                                         \
    label_##name##_##slots:                                                                        \
    {                                                                                              \
        const std::uint32_t address = x[ip->rs1] + static_cast<std::uint32_t>(ip->imm);            \
        std::uint32_t value;                                                                       \
        if (Observed || !fast_load<type>(readable, address, value)) [[unlikely]] {                 \
            if (!Cached || !line_load<type>(address, value)) {                                     \
                std::uint32_t loaded = 0;                                                          \
                SAVE();                                                                            \
                if (!load(PC(), address, sizeof(type), loaded))                                    \
                    goto trapped;                                                                  \
                RELOAD();                                                                          \
                value = loaded;                                                                    \
            }                                                                                      \
        }                                                                                          \
        x[ip->rd] = extend(value);                                                                 \
        NEXT(slots);                                                                               \
    }
#define STORE_OF(name, slots, type)                                                                \
    label_##name##_##slots:                                                                        \
    {                                                                                              \
        const std::uint32_t address = x[ip->rs1] + static_cast<std::uint32_t>(ip->imm);            \
        if (Observed || !fast_store<type>(writable, address, x[ip->rs2])) [[unlikely]] {           \
            if (!Cached || !line_store<type>(address, x[ip->rs2])) {                               \
                SAVE();                                                                            \
                if (!store(PC(), address, sizeof(type), x[ip->rs2]))                               \
                    goto trapped;                                                                  \
                RELOAD();                                                                          \
            }                                                                                      \
        }                                                                                          \
        NEXT(slots);                                                                               \
    }
#define ALU(name, expression) BOTH(ALU_OF, name, expression)
#define BRANCH(name, condition) BOTH(BRANCH_OF, name, condition)
#define LOAD(name, type, extend) BOTH(LOAD_OF, name, type, extend)
#define STORE(name, type) BOTH(STORE_OF, name, type)
// An operation that calls a separate function, which may trap.
#define CALL(name, call)                                                                           \
    OP(name)                                                                                       \
    {                                                                                              \
        SAVE();                                                                                    \
        if (!(call))                                                                               \
            goto trapped;                                                                          \
        RELOAD();                                                                                  \
        NEXT(ip->step);                                                                            \
    }
#define TRAP(name, cause, value)                                                                   \
    OP(name)                                                                                       \
    {                                                                                              \
        SAVE();                                                                                    \
        raise(cause, value, PC());                                                                 \
        goto trapped;                                                                              \
    }

/// Loads an aligned value from a line of the data cache. Returns false if the line is not in the
/// table.
template <class T> bool Hart::line_load(std::uint32_t address, std::uint32_t& value)
{
    const std::uint8_t* const bytes = loads_.find(address);
    if (bytes == nullptr || address % sizeof(T) != 0)
        return false;
    T loaded;
    std::memcpy(&loaded, bytes, sizeof(T));
    value = loaded;
    ++dcounts_.accesses;
    return true;
}

template <class T> bool Hart::line_store(std::uint32_t address, std::uint32_t value)
{
    std::uint8_t* const bytes = stores_.find(address);
    if (bytes == nullptr || address % sizeof(T) != 0)
        return false;
    const T stored = static_cast<T>(value);
    std::memcpy(bytes, &stored, sizeof(T));
    ++dcounts_.accesses;
    return true;
}

/// With Cached, loads and stores look up data cache lines before they take the slow path.
template <Hart::Loop loop> Stop Hart::execute()
{
    constexpr bool Observed = loop == Loop::Observed, Straight = loop == Loop::Straight;
    constexpr bool Cached = loop == Loop::Cached || Straight;
#define LEVEE_RISCV_LABEL_1(name) &&label_##name##_1,
#define LEVEE_RISCV_LABEL_2(name) &&label_##name##_2,
    static Labels operations = {{},
                                {LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_LABEL_1)},
                                {LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_LABEL_2)}};
#undef LEVEE_RISCV_LABEL_1
#undef LEVEE_RISCV_LABEL_2
    // With Straight, the observer is called before each instruction that changes the flow.
#define LEVEE_RISCV_LABEL_1(name) changes_flow(Code::name) ? &&observe : &&label_##name##_1,
#define LEVEE_RISCV_LABEL_2(name) changes_flow(Code::name) ? &&observe : &&label_##name##_2,
    static Labels shown_first = {{},
                                 {LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_LABEL_1)},
                                 {LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_LABEL_2)}};
#undef LEVEE_RISCV_LABEL_1
#undef LEVEE_RISCV_LABEL_2
    const void* const* const every = &operations[0][0];
    const void* const* const labels = Straight ? &shown_first[0][0] : every;
    std::uint32_t* const x = x_.data();
    std::uint8_t* const* const readable = memory_.read_table();
    std::uint8_t* const* const writable = memory_.write_table();
    const auto taken_cost = static_cast<std::int64_t>(config_.costs.branch_taken);
    auto left = static_cast<std::int64_t>(until_ - cycle_);
    std::uint64_t retired = retired_;
    std::uint32_t target = 0;
    // Branches to [base, base + span) stay in the page. span is 0 for a transient page.
    std::uint32_t base = 0;
    std::uint32_t span = 0;
    CodePage* page = nullptr;
    std::uintptr_t first_slot = 0;
    Op* ip = nullptr;
    // With Straight: the slots of the page that the observer need not see.
    std::uintptr_t quiet = 0, quiet_bytes = 0;

enter_at_pc:
    SAVE();
    page = &enter_page();
    RELOAD();
    base = page->base;
    span = page->source == CodePage::Source::Transient ? 0 : page_bytes;
    first_slot = reinterpret_cast<std::uintptr_t>(page->slots.data());
    ip = &page->slots[(pc_ - base) >> 1];
    if (Straight)
        find_quiet(*page, quiet, quiet_bytes);
    DISPATCH();

jump: // Jumps to `target`. The jump's cycles have been added already.
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

trapped: // raise() has set pc_ and added the trap's cycles.
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
    if (ip->code != Code::page_end && ip->code != Code::decode && ip->code != Code::breakpoint) {
        if (!observer_->before_instruction(pc_, cycle_))
            return Stop::observer;
        if (Straight) {
            ask_ = straight_->knows_jumps ? changes_flow(ip->code) && !is_jump(ip->code)
                                          : changes_flow(ip->code);
            find_quiet(*page, quiet, quiet_bytes);
        }
    }
    RELOAD();
    goto* every[code_and_step(*ip)];

    OP(decode)
    {
        SAVE();
        switch (fetch(*page, (PC() - base) >> 1)) {
        case Fetched::Yes:
            break;
        case Fetched::Trapped:
            goto trapped;
        case Fetched::Later:
            pc_ = PC();
            return Stop::deadline;
        }
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
    ALU(load_immediate, imm)
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
        NEXT(ip->step);
    }
    CALL(fence_i, fence_i(PC(), *page))
    CALL(cbo, cache_block(PC(), *ip))
    TRAP(illegal, Cause::illegal_instruction, ip->raw)
    TRAP(ecall, Cause::ecall_machine, 0)
    CALL(ebreak, environment_break(PC(), *ip))
    OP(mret)
    {
        left -= ip->cost;
        ++retired;
        pc_ = csrs_.leave_trap();
        SAVE();
        return Stop::deadline; // An interrupt may have become deliverable.
    }
    OP(wfi)
    {
        SAVE();
        sleeping_ = !interrupt_pending();
        leave();
        RELOAD();
        NEXT(ip->step);
    }
}

template Stop Hart::execute<Hart::Loop::Plain>();
template Stop Hart::execute<Hart::Loop::Cached>();
template Stop Hart::execute<Hart::Loop::Observed>();
template Stop Hart::execute<Hart::Loop::Straight>();

} // namespace levee::riscv
