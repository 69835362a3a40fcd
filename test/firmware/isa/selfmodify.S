// SPDX-License-Identifier: Apache-2.0
# Code that writes code. The change is visible after fence.i, in the running page and in another one, and
# for each half of an instruction that lies in two pages.
#include "isa.inc"
    .option norvc
start
    li a3, 0
    li a2, 10
    la a1, patch
loop:
patch:
    addi a3, a3, 1
    lw a0, 0(a1)
    li t0, 1 << 20              # adds one to the immediate each time
    add a0, a0, t0
    sw a0, 0(a1)
    fence.i
    addi a2, a2, -1
    bnez a2, loop
    check 1, a3, 55

    la a1, elsewhere
    jalr ra, 0(a1)
    check 2, a0, 1
    li t0, 0x00200513           # li a0, 2
    sw t0, 0(a1)
    fence.i
    jalr ra, 0(a1)
    check 3, a0, 2
    li t0, 0x4529               # c.li a0, 10; then c.nop
    sh t0, 0(a1)
    li t0, 0x0001
    sh t0, 2(a1)
    fence.i
    jalr ra, 0(a1)
    check 4, a0, 10

    la a1, edge
    jalr ra, 0(a1)
    check 5, a0, 0x111
    lhu t0, 2(a1)               # the half in the second page: immediate 0x222
    li t1, 0x2220 ^ 0x1110
    xor t0, t0, t1
    sh t0, 2(a1)
    fence.i
    jalr ra, 0(a1)
    check 6, a0, 0x222
pass
    .balign 4096
elsewhere:
    li a0, 1
    ret
    .balign 4096
    .space 4094
edge:
    addi a0, zero, 0x111
    ret
