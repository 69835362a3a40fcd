// SPDX-License-Identifier: Apache-2.0
// Expansion of RV32C according to the tables of the unprivileged specification, chapter "C" (RVC
// instruction set listings). Each quadrant has its own function.
#include "ip/riscv/bits.hpp"
#include "ip/riscv/decode.hpp"

namespace levee::riscv {
namespace {

constexpr std::uint32_t x_zero = 0, x_ra = 1, x_sp = 2;
constexpr std::uint32_t op_imm = 0x13, op_reg = 0x33, op_lui = 0x37, op_load = 0x03,
                        op_store = 0x23;
constexpr std::uint32_t op_branch = 0x63, op_jalr = 0x67, op_jal = 0x6F;
constexpr std::uint32_t ebreak = 0x00100073;

std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd,
                     std::uint32_t rs1, std::uint32_t imm)
{
    return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

std::uint32_t r_type(std::uint32_t funct7, std::uint32_t funct3, std::uint32_t rd,
                     std::uint32_t rs1, std::uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | op_reg;
}

std::uint32_t store_word(std::uint32_t rs1, std::uint32_t rs2, std::uint32_t imm)
{
    return field(imm, 5, 7) << 25 | rs2 << 20 | rs1 << 15 | 2u << 12 | field(imm, 0, 5) << 7 |
           op_store;
}

std::uint32_t jump(std::uint32_t rd, std::uint32_t c)
{
    const std::uint32_t imm = static_cast<std::uint32_t>(sign_extend(
        field(c, 12, 1) << 11 | field(c, 11, 1) << 4 | field(c, 9, 2) << 8 | field(c, 8, 1) << 10 |
            field(c, 7, 1) << 6 | field(c, 6, 1) << 7 | field(c, 3, 3) << 1 | field(c, 2, 1) << 5,
        12));
    return field(imm, 20, 1) << 31 | field(imm, 1, 10) << 21 | field(imm, 11, 1) << 20 |
           field(imm, 12, 8) << 12 | rd << 7 | op_jal;
}

std::uint32_t branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t c)
{
    const std::uint32_t imm = static_cast<std::uint32_t>(
        sign_extend(field(c, 12, 1) << 8 | field(c, 10, 2) << 3 | field(c, 5, 2) << 6 |
                        field(c, 3, 2) << 1 | field(c, 2, 1) << 5,
                    9));
    return field(imm, 12, 1) << 31 | field(imm, 5, 6) << 25 | rs1 << 15 | funct3 << 12 |
           field(imm, 1, 4) << 8 | field(imm, 11, 1) << 7 | op_branch;
}

std::uint32_t immediate6(std::uint32_t c)
{
    return static_cast<std::uint32_t>(sign_extend(field(c, 12, 1) << 5 | field(c, 2, 5), 6));
}

std::uint32_t small_register(std::uint32_t c, unsigned low)
{
    return field(c, low, 3) + 8;
}

std::optional<std::uint32_t> quadrant0(std::uint32_t c)
{
    const std::uint32_t rs1 = small_register(c, 7);
    const std::uint32_t other = small_register(c, 2);
    const std::uint32_t offset = field(c, 10, 3) << 3 | field(c, 6, 1) << 2 | field(c, 5, 1) << 6;
    switch (c >> 13) {
    case 0: { // c.addi4spn
        const std::uint32_t imm =
            field(c, 11, 2) << 4 | field(c, 7, 4) << 6 | field(c, 6, 1) << 2 | field(c, 5, 1) << 3;
        if (imm == 0)
            return std::nullopt;
        return i_type(op_imm, 0, other, x_sp, imm);
    }
    case 2:
        return i_type(op_load, 2, other, rs1, offset);
    case 6:
        return store_word(rs1, other, offset);
    default:
        return std::nullopt;
    }
}

std::optional<std::uint32_t> arithmetic(std::uint32_t c)
{
    const std::uint32_t rd = small_register(c, 7);
    const std::uint32_t rs2 = small_register(c, 2);
    const bool high = field(c, 12, 1) != 0;
    switch (field(c, 10, 2)) {
    case 0: // c.srli, c.srai: shamt[5] is reserved for custom use in RV32.
    case 1:
        if (high)
            return std::nullopt;
        return i_type(op_imm, 5, rd, rd, field(c, 2, 5) | field(c, 10, 1) << 10);
    case 2:
        return i_type(op_imm, 7, rd, rd, immediate6(c) & 0xFFF);
    default:
        break;
    }
    if (high)
        return std::nullopt;
    switch (field(c, 5, 2)) {
    case 0:
        return r_type(0x20, 0, rd, rd, rs2);
    case 1:
        return r_type(0, 4, rd, rd, rs2);
    case 2:
        return r_type(0, 6, rd, rd, rs2);
    default:
        return r_type(0, 7, rd, rd, rs2);
    }
}

std::optional<std::uint32_t> lui_or_addi16sp(std::uint32_t c)
{
    const std::uint32_t rd = field(c, 7, 5);
    if (rd == x_sp) {
        const std::uint32_t imm = static_cast<std::uint32_t>(
            sign_extend(field(c, 12, 1) << 9 | field(c, 6, 1) << 4 | field(c, 5, 1) << 6 |
                            field(c, 3, 2) << 7 | field(c, 2, 1) << 5,
                        10));
        if (imm == 0)
            return std::nullopt;
        return i_type(op_imm, 0, x_sp, x_sp, imm & 0xFFF);
    }
    if (immediate6(c) == 0)
        return std::nullopt;
    return immediate6(c) << 12 | rd << 7 | op_lui;
}

std::optional<std::uint32_t> quadrant1(std::uint32_t c)
{
    const std::uint32_t rd = field(c, 7, 5);
    switch (c >> 13) {
    case 0:
        return i_type(op_imm, 0, rd, rd, immediate6(c) & 0xFFF);
    case 1:
        return jump(x_ra, c);
    case 2:
        return i_type(op_imm, 0, rd, x_zero, immediate6(c) & 0xFFF);
    case 3:
        return lui_or_addi16sp(c);
    case 4:
        return arithmetic(c);
    case 5:
        return jump(x_zero, c);
    case 6:
        return branch(0, small_register(c, 7), c);
    default:
        return branch(1, small_register(c, 7), c);
    }
}

std::optional<std::uint32_t> jump_move_add(std::uint32_t c)
{
    const std::uint32_t rd = field(c, 7, 5);
    const std::uint32_t rs2 = field(c, 2, 5);
    const bool high = field(c, 12, 1) != 0;
    if (rs2 != 0)
        return r_type(0, 0, rd, high ? rd : x_zero, rs2);
    if (rd == 0)
        return high ? std::optional(ebreak) : std::nullopt;
    return i_type(op_jalr, 0, high ? x_ra : x_zero, rd, 0);
}

std::optional<std::uint32_t> quadrant2(std::uint32_t c)
{
    const std::uint32_t rd = field(c, 7, 5);
    switch (c >> 13) {
    case 0: // c.slli
        if (field(c, 12, 1) != 0)
            return std::nullopt;
        return i_type(op_imm, 1, rd, rd, field(c, 2, 5));
    case 2: // c.lwsp
        if (rd == 0)
            return std::nullopt;
        return i_type(op_load, 2, rd, x_sp,
                      field(c, 12, 1) << 5 | field(c, 4, 3) << 2 | field(c, 2, 2) << 6);
    case 4:
        return jump_move_add(c);
    case 6: // c.swsp
        return store_word(x_sp, field(c, 2, 5), field(c, 9, 4) << 2 | field(c, 7, 2) << 6);
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<std::uint32_t> expand_compressed(std::uint16_t instruction)
{
    switch (instruction & 3u) {
    case 0:
        return quadrant0(instruction);
    case 1:
        return quadrant1(instruction);
    case 2:
        return quadrant2(instruction);
    default:
        return std::nullopt;
    }
}

} // namespace levee::riscv
