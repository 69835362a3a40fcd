// SPDX-License-Identifier: Apache-2.0
#include "test/unit/riscv/instruction_stream.hpp"

#include <algorithm>
#include <array>

namespace levee::test {
namespace {

constexpr std::uint32_t i_type(std::uint32_t op, std::uint32_t f3, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t imm)
{
    return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

constexpr std::uint32_t bit(std::uint32_t value, unsigned from, unsigned to)
{
    return (value >> from & 1) << to;
}

constexpr std::uint32_t bits(std::uint32_t value, unsigned from, unsigned count, unsigned to)
{
    return (value >> from & ((1u << count) - 1)) << to;
}

std::uint32_t branch_offset(std::uint32_t o)
{
    return bit(o, 12, 31) | bits(o, 5, 6, 25) | bits(o, 1, 4, 8) | bit(o, 11, 7);
}

std::uint32_t jal_offset(std::uint32_t o)
{
    return bit(o, 20, 31) | bits(o, 1, 10, 21) | bit(o, 11, 20) | bits(o, 12, 8, 12);
}

std::uint32_t c_branch_offset(std::uint32_t o)
{
    return bit(o, 8, 12) | bits(o, 3, 2, 10) | bits(o, 6, 2, 5) | bits(o, 1, 2, 3) | bit(o, 5, 2);
}

std::uint32_t c_jump_offset(std::uint32_t o)
{
    return bit(o, 11, 12) | bit(o, 4, 11) | bits(o, 8, 2, 9) | bit(o, 10, 8) | bit(o, 6, 7) |
           bit(o, 7, 6) | bits(o, 1, 3, 3) | bit(o, 5, 2);
}

void append(std::vector<std::uint8_t>& code, std::uint32_t word, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; ++i)
        code.push_back(static_cast<std::uint8_t>(word >> 8 * i));
}

} // namespace

std::uint32_t InstructionStream::word()
{
    static constexpr std::array<std::uint32_t, 8> corners{
        0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFE, 31, 0x0000FFFF};
    return any(3) == 0 ? corners[any(8)] : static_cast<std::uint32_t>(random_());
}

std::uint32_t InstructionStream::destination()
{
    const std::uint32_t rd = any(32);
    return rd == 2 || rd == 8 || rd == 9 ? 0 : rd;
}

std::uint32_t InstructionStream::small_destination()
{
    return 2 + any(6);
}

std::uint32_t InstructionStream::base()
{
    static constexpr std::array<std::uint32_t, 3> bases{2, 8, 9};
    return bases[any(3)];
}

InstructionStream::Piece InstructionStream::alu()
{
    static constexpr std::array<std::uint32_t, 3> funct7{0, 1, 0x20};
    const std::uint32_t f7 = funct7[any(3)];
    const std::uint32_t f3 = f7 == 0x20 ? (any(2) ? 5 : 0) : any(8);
    return {i_type(0x33, f3, destination(), any(32), f7 << 5 | any(32))};
}

InstructionStream::Piece InstructionStream::alu_immediate()
{
    const std::uint32_t f3 = any(8);
    std::uint32_t imm = any(4096);
    if (f3 == 1)
        imm &= 31;
    if (f3 == 5)
        imm &= 0x41F;
    return {i_type(0x13, f3, destination(), any(32), imm)};
}

InstructionStream::Piece InstructionStream::upper()
{
    return {static_cast<std::uint32_t>(random_()) << 12 | destination() << 7 |
            (any(2) ? 0x37u : 0x17u)};
}

InstructionStream::Piece InstructionStream::memory()
{
    const std::uint32_t offset = any(1024) - 512;
    if (any(2)) {
        static constexpr std::array<std::uint32_t, 5> loads{0, 1, 2, 4, 5};
        return {i_type(0x03, loads[any(5)], destination(), base(), offset)};
    }
    return {bits(offset, 5, 7, 25) | any(32) << 20 | base() << 15 | any(3) << 12 |
            bits(offset, 0, 5, 7) | 0x23};
}

InstructionStream::Piece InstructionStream::atomic()
{
    static constexpr std::array<std::uint32_t, 9> amo{0, 1, 4, 8, 12, 16, 20, 24, 28};
    const std::uint32_t rs1 = base();
    if (any(4) != 0)
        return {amo[any(9)] << 27 | any(4) << 25 | any(32) << 20 | rs1 << 15 | 2u << 12 |
                destination() << 7 | 0x2F};
    Piece pair{2u << 27 | rs1 << 15 | 2u << 12 | destination() << 7 | 0x2F};
    pair.second = 3u << 27 | any(32) << 20 | rs1 << 15 | 2u << 12 | destination() << 7 | 0x2F;
    pair.bytes = 8;
    return pair;
}

InstructionStream::Piece InstructionStream::control()
{
    static constexpr std::array<std::uint32_t, 6> branches{0, 1, 4, 5, 6, 7};
    Piece result;
    switch (any(4)) {
    case 0:
        result.first = destination() << 7 | 0x6F;
        result.patch = Patch::jal;
        return result;
    case 1: { // encodes auipc t, 0 and jalr rd, offset(t)
        const std::uint32_t t = 10 + any(6);
        result.first = t << 7 | 0x17;
        result.second = i_type(0x67, 0, destination(), t, 0);
        result.bytes = 8;
        result.patch = Patch::jalr;
        return result;
    }
    default:
        result.first = any(32) << 20 | any(32) << 15 | branches[any(6)] << 12 | 0x63;
        result.patch = Patch::branch;
        return result;
    }
}

InstructionStream::Piece InstructionStream::compressed_memory()
{
    const std::uint32_t small_base = any(2); // The register is x8 or x9.
    switch (any(5)) {
    case 0: // c.addi4spn
        return {(any(255) + 1) << 5 | small_destination() << 2, 0, 2};
    case 1:
        return {2u << 13 | any(8) << 10 | small_base << 7 | any(4) << 5 | small_destination() << 2,
                0, 2};
    case 2:
        return {6u << 13 | any(8) << 10 | small_base << 7 | any(4) << 5 | any(8) << 2, 0, 2};
    case 3: // c.lwsp
        return {2u << 13 | any(2) << 12 | (10 + any(22)) << 7 | any(32) << 2 | 2, 0, 2};
    default:
        return {6u << 13 | any(64) << 7 | any(32) << 2 | 2, 0, 2};
    }
}

InstructionStream::Piece InstructionStream::compressed_arithmetic()
{
    const std::uint32_t rd = 10 + any(22);
    const std::uint32_t imm = any(2) << 12 | any(32) << 2;
    switch (any(8)) {
    case 0: // c.addi
        return {rd << 7 | imm | 1, 0, 2};
    case 1: // c.li
        return {2u << 13 | rd << 7 | imm | 1, 0, 2};
    case 2: // c.lui
        return {3u << 13 | rd << 7 | (imm == 0 ? 4 : imm) | 1, 0, 2};
    case 3: // c.srli, c.srai
        return {4u << 13 | any(2) << 10 | small_destination() << 7 | any(32) << 2 | 1, 0, 2};
    case 4: // c.andi
        return {4u << 13 | 2u << 10 | small_destination() << 7 | imm | 1, 0, 2};
    case 5: // c.sub, c.xor, c.or, c.and
        return {4u << 13 | 3u << 10 | small_destination() << 7 | any(4) << 5 | any(8) << 2 | 1, 0,
                2};
    case 6: // c.slli
        return {rd << 7 | any(32) << 2 | 2, 0, 2};
    default: // c.mv, c.add
        return {4u << 13 | any(2) << 12 | rd << 7 | (1 + any(31)) << 2 | 2, 0, 2};
    }
}

InstructionStream::Piece InstructionStream::compressed()
{
    switch (any(5)) {
    case 0: // c.jal, c.j, c.beqz, c.bnez
        switch (any(4)) {
        case 0:
            return {1u << 13 | 1, 0, 2, Patch::c_jump};
        case 1:
            return {5u << 13 | 1, 0, 2, Patch::c_jump};
        default:
            return {(6 + any(2)) << 13 | any(8) << 7 | 1, 0, 2, Patch::c_branch};
        }
    case 1:
        return compressed_memory();
    default:
        return compressed_arithmetic();
    }
}

InstructionStream::Piece InstructionStream::piece()
{
    switch (any(12)) {
    case 0:
    case 1:
    case 2:
        return alu();
    case 3:
        return alu_immediate();
    case 4:
        return upper();
    case 5:
    case 6:
        return memory();
    case 7:
        return atomic();
    case 8:
        return control();
    default:
        return compressed();
    }
}

std::vector<std::uint8_t> InstructionStream::generate(unsigned count)
{
    std::vector<Piece> pieces(count);
    std::vector<std::uint32_t> at(count + 1, 0);
    for (unsigned i = 0; i < count; ++i) {
        pieces[i] = piece();
        at[i + 1] = at[i] + pieces[i].bytes;
    }
    std::vector<std::uint8_t> code;
    for (unsigned i = 0; i < count; ++i) {
        Piece& each = pieces[i];
        const std::uint32_t offset = at[std::min(i + 1 + any(12), count)] - at[i];
        switch (each.patch) {
        case Patch::none:
            break;
        case Patch::branch:
            each.first |= branch_offset(offset);
            break;
        case Patch::jal:
            each.first |= jal_offset(offset);
            break;
        case Patch::c_branch:
            each.first |= c_branch_offset(offset);
            break;
        case Patch::c_jump:
            each.first |= c_jump_offset(offset);
            break;
        case Patch::jalr:
            each.second |= offset << 20;
            break;
        }
        append(code, each.first, std::min(each.bytes, 4u));
        if (each.bytes == 8)
            append(code, each.second, 4);
    }
    return code;
}

} // namespace levee::test
