// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Functions that encode single instructions, as a minimal assembler for tests.
namespace levee::test::as {

constexpr std::uint32_t zero = 0, t0 = 5, t1 = 6, s0 = 8, a0 = 10, a1 = 11, a2 = 12;

constexpr std::uint32_t i(std::uint32_t op, std::uint32_t f3, std::uint32_t rd, std::uint32_t rs1,
                          std::uint32_t imm)
{
    return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
constexpr std::uint32_t r(std::uint32_t f7, std::uint32_t f3, std::uint32_t rd, std::uint32_t rs1,
                          std::uint32_t rs2)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33;
}
constexpr std::uint32_t addi(std::uint32_t rd, std::uint32_t rs1, int imm)
{
    return i(0x13, 0, rd, rs1, static_cast<std::uint32_t>(imm));
}
constexpr std::uint32_t lui(std::uint32_t rd, std::uint32_t value)
{
    return (value & 0xFFFFF000) | rd << 7 | 0x37;
}
constexpr std::uint32_t mul(std::uint32_t rd, std::uint32_t a, std::uint32_t b)
{
    return r(1, 0, rd, a, b);
}
constexpr std::uint32_t div(std::uint32_t rd, std::uint32_t a, std::uint32_t b)
{
    return r(1, 4, rd, a, b);
}
constexpr std::uint32_t lw(std::uint32_t rd, std::uint32_t base, int offset)
{
    return i(0x03, 2, rd, base, static_cast<std::uint32_t>(offset));
}
constexpr std::uint32_t sw(std::uint32_t value, std::uint32_t base, int offset)
{
    const auto o = static_cast<std::uint32_t>(offset);
    return (o >> 5 & 0x7F) << 25 | value << 20 | base << 15 | 2u << 12 | (o & 0x1F) << 7 | 0x23;
}
constexpr std::uint32_t branch(std::uint32_t f3, std::uint32_t a, std::uint32_t b, int offset)
{
    const auto o = static_cast<std::uint32_t>(offset);
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | b << 20 | a << 15 | f3 << 12 |
           (o >> 1 & 0xF) << 8 | (o >> 11 & 1) << 7 | 0x63;
}
constexpr std::uint32_t beq(std::uint32_t a, std::uint32_t b, int offset)
{
    return branch(0, a, b, offset);
}
constexpr std::uint32_t bne(std::uint32_t a, std::uint32_t b, int offset)
{
    return branch(1, a, b, offset);
}
constexpr std::uint32_t jal(std::uint32_t rd, int offset)
{
    const auto o = static_cast<std::uint32_t>(offset);
    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 |
           (o >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
constexpr std::uint32_t csrr(std::uint32_t rd, std::uint32_t csr)
{
    return i(0x73, 2, rd, 0, csr);
}
constexpr std::uint32_t csrw(std::uint32_t csr, std::uint32_t rs)
{
    return i(0x73, 1, 0, rs, csr);
}
constexpr std::uint32_t csrwi(std::uint32_t csr, std::uint32_t value)
{
    return i(0x73, 5, 0, value, csr);
}
constexpr std::uint32_t amoadd(std::uint32_t rd, std::uint32_t value, std::uint32_t base)
{
    return value << 20 | base << 15 | 2u << 12 | rd << 7 | 0x2F;
}
constexpr std::uint32_t fence = 0x0000000F, fence_i = 0x0000100F, ecall = 0x73, wfi = 0x10500073;
constexpr std::uint32_t mret = 0x30200073;

} // namespace levee::test::as
