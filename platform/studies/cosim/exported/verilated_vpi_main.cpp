// SPDX-License-Identifier: Apache-2.0
// @block@, made by levee cosim --export. The main program of testbench_vpi for Verilator. Other
// simulators have a main program of their own.
#include "Vtestbench_vpi.h"

#include <verilated.h>
#include <verilated_vpi.h>

extern "C" void (*vlog_startup_routines[])();

int main(int argc, char** argv)
{
    VerilatedContext context;
    context.traceEverOn(true);
    context.commandArgs(argc, argv);
    Vtestbench_vpi top(&context, ""); // an empty name, so that names of signals begin with the
                                      // module
    for (void (**routine)() = vlog_startup_routines; *routine != nullptr; ++routine)
        (*routine)();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    while (!context.gotFinish()) {
        top.eval();
        const QData next = VerilatedVpi::cbNextDeadline();
        if (next == ~QData{0})
            break;
        context.time(next);
        VerilatedVpi::callTimedCbs();
    }
    top.final();
    return 0;
}
