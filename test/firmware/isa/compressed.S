// SPDX-License-Identifier: Apache-2.0
# Tests every instruction of RV32C.
#include "isa.inc"
    .option rvc
start
    la sp, stack
    mv s1, sp
    c.addi4spn a0, sp, 1020
    sub a0, a0, sp
    check 1, a0, 1020
    c.addi16sp sp, -512
    sub a0, sp, s1
    check 2, a0, -512
    c.addi16sp sp, 496
    c.addi16sp sp, 16
    sub a0, sp, s1
    check 3, a0, 0
    li a0, 0x12345678
    c.swsp a0, 252(sp)
    c.lwsp a1, 252(sp)
    check 4, a1, 0x12345678
    lw a1, 252(sp)
    check 5, a1, 0x12345678
    mv a1, sp
    c.sw a0, 124(a1)
    c.lw a2, 124(a1)
    check 6, a2, 0x12345678
    c.li a0, -32
    check 7, a0, -32
    c.li a0, 31
    check 8, a0, 31
    c.addi a0, -32
    check 9, a0, -1
    c.lui a0, 0xfffe1
    check 10, a0, 0xfffe1000
    c.lui a0, 0x1f
    check 11, a0, 0x1f000
    c.srli a0, 12
    check 12, a0, 0x1f
    c.lui s0, 0xfffe1
    c.srai s0, 12
    check 13, s0, -31
    c.andi s0, -16
    check 14, s0, -32
    li s0, 0x0ff0
    li s1, 0x00ff
    c.and s0, s1
    check 15, s0, 0x00f0
    c.or s0, s1
    check 16, s0, 0x00ff
    c.xor s0, s1
    check 17, s0, 0
    c.sub s0, s1
    check 18, s0, -255
    c.mv a0, s0
    check 19, a0, -255
    c.add a0, s1
    check 20, a0, 0
    c.li a0, 1
    c.slli a0, 31
    check 21, a0, 0x80000000
    c.nop
    c.li a0, 0
    c.beqz a0, 1f
    c.j 2f
1:  c.li a0, 1
    c.bnez a0, 3f
2:  j fail
3:  c.li a0, 0
    c.bnez a0, 2b
    c.li a0, 1
    c.beqz a0, 2b
    c.jal 1f                # the link is 2 bytes after it
0:  j fail
1:  la a0, 0b
    sub a0, ra, a0
    check 30, a0, 0
    la a0, 1f
    c.jr a0
    j fail
1:  la a0, 1f
    c.jalr a0
0:  j fail
1:  la a0, 0b
    sub a0, ra, a0
    check 31, a0, 0
    li a0, 100              # a backward c.bnez
    li a1, 0
1:  c.addi a1, 3
    c.addi a0, -1
    c.bnez a0, 1b
    check 32, a1, 300
pass
    .bss
    .balign 16
    .space 1024
stack: .space 2048
