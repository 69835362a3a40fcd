// SPDX-License-Identifier: Apache-2.0
# A loop that stores an instruction, executes fence.i and calls it, 200,000 times, next to a page of
# unchanged code.
    .globl _start
_start:
    la s0, target
    la s1, images
    li a2, 200000
    li a0, 0
1:  andi t0, a2, 1
    slli t0, t0, 2
    add t0, t0, s1
    lw t1, 0(t0)          # addi a0, a0, 1 or addi a0, a0, 3
    sw t1, 0(s0)
    fence.i
    jalr ra, 0(s0)
    call stays
    addi a2, a2, -1
    bnez a2, 1b
    li t0, 400000         # 100,000 times 1 + 3
    sub a0, a0, t0
    snez a0, a0
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sw a0, 0(t0)
2:  j 2b

    .balign 64
    .option push
    .option norvc
target:
    addi a0, a0, 1
    ret
    .balign 64
stays:
    .rept 200
    xor t1, t1, t0
    .endr
    ret
images:
    addi a0, a0, 1
    addi a0, a0, 3
    .option pop

    .data
    .balign 4096
    .globl tohost
tohost: .dword 0
