// SPDX-License-Identifier: Apache-2.0
/* Two tasks alternate, each on its own stack. WRONG 0: the stacks are in an array. 1: as 0, and one
 * task overflows its stack. 2: the stacks are on the heap, the program declares them, and one task
 * overflows its stack. 3: the stacks are on the heap and not declared. */
#include "firmware/hal/hostlink.h"
#include "test/firmware/checks/wrong.h"

#include <stdint.h>
#include <stdlib.h>

enum { STACK_WORDS = 256, SAVED_WORDS = 16, TURNS = 4 };

static uint32_t first_stack[STACK_WORDS] __attribute__((aligned(16)));
static uint32_t second_stack[STACK_WORDS] __attribute__((aligned(16)));

struct task {
    uint32_t* sp;
};
static struct task main_task, first_task, second_task;
static volatile int turns[2];

void switch_task(struct task* from, const struct task* to);

/* Saves the registers that a call must preserve, and restores those that the other task has
 * saved. */
__asm__(".text\n.globl switch_task\nswitch_task:\n"
        "addi sp, sp, -64\n"
        "sw ra, 0(sp)\n sw s0, 4(sp)\n sw s1, 8(sp)\n sw s2, 12(sp)\n sw s3, 16(sp)\n"
        "sw s4, 20(sp)\n sw s5, 24(sp)\n sw s6, 28(sp)\n sw s7, 32(sp)\n sw s8, 36(sp)\n"
        "sw s9, 40(sp)\n sw s10, 44(sp)\n sw s11, 48(sp)\n"
        "sw sp, 0(a0)\n"
        "lw sp, 0(a1)\n"
        "lw ra, 0(sp)\n lw s0, 4(sp)\n lw s1, 8(sp)\n lw s2, 12(sp)\n lw s3, 16(sp)\n"
        "lw s4, 20(sp)\n lw s5, 24(sp)\n lw s6, 28(sp)\n lw s7, 32(sp)\n lw s8, 36(sp)\n"
        "lw s9, 40(sp)\n lw s10, 44(sp)\n lw s11, 48(sp)\n"
        "addi sp, sp, 64\n"
        "ret\n");

int descend(volatile int* above, int depth);
int descend(volatile int* above, int depth)
{
    volatile int here[8];
    here[0] = depth;
    if (depth == 0)
        return *above;
    return descend(here, depth - 1) + here[0];
}

static void run_first(void)
{
    volatile int start = 0;
    for (;;) {
        turns[0] += 1;
        turns[1] += descend(&start, WRONG == 1 || WRONG == 2 ? 40 : 4);
        switch_task(&first_task, &second_task);
    }
}

static void run_second(void)
{
    for (int i = 0; i < TURNS; ++i) {
        switch_task(&second_task, &first_task);
    }
    switch_task(&second_task, &main_task);
}

static void make(struct task* task, uint32_t* stack, void (*run)(void))
{
    if (WRONG == 2)
        hostlink_stack(stack, STACK_WORDS * sizeof *stack);
    task->sp = stack + STACK_WORDS - SAVED_WORDS;
    task->sp[0] = (uint32_t)(uintptr_t)run;
}

static uint32_t* room(uint32_t* array)
{
    return WRONG >= 2 ? malloc(STACK_WORDS * sizeof *array) : array;
}

int main(void)
{
    make(&second_task, room(second_stack), run_second);
    make(&first_task, room(first_stack), run_first);
    switch_task(&main_task, &first_task);
    return turns[0] != TURNS + 1 || turns[1] == 0;
}
