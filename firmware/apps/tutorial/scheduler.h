// SPDX-License-Identifier: Apache-2.0
/* A small preemptive scheduler. Each task has its own stack and priority. After each interrupt,
 * the ready task with the highest priority runs; tasks of equal priority take turns. main() has
 * the highest priority. */
#pragma once

#include "firmware/hal/csr.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TICKS_A_SECOND 100000u /* a tick is 10 us */
#define MOST_TASKS 6u          /* including main() and an idle task */
#define MAIN_PRIORITY 1000u
#define STACK_WORDS 512u
#define FRAME_WORDS 32u /* x1 to x31 in their places; mepc in place 0, mstatus in place 2 (sp) */
#define MSTATUS_OF_A_TASK 0x1880u /* machine mode, interrupts on */
#define CAUSE_ECALL 11u

struct task {
    uint32_t* frame;          /* saved registers, while the task does not run */
    unsigned priority;        /* a larger number runs first */
    uint64_t wakes_at;        /* tick at which the task wakes */
    bool (*waits_for)(void*); /* NULL: the task waits only for the tick */
    void* context;
    uint32_t stack[STACK_WORDS] __attribute__((aligned(16)));
};

static struct task tasks[MOST_TASKS] = {{.priority = MAIN_PRIORITY}};
static unsigned task_count = 1;
static struct task* running = &tasks[0];
static uint64_t ticks;

/* Entered on every trap. Saves the registers on the running task's stack, and restores those of the
 * next task. */
void task_trap(void);
__asm__(".section .text.task_trap, \"ax\"\n.balign 4\n.globl task_trap\ntask_trap:\n"
        "    addi sp, sp, -128\n    sw x1, 4(sp)\n"
        "    .irp n,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "    sw x\\n, 4*\\n(sp)\n    .endr\n"
        "    csrr t0, mepc\n    sw t0, 0(sp)\n    csrr t0, mstatus\n    sw t0, 8(sp)\n"
        "    csrr a0, mcause\n    csrr a1, mepc\n    csrr a2, mtval\n    mv a3, sp\n"
        "    call task_after_trap\n    mv sp, a0\n"
        "    lw t0, 0(sp)\n    csrw mepc, t0\n    lw t0, 8(sp)\n    csrw mstatus, t0\n    lw x1, "
        "4(sp)\n"
        "    .irp n,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "    lw x\\n, 4*\\n(sp)\n    .endr\n"
        "    addi sp, sp, 128\n    mret\n    .text\n");

static bool is_ready(const struct task* task)
{
    return task->wakes_at <= ticks && (task->waits_for == NULL || task->waits_for(task->context));
}

/* Returns the ready task with the highest priority. If there are several, returns the next one
 * after the running task. */
static struct task* next_task(void)
{
    struct task *best = NULL, *task = running;
    for (unsigned i = 0; i < task_count; ++i) {
        task = task == &tasks[task_count - 1] ? tasks : task + 1;
        if ((best == NULL || task->priority > best->priority) && is_ready(task))
            best = task;
    }
    return best;
}

void trap_handle(uint32_t cause, uint32_t epc, uint32_t value); /* the HAL's handler */
uint32_t* task_after_trap(uint32_t cause, uint32_t epc, uint32_t value, uint32_t* frame);
uint32_t* task_after_trap(uint32_t cause, uint32_t epc, uint32_t value, uint32_t* frame)
{
    running->frame = frame;
    if (cause == CAUSE_ECALL)
        frame[0] = epc + 4; /* a trap by task_yield(): continue after the instruction */
    else
        trap_handle(cause, epc, value);
    running = next_task();
    return running->frame;
}

static inline void task_yield(void)
{
    __asm__ volatile("ecall" ::: "memory");
}

/* Suspends the task until the condition holds. The scheduler evaluates the condition after each
 * interrupt. */
static inline void task_wait_until(bool (*condition)(void* context), void* context)
{
    running->context = context;
    running->waits_for = condition;
    task_yield();
    running->waits_for = NULL;
}

static inline void task_delay(unsigned for_ticks)
{
    running->wakes_at = ticks + for_ticks;
    task_yield();
}

static void task_end(void)
{
    running->wakes_at = UINT64_MAX;
    task_yield();
}

static inline void task_create(void (*function)(void* argument), void* argument, unsigned priority)
{
    if (task_count == MOST_TASKS)
        fatal(EXIT_REFUSED, "more than %u tasks", MOST_TASKS);
    struct task* const task = &tasks[task_count++];
    hostlink_stack(task->stack, sizeof task->stack); /* registers the stack for --check stack */
    task->frame = task->stack + STACK_WORDS - FRAME_WORDS;
    task->frame[0] = (uint32_t)(uintptr_t)function;
    task->frame[1] = (uint32_t)(uintptr_t)task_end;
    task->frame[2] = MSTATUS_OF_A_TASK;
    task->frame[10] = (uint32_t)(uintptr_t)argument;
    task->priority = priority;
}

static void tick(void* context)
{
    (void)context;
    ++ticks;
    timer_alarm((ticks + 1) * system_info()->timebase_hz / TICKS_A_SECOND, tick, NULL);
}

static void idle(void* context)
{
    (void)context;
    for (;;)
        __asm__ volatile("wfi");
}

/* Lets the tasks run until the condition holds. */
static inline void scheduler_run(bool (*condition)(void* context), void* context)
{
    ticks = timer_ticks() * TICKS_A_SECOND / system_info()->timebase_hz;
    __asm__ volatile("csrw mtvec, %0" ::"r"(task_trap));
    task_create(idle, NULL, 0);
    tick(NULL);
    task_wait_until(condition, context);
}
