// SPDX-License-Identifier: Apache-2.0
# Tests timer, software and external interrupts through CLINT and PLIC: direct and vectored mode,
# priority, masking, and wfi with and without mstatus.MIE.
#include "isa.inc"
    .set CLINT, 0x02000000
    .set MTIMECMP, 0x02004000
    .set MTIME, 0x0200bff8
start
    la t5, handler
    csrw mtvec, t5
    li s4, CLINT
    li s5, MTIMECMP
    li s6, MTIME
    li s7, 0

    # an enabled software interrupt is taken directly after the store
    csrwi mie, 8
    csrsi mstatus, 8
    li a0, 1
    sw a0, 0(s4)
2:  nop
    check 1, s7, 1
    check 2, s1, 0x80000003
    la a0, 2b
    sub a0, a0, s2
    check 3, a0, 0
    csrr a0, mip
    check 4, a0, 0

    # the interrupt is masked by mie, then by mstatus.MIE
    csrwi mie, 0
    li a0, 1
    sw a0, 0(s4)
    nop
    check 5, s7, 1
    csrr a0, mip
    check 6, a0, 8
    csrci mstatus, 8
    csrwi mie, 8
    nop
    check 7, s7, 1
    wfi                         # an interrupt is pending, so wfi neither sleeps nor traps
    check 8, s7, 1
    csrsi mstatus, 8            # the interrupt is taken after this instruction
2:  nop
    check 9, s7, 2
    la a0, 2b
    sub a0, a0, s2
    check 10, a0, 0

    # the timer wakes wfi
    li a0, -1
    sw a0, 4(s5)
    lw a0, 0(s6)
    addi a0, a0, 20
    sw a0, 0(s5)
    sw zero, 4(s5)
    li a1, 0x80
    csrw mie, a1
    wfi
2:  check 20, s7, 3
    check 21, s1, 0x80000007
    lw a1, 0(s6)
    sub a1, a1, a0
    sltiu a1, a1, 3
    check 22, a1, 1

    # both are pending: the software interrupt comes first, and each jumps to its vector
    la t5, vectors
    ori t5, t5, 1
    csrci mstatus, 8
    csrw mtvec, t5
    li a0, 1
    sw a0, 0(s4)
    sw zero, 0(s5)
    sw zero, 4(s5)
    li a1, 0x88
    csrw mie, a1
    li s8, 0
    csrsi mstatus, 8
    nop
    check 30, s8, 0x37          # vector 3, then vector 7
    ecall                       # exceptions jump to the base address
    check 31, s9, 11
pass
    .balign 4
handler:
    csrr s1, mcause
    csrr s2, mepc
    addi s7, s7, 1
    sw zero, 0(s4)              # clears msip
    li t5, -1
    sw t5, 4(s5)                # moves mtimecmp far ahead
    mret
    .balign 256
    .option norvc
vectors:
    j exception
    j fail
    j fail
    j software
    j fail
    j fail
    j fail
    j timer
    j fail
    j fail
    j fail
    j fail
exception:
    csrr s9, mcause
    csrr t5, mepc
    addi t5, t5, 4
    csrw mepc, t5
    mret
software:
    sw zero, 0(s4)
    slli s8, s8, 4
    ori s8, s8, 3
    mret
timer:
    li t5, -1
    sw t5, 4(s5)
    slli s8, s8, 4
    ori s8, s8, 7
    mret
