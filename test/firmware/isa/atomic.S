// SPDX-License-Identifier: Apache-2.0
# Tests the A extension.
#include "isa.inc"
    .macro check_amo number, instruction, memory, operand, value
    la a1, word
    li a2, \memory
    sw a2, 0(a1)
    li a2, \operand
    \instruction a0, a2, (a1)
    check \number, a0, \memory
    lw a0, 0(a1)
    check (\number + 1), a0, \value
    .endm
start
    check_amo 1, amoadd.w, 0x80000000, -2048, 0x7ffff800
    check_amo 3, amoswap.w, 0x1234, 0x5678, 0x5678
    check_amo 5, amoxor.w, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0
    check_amo 7, amoor.w, 0x0f0f0f0f, 0x10101010, 0x1f1f1f1f
    check_amo 9, amoand.w, 0xff00ff00, 0x0ff00ff0, 0x0f000f00
    check_amo 11, amomin.w, 0x80000000, 1, 0x80000000
    check_amo 13, amomin.w, 5, -1, -1
    check_amo 15, amomax.w, 0x80000000, 1, 1
    check_amo 17, amominu.w, 0x80000000, 1, 1
    check_amo 19, amomaxu.w, 0x80000000, 1, 0x80000000
    la a1, word                     # one register is destination, operand and base
    li a0, 5
    sw a0, 0(a1)
    mv a0, a1
    amoadd.w a0, a0, (a0)
    check 25, a0, 5
    amoswap.w.aqrl zero, zero, (a1)
    lw a0, 0(a1)
    check 26, a0, 0

    la a1, word
    li a2, 99
    sc.w a0, a2, (a1)               # no reservation
    check 30, a0, 1
    lr.w a0, (a1)
    check 31, a0, 0
    sc.w a0, a2, (a1)
    check 32, a0, 0
    lw a0, 0(a1)
    check 33, a0, 99
    li a2, 98
    sc.w a0, a2, (a1)               # the last sc.w has used the reservation
    check 34, a0, 1
    lr.w a0, (a1)
    addi a1, a1, 1024
    sc.w a0, a2, (a1)               # sc.w to another address fails
    check 35, a0, 1
    la a1, word
    sc.w a0, a2, (a1)               # the failed sc.w ended the reservation
    check 36, a0, 1
    lw a0, 0(a1)
    check 37, a0, 99
    li a3, 1000                     # counts to 1000 with lr/sc
    sw zero, 0(a1)
1:  lr.w.aq a0, (a1)
    addi a0, a0, 1
    sc.w.rl a2, a0, (a1)
    bnez a2, 1b
    addi a3, a3, -1
    bnez a3, 1b
    lw a0, 0(a1)
    check 38, a0, 1000
pass
    .data
    .balign 4096
word: .zero 2048
