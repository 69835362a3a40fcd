// SPDX-License-Identifier: Apache-2.0
# A program for the test that the time quantum does not affect results. It works on data that a peer
# changes at independent times, and takes timer and external interrupts meanwhile. It also sleeps,
# and uses device registers and slow memory. At each interrupt it logs mcycle, minstret, mepc, mtime
# and the value of the peer's word.
#include "isa.inc"
    .set MTIMECMP, 0x02004000
    .set PLIC_CLAIM, 0x0c200004
    .set DEVICE, 0x10000000
    .set SLOW, 0x40000000
start
    la t5, handler
    csrw mtvec, t5
    la s1, log
    la s2, peer_word
    li s3, DEVICE
    li s4, MTIMECMP
    li s5, SLOW
    li s6, PLIC_CLAIM
    li a0, 0x0c000004           # source 1: priority 1, enabled
    li a1, 1
    sw a1, 0(a0)
    li a0, 0x0c002000
    li a1, 2
    sw a1, 0(a0)
    sw zero, 4(s4)
    lw a0, -8(s4)               # no register is there: must always trap in the same way
after_fault:
    li a0, 3
    sw a0, 0(s4)
    li a0, 0x880
    csrw mie, a0
    csrsi mstatus, 8
    li s7, 40                   # rounds
round:
    li a0, 97
1:  lw a1, 0(s2)
    add s8, s8, a1
    xor s8, s8, a0
    mul s9, s9, a0
    add s9, s9, s8
    addi a0, a0, -1
    bnez a0, 1b
    sw s8, 0(s3)                # a device records value and time
    lw a0, 4(s3)                # it returns the device's time
    add s9, s9, a0
    sw s9, 0(s5)
    lw a1, 0(s5)
    andi a2, s7, 3
    bnez a2, 2f
    wfi
2:  addi s7, s7, -1
    bnez s7, round
    csrci mstatus, 8
    sw zero, 8(s3)              # the peer may stop
    pass
    .option push
    .option rvc
    .balign 4
    .option pop
handler:
    csrr t5, mcycle
    sw t5, 0(s1)
    csrr t5, minstret
    sw t5, 4(s1)
    csrr t5, mepc
    sw t5, 8(s1)
    csrr t5, time
    sw t5, 12(s1)
    lw t5, 0(s2)
    sw t5, 16(s1)
    csrr t5, mcause
    sw t5, 20(s1)
    addi s1, s1, 24
    bgez t5, fault
    andi t5, t5, 15
    addi t5, t5, -7
    beqz t5, timer
    lw t6, 0(s6)
    sw t6, 12(s3)               # the device lowers the peer's line
    sw t6, 0(s6)
    mret
timer:
    lw t5, 0(s4)
    addi t5, t5, 7              # 700 ns later
    sw t5, 0(s4)
    mret
fault:
    la t5, after_fault
    csrw mepc, t5
    mret
    .data
    .balign 4096
    .globl peer_word
peer_word: .word 0
    .balign 4096
    .globl log
log: .zero 8192
