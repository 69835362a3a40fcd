// SPDX-License-Identifier: Apache-2.0
# Tests synchronous exceptions (cause, mepc, mtval), mstatus before and after a trap, and mret.
#include "isa.inc"
    .option norvc
start
    use_handler
    expect_trap 1, 2, 0, .word 0
    expect_trap 5, 2, 0xffffffff, .word 0xffffffff
    expect_trap 9, 2, 0x02051513, .word 0x02051513     # slli with shamt 32
    expect_trap 13, 2, 0x10200073, .word 0x10200073    # sret: no S mode
    expect_trap 17, 2, 0x12000073, .word 0x12000073    # sfence.vma
    expect_trap 21, 2, 0x00053503, .word 0x00053503    # ld: RV64
    expect_trap 25, 2, 0x02b5151b, .word 0x02b5151b    # RV64
    expect_trap 29, 11, 0, ecall
    la t0, 3f
    la s4, 3f
    li s0, 0
2:  ebreak
3:  check 33, s0, 1
    check 34, s1, 3
    la t5, 2b
    sub s2, s2, t5
    check 35, s2, 0
    sub s3, s3, t5
    check 36, s3, 0

    .option rvc
    .macro expect_illegal16 number, value
    .balign 4
    la s4, 3f
    li s0, 0
2:  .half \value
    .balign 4
3:  check \number, s0, 1
    check (\number + 1), s1, 2
    check (\number + 2), s3, \value
    .endm
    expect_illegal16 40, 0x0000     # defined illegal
    expect_illegal16 43, 0x0004     # c.addi4spn with 0
    expect_illegal16 46, 0x6101     # c.addi16sp with 0
    expect_illegal16 49, 0x6501     # c.lui with 0
    expect_illegal16 52, 0x4002     # c.lwsp to x0
    expect_illegal16 55, 0x8002     # c.jr x0
    expect_illegal16 58, 0x9501     # c.srai with shamt[5]
    expect_illegal16 61, 0x9c01     # c.subw: RV64
    expect_illegal16 64, 0x2000     # c.fld
    expect_illegal16 67, 0x1502     # c.slli with shamt[5]
    .balign 4
    .option norvc

    # a trap moves mstatus.MIE to MPIE, and mret moves it back
    csrsi mstatus, 8
    la t5, stack_handler
    csrw mtvec, t5
    ecall
    csrr a0, mstatus
    check 80, a0, 0x1888
    check 81, a1, 0x1880
    csrci mstatus, 8
    ecall
    csrr a0, mstatus
    check 82, a0, 0x1880
    check 83, a1, 0x1800
    use_handler
    # a trapping instruction has no effect: rd and memory keep their values
    li a0, 123
    li a1, 0x1
    la s4, 1f
    lw a0, 0(zero)
1:  check 84, a0, 123
    check 85, s1, 5
    check 86, s3, 0
    la s4, 1f
    li a0, 0x30000000
    sw a0, 8(a0)
1:  check 87, s1, 7
    check 88, s3, 0x30000008
    la s4, 1f
    amoadd.w a0, a0, (a0)
1:  check 89, s1, 7
    check 90, a0, 0x30000000
    la s4, 1f
    lr.w a0, (a0)
1:  check 91, s1, 5
    la s4, 1f
    li a0, 0x30000002
    jalr ra, 0(a0)                  # the target causes a fetch fault
1:  check 92, s1, 1
    check 93, s2, 0x30000002
    check 94, s3, 0x30000002
pass
trap_handler
    .balign 4
stack_handler:
    csrr a1, mstatus
    csrr t5, mepc
    addi t5, t5, 4
    csrw mepc, t5
    mret
