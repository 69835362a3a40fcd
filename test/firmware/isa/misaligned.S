// SPDX-License-Identifier: Apache-2.0
# Misaligned AMO, LR and SC trap. Misaligned plain accesses trap only outside memory.
#include "isa.inc"
    .option norvc
start
    use_handler
    la a1, word
    addi a1, a1, 2
    la a3, word + 2
    .macro expect_misaligned number, cause, code:vararg
    la s4, 3f
    li s0, 0
    li a0, 55
2:  \code
3:  check \number, s0, 1
    check (\number + 1), s1, \cause
    sub s3, s3, a3
    check (\number + 2), s3, 0
    check (\number + 3), a0, 55
    .endm
    expect_misaligned 1, 6, amoadd.w a0, a0, (a1)
    expect_misaligned 5, 4, lr.w a0, (a1)
    expect_misaligned 9, 6, sc.w a0, a0, (a1)
    li a1, 0x0200bff9
    mv a3, a1
    expect_misaligned 13, 4, lw a0, 0(a1)
    expect_misaligned 17, 6, sw a0, 0(a1)
    expect_misaligned 21, 4, lhu a0, 0(a1)
pass
trap_handler
    .data
    .balign 4
word: .word 0, 0
