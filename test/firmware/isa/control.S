// SPDX-License-Identifier: Apache-2.0
# Tests branches that are taken and not taken, forwards and backwards, and across pages, and the links of
# jal and jalr.
#include "isa.inc"
    .option norvc
    .macro branch_case number, instruction, a, b, taken
    li a1, \a
    li a2, \b
    li a0, 0
    \instruction a1, a2, 2f
    j 3f
2:  li a0, 1
3:  check \number, a0, \taken
    .endm
start
    branch_case 1, beq, 5, 5, 1
    branch_case 2, beq, 5, 6, 0
    branch_case 3, bne, 5, 6, 1
    branch_case 4, bne, 6, 6, 0
    branch_case 5, blt, -1, 0, 1
    branch_case 6, blt, 0, -1, 0
    branch_case 7, bge, 0, -1, 1
    branch_case 8, bge, 0, 0, 1
    branch_case 9, bge, -1, 0, 0
    branch_case 10, bltu, 0, -1, 1
    branch_case 11, bltu, -1, 0, 0
    branch_case 12, bgeu, -1, 0, 1
    branch_case 13, bgeu, 0, -1, 0

    li a0, 10               # a backward loop
    li a1, 0
1:  add a1, a1, a0
    addi a0, a0, -1
    bnez a0, 1b
    check 20, a1, 55

    jal a0, 1f
0:  j fail
1:  la a1, 0b
    sub a0, a0, a1
    check 30, a0, 0
    la a1, 2f + 1           # jalr clears bit 0
    jalr a0, 0(a1)
1:  j fail
2:  la a1, 1b
    sub a0, a0, a1
    check 31, a0, 0
    la a0, 3f               # the link register is also the base
    jalr a0, 0(a0)
2:  j fail
3:  la a1, 2b
    sub a0, a0, a1
    check 32, a0, 0

    call far
    check 40, a0, 77
    la t0, edge             # executes an instruction that lies in two pages, repeatedly
    li a0, 0
    li a2, 3
1:  jalr ra, 0(t0)
    addi a2, a2, -1
    bnez a2, 1b
    check 41, a0, 3 * 0x123
pass
    .balign 4096
    .space 4096
far:
    li a0, 77
    ret
    .balign 4096
    .space 4094
edge:
    .option rvc
    .option norvc
    addi a0, a0, 0x123      # 4 bytes, 2 of them before the page boundary
    ret
