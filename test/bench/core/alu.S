// SPDX-License-Identifier: Apache-2.0
# A loop of 10 typical arithmetic and logic instructions and a branch.
    .globl _start
_start:
    li a0, 1
    li a1, 0x12345
    li a2, 20000000
1:  add a3, a0, a1
    slli a4, a3, 3
    xor a0, a0, a4
    srli a5, a0, 5
    sub a1, a1, a5
    andi a4, a1, 255
    or a3, a3, a4
    sltu a5, a3, a0
    add a1, a1, a5
    addi a2, a2, -1
    bnez a2, 1b
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
2:  j 2b

    .data
    .balign 4096
    .globl tohost
tohost: .dword 0
