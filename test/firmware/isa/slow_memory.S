// SPDX-License-Identifier: Apache-2.0
# Code and data in memory without DMI. The test copies a routine there and executes it.
#include "isa.inc"
    .set SLOW, 0x40000000
start
    li a0, SLOW
    la a1, routine
    la a2, routine_end
1:  lw a3, 0(a1)
    sw a3, 0(a0)
    addi a0, a0, 4
    addi a1, a1, 4
    bltu a1, a2, 1b
    li a0, SLOW
    li a1, SLOW + 0x1000
    li a2, 5
    jalr ra, 0(a0)
    check 1, a0, 15
    lw a0, 0(a1)
    check 2, a0, 15
    lbu a0, 0(a1)
    check 3, a0, 15
    sb a0, 1(a1)
    lhu a0, 0(a1)
    check 4, a0, 0x0f0f
    li a0, 1
    amoadd.w a2, a0, (a1)
    check 5, a2, 0x0f0f
    lr.w a2, (a1)
    check 6, a2, 0x0f10
    sc.w a2, a0, (a1)
    check 7, a2, 0
    lw a2, 0(a1)
    check 8, a2, 1
pass
    .balign 4
routine:                        # a0 = 1 + ... + a2, also stored at a1
    li a0, 0
1:  add a0, a0, a2
    addi a2, a2, -1
    bnez a2, 1b
    sw a0, 0(a1)
    ret
    .balign 4
routine_end:
