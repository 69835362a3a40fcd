// SPDX-License-Identifier: Apache-2.0
# Tests integer register and immediate operations, lui, auipc, and writes to x0.
#include "isa.inc"
    .option norvc
start
    check_op 1, add, 0x7fffffff, 1, 0x80000000
    check_op 2, add, 0xffffffff, 0xffffffff, 0xfffffffe
    check_op 3, sub, 0, 1, 0xffffffff
    check_op 4, sub, 0x80000000, 1, 0x7fffffff
    check_op 5, sll, 1, 31, 0x80000000
    check_op 6, sll, 0x21212121, 0xffffffe7, 0x90909080
    check_op 7, srl, 0x80000000, 31, 1
    check_op 8, srl, 0x80000000, 0xffffffc4, 0x08000000
    check_op 9, sra, 0x80000000, 31, 0xffffffff
    check_op 10, sra, 0x7fffffff, 0x21, 0x3fffffff
    check_op 11, slt, 0x80000000, 0x7fffffff, 1
    check_op 12, slt, 5, 5, 0
    check_op 13, sltu, 0x80000000, 0x7fffffff, 0
    check_op 14, sltu, 0, 0xffffffff, 1
    check_op 15, xor, 0xff00ff00, 0x0f0f0f0f, 0xf00ff00f
    check_op 16, or, 0xff00ff00, 0x0f0f0f0f, 0xff0fff0f
    check_op 17, and, 0xff00ff00, 0x0f0f0f0f, 0x0f000f00
    check_imm 20, addi, 0x7fffffff, 2047, 0x800007fe
    check_imm 21, addi, 0, -2048, 0xfffff800
    check_imm 22, slti, 0xffffffff, 0, 1
    check_imm 23, slti, 0x7ff, -2048, 0
    check_imm 24, sltiu, 5, -1, 1
    check_imm 25, sltiu, 0, 0, 0
    check_imm 26, xori, 0x00ff0f00, -241, 0xff00f00f
    check_imm 27, ori, 0xff00ff00, 0x0f0, 0xff00fff0
    check_imm 28, ori, 0, -1, 0xffffffff
    check_imm 29, andi, 0xff00ff00, 0x70f, 0x00000700
    check_imm 30, slli, 0x21212121, 31, 0x80000000
    check_imm 31, srli, 0xffffffff, 31, 1
    check_imm 32, srai, 0xff000000, 24, 0xffffffff
    check_imm 33, srai, 0x40000000, 30, 1

    lui a0, 0xfffff
    check 40, a0, 0xfffff000
    lui a0, 0x7ffff
    check 41, a0, 0x7ffff000
    auipc a0, 0
1:  la a1, 1b
    addi a1, a1, -4
    sub a0, a0, a1
    check 42, a0, 0
    auipc a0, 0xfffff
1:  la a1, 1b
    addi a1, a1, -4
    sub a0, a1, a0
    check 43, a0, 0x1000

    addi x0, x0, 5
    check 50, x0, 0
    lui x0, 0x12345
    check 51, x0, 0
    li a1, 7
    add x0, a1, a1
    check 52, x0, 0
    la a1, tohost
    lw x0, 0(a1)
    check 53, x0, 0
    # one register is both source and destination
    li a0, 21
    add a0, a0, a0
    check 54, a0, 42
pass
