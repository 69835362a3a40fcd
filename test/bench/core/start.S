// SPDX-License-Identifier: Apache-2.0
    .section .text.start
    .globl _start
_start:
    la sp, stack_end
    call main
1:  j 1b

    .bss
    .balign 4096
    .space 4096
stack_end:
    .data
    .balign 4096
    .globl tohost
tohost: .dword 0
    .balign 4096
