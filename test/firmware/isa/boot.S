// SPDX-License-Identifier: Apache-2.0
# A start-up that probes the hart's features, as portable test environments do. It writes every CSR of
# other privilege modes, with a trap handler that continues after the write, and re-enters machine mode
# by mret. The handler of an ecall then reports the end: it writes two words to tohost, repeatedly.
    .macro probe code:vararg
    la t0, 1f
    csrw mtvec, t0
    \code
    .balign 4
1:
    .endm

    .section .text.start
    .globl _start
_start:
    j reset
    .balign 4
trap:
    csrr t5, mcause
    li t6, 11
    beq t5, t6, write_tohost
    li gp, 1337
    ori gp, gp, 1
write_tohost:
    sw gp, tohost, t5
    sw zero, tohost + 4, t5
    j write_tohost
reset:
    li gp, 0
    csrr a0, mhartid
1:  bnez a0, 1b
    probe csrwi 0x744, 8            # mnstatus: no Smrnmi
    probe csrwi satp, 0
    la t0, 1f
    csrw mtvec, t0
    li t0, (1 << 31) - 1            # allows all addresses
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    .balign 4
1:  probe csrwi medeleg, 0
    probe csrwi mideleg, 0
    csrwi mie, 0
    la t0, trap
    csrw mtvec, t0
    csrwi mstatus, 0
    li a0, 0x1800
    csrs mstatus, a0
    la t0, 1f
    csrw mepc, t0
    mret
1:  csrr a0, pmpaddr0
    li a1, 0x7fffffff
    bne a0, a1, fail
    csrr a0, pmpcfg0
    li a1, 0x1f
    bne a0, a1, fail
    li a0, 0x80000000               # with a trigger, this would read back
    csrw tselect, a0
    csrr a1, tselect
    beq a0, a1, fail
    li t0, 0x1800                   # MPP has no other value
    csrc mstatus, t0
    csrr t1, mstatus
    and t1, t1, t0
    bne t0, t1, fail
    csrr a0, misa                   # no U mode
    srli a0, a0, 20
    andi a0, a0, 1
    bnez a0, fail
    fence
    li gp, 1
    ecall
fail:
    fence
    li gp, 5
    ecall
    unimp

    .section .tohost, "aw", @progbits
    .balign 64
    .globl tohost
tohost:
    .dword 0
    .balign 64
    .globl fromhost
fromhost:
    .dword 0
