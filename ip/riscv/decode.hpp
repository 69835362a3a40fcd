// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/config.hpp"

#include <cstdint>
#include <optional>

namespace levee::riscv {

// Operations of the interpreter. `decode`: the slot is not decoded yet. `page_end`: the slot
// follows the last slot of a page. `breakpoint`: the hart must stop before this slot for a
// debugger.
// clang-format off
#define LEVEE_RISCV_OPERATIONS(X)                                                                  \
    X(decode) X(page_end) X(breakpoint) X(illegal)                                                 \
    X(load_immediate) X(jal) X(jalr) X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                   \
    X(lb) X(lh) X(lw) X(lbu) X(lhu) X(sb) X(sh) X(sw)                                              \
    X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)                        \
    X(add) X(sub) X(sll) X(slt) X(sltu) X(bit_xor) X(srl) X(sra) X(bit_or) X(bit_and)              \
    X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                                \
    X(lr) X(sc) X(amo) X(fence) X(fence_i) X(ecall) X(ebreak) X(mret) X(wfi) X(csr)           \
    X(cbo)
// clang-format on

enum class Code : std::uint8_t {
#define LEVEE_RISCV_ENUMERATOR(name) name,
    LEVEE_RISCV_OPERATIONS(LEVEE_RISCV_ENUMERATOR)
#undef LEVEE_RISCV_ENUMERATOR
};

constexpr std::uint32_t page_bytes = 4096;
constexpr std::uint32_t page_shift = 12;
/// Destination register that replaces x0: it is written but never read.
constexpr std::uint8_t discard = 32;

/// A decoded instruction. A slot covers two bytes of code, so `step`, the instruction's length in
/// slots, is 1 or 2.
struct Op {
    Code code = Code::decode;
    std::uint8_t step = 1; ///< Must directly follow `code`: the interpreter reads both at once.
    std::uint8_t rd = discard;
    std::uint8_t rs1 = 0;
    std::uint8_t rs2 = 0;   ///< CSR instructions: funct3.
    std::uint16_t cost = 1; ///< Cycles; for a branch, if it is not taken.
    std::int32_t imm = 0;   ///< Branches and jal: absolute target. auipc: absolute result. CSR
                            ///< instructions: CSR number. AMO: funct5. cbo: 0 inval, 1 clean, 2
                            ///< flush.
    std::uint32_t raw = 0;  ///< The instruction as fetched; 16 bits if compressed.
};
static_assert(sizeof(Op) == 16);

/// Whether the instruction with this first halfword is four bytes long.
constexpr bool is_wide(std::uint16_t first_halfword)
{
    return (first_halfword & 3u) == 3u;
}

/// Returns the 32-bit equivalent of a compressed instruction (RVC, RV32C without F and D). Empty if
/// it is illegal, reserved or custom.
std::optional<std::uint32_t> expand_compressed(std::uint16_t instruction);

/// Decodes the instruction at `pc`; `raw` holds its two or four bytes. Never fails: an invalid
/// instruction becomes Code::illegal.
Op decode(std::uint32_t raw, std::uint32_t pc, const CycleCosts& costs);

} // namespace levee::riscv
