// SPDX-License-Identifier: Apache-2.0
# With `misaligned_traps` every misaligned load and store traps, precisely.
#include "isa.inc"
    .option norvc
start
    use_handler
    .macro expect_misaligned number, cause, offset, code:vararg
    la a1, word
    la a3, word + \offset
    la s4, 3f
    li s0, 0
    li a0, 55
2:  \code
3:  check \number, s0, 1
    check (\number + 1), s1, \cause
    sub s3, s3, a3
    check (\number + 2), s3, 0
    check (\number + 3), a0, 55
    lw a2, 0(a1)
    check (\number + 4), a2, 0x11223344
    .endm
    expect_misaligned 1, 4, 1, lh a0, 1(a1)
    expect_misaligned 11, 4, 1, lhu a0, 1(a1)
    expect_misaligned 21, 4, 1, lw a0, 1(a1)
    expect_misaligned 31, 4, 2, lw a0, 2(a1)
    expect_misaligned 41, 6, 1, sh a0, 1(a1)
    expect_misaligned 51, 6, 1, sw a0, 1(a1)
    expect_misaligned 61, 6, 3, sw a0, 3(a1)
pass
trap_handler
    .data
    .balign 4
word: .word 0x11223344, 0
