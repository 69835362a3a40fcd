// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/decode.hpp"

#include "ip/riscv/bits.hpp"

#include <array>

namespace levee::riscv {
namespace {

struct Fields {
    std::uint32_t raw;
    std::uint32_t opcode() const { return raw & 0x7F; }
    std::uint32_t funct3() const { return field(raw, 12, 3); }
    std::uint32_t funct7() const { return raw >> 25; }
    std::uint8_t rd() const { return static_cast<std::uint8_t>(field(raw, 7, 5)); }
    std::uint8_t rs1() const { return static_cast<std::uint8_t>(field(raw, 15, 5)); }
    std::uint8_t rs2() const { return static_cast<std::uint8_t>(field(raw, 20, 5)); }
    std::int32_t imm_i() const { return static_cast<std::int32_t>(raw) >> 20; }
    std::int32_t imm_s() const { return sign_extend((raw >> 25) << 5 | field(raw, 7, 5), 12); }
    std::int32_t imm_u() const { return static_cast<std::int32_t>(raw & 0xFFFFF000); }
    std::int32_t imm_b() const
    {
        return sign_extend((raw >> 31) << 12 | field(raw, 7, 1) << 11 | field(raw, 25, 6) << 5 |
                               field(raw, 8, 4) << 1,
                           13);
    }
    std::int32_t imm_j() const
    {
        return sign_extend((raw >> 31) << 20 | field(raw, 12, 8) << 12 | field(raw, 20, 1) << 11 |
                               field(raw, 21, 10) << 1,
                           21);
    }
};

void set(Op& op, Code code, std::uint32_t cost, std::int32_t imm = 0)
{
    op.code = code;
    op.cost = static_cast<std::uint16_t>(cost);
    op.imm = imm;
}

void decode_branch(Op& op, Fields f, std::uint32_t pc, const CycleCosts& costs)
{
    constexpr std::array codes{Code::beq, Code::bne, Code::illegal, Code::illegal,
                               Code::blt, Code::bge, Code::bltu,    Code::bgeu};
    if (const Code code = codes[f.funct3()]; code != Code::illegal)
        set(op, code, costs.branch,
            static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(f.imm_b())));
}

void decode_load(Op& op, Fields f, const CycleCosts& costs)
{
    constexpr std::array codes{Code::lb,  Code::lh,  Code::lw,      Code::illegal,
                               Code::lbu, Code::lhu, Code::illegal, Code::illegal};
    if (const Code code = codes[f.funct3()]; code != Code::illegal)
        set(op, code, costs.load, f.imm_i());
}

void decode_store(Op& op, Fields f, const CycleCosts& costs)
{
    constexpr std::array codes{Code::sb, Code::sh, Code::sw};
    if (f.funct3() < codes.size())
        set(op, codes[f.funct3()], costs.store, f.imm_s());
}

void decode_alu_immediate(Op& op, Fields f, const CycleCosts& costs)
{
    constexpr std::array codes{Code::addi, Code::slli, Code::slti, Code::sltiu,
                               Code::xori, Code::srli, Code::ori,  Code::andi};
    const bool shift = f.funct3() == 1 || f.funct3() == 5;
    if (!shift)
        return set(op, codes[f.funct3()], costs.alu, f.imm_i());
    if (f.funct7() == 0)
        set(op, codes[f.funct3()], costs.alu, f.rs2());
    else if (f.funct7() == 0x20 && f.funct3() == 5)
        set(op, Code::srai, costs.alu, f.rs2());
}

void decode_alu(Op& op, Fields f, const CycleCosts& costs)
{
    constexpr std::array base{Code::add,     Code::sll, Code::slt,    Code::sltu,
                              Code::bit_xor, Code::srl, Code::bit_or, Code::bit_and};
    constexpr std::array muldiv{Code::mul, Code::mulh, Code::mulhsu, Code::mulhu,
                                Code::div, Code::divu, Code::rem,    Code::remu};
    if (f.funct7() == 0)
        set(op, base[f.funct3()], costs.alu);
    else if (f.funct7() == 1)
        set(op, muldiv[f.funct3()], f.funct3() < 4 ? costs.mul : costs.div);
    else if (f.funct7() == 0x20 && f.funct3() == 0)
        set(op, Code::sub, costs.alu);
    else if (f.funct7() == 0x20 && f.funct3() == 5)
        set(op, Code::sra, costs.alu);
}

void decode_atomic(Op& op, Fields f, const CycleCosts& costs)
{
    const std::uint32_t funct5 = f.raw >> 27;
    if (f.funct3() != 2)
        return;
    if (funct5 == 2 && f.rs2() == 0)
        set(op, Code::lr, costs.amo);
    else if (funct5 == 3)
        set(op, Code::sc, costs.amo);
    else if (funct5 == 1 || (funct5 & 3) == 0) // The valid values: amoswap; amoadd, xor, or, and,
                                               // min, max, minu, maxu.
        set(op, Code::amo, costs.amo, static_cast<std::int32_t>(funct5));
}

void decode_system(Op& op, Fields f, const CycleCosts& costs)
{
    if (f.funct3() == 0) {
        switch (f.raw) {
        case 0x00000073:
            return set(op, Code::ecall, costs.trap);
        case 0x00100073:
            return set(op, Code::ebreak, costs.trap);
        case 0x30200073:
            return set(op, Code::mret, costs.system);
        case 0x10500073:
            return set(op, Code::wfi, costs.system);
        default:
            return;
        }
    }
    if (f.funct3() == 4)
        return;
    set(op, Code::csr, costs.csr, static_cast<std::int32_t>(f.raw >> 20));
    op.rs2 = static_cast<std::uint8_t>(f.funct3());
}

void decode_fence(Op& op, Fields f, const CycleCosts& costs)
{
    // The fm, rd and rs1 fields are reserved and ignored (unprivileged spec, 2.7 and Zifencei).
    if (f.funct3() == 0)
        set(op, Code::fence, costs.alu);
    else if (f.funct3() == 1)
        set(op, Code::fence_i, costs.fence_i);
    else if (f.funct3() == 2 && f.rd() == 0 && f.imm_i() >= 0 && f.imm_i() <= 2)
        set(op, Code::cbo, costs.store, f.imm_i());
}

void decode_wide(Op& op, std::uint32_t raw, std::uint32_t pc, const CycleCosts& costs)
{
    const Fields f{raw};
    op.rd = f.rd() == 0 ? discard : f.rd();
    op.rs1 = f.rs1();
    op.rs2 = f.rs2();
    switch (f.opcode()) {
    case 0x03:
        return decode_load(op, f, costs);
    case 0x0F:
        return decode_fence(op, f, costs);
    case 0x13:
        return decode_alu_immediate(op, f, costs);
    case 0x17:
        return set(op, Code::load_immediate, costs.alu,
                   static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(f.imm_u())));
    case 0x23:
        return decode_store(op, f, costs);
    case 0x2F:
        return decode_atomic(op, f, costs);
    case 0x33:
        return decode_alu(op, f, costs);
    case 0x37:
        return set(op, Code::load_immediate, costs.alu, f.imm_u());
    case 0x63:
        return decode_branch(op, f, pc, costs);
    case 0x67:
        return f.funct3() == 0 ? set(op, Code::jalr, costs.jump, f.imm_i()) : void();
    case 0x6F:
        return set(op, Code::jal, costs.jump,
                   static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(f.imm_j())));
    case 0x73:
        return decode_system(op, f, costs);
    default:
        return;
    }
}

} // namespace

Op decode(std::uint32_t raw, std::uint32_t pc, const CycleCosts& costs)
{
    Op op;
    op.code = Code::illegal;
    op.raw = raw;
    op.cost = static_cast<std::uint16_t>(costs.trap);
    if (is_wide(static_cast<std::uint16_t>(raw))) {
        op.step = 2;
        decode_wide(op, raw, pc, costs);
    } else if (const auto wide = expand_compressed(static_cast<std::uint16_t>(raw))) {
        decode_wide(op, *wide, pc, costs);
    }
    return op;
}

} // namespace levee::riscv
