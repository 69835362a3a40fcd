// SPDX-License-Identifier: Apache-2.0
// Prints how fast the core interprets in the default configuration inside SystemC: one program per
// process run, named on the command line; medians of five processes are taken by ./core_bench
// alone.
#include "test/bench/calibrate/calibrate.hpp"
#include "test/unit/riscv/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace levee;

// SystemC elaborates once per process: each measurement is a child that reports through a pipe.
double measure(const std::string& path)
{
    int ends[2];
    if (pipe(ends) != 0)
        std::exit(2);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
        const auto image = riscv::load_elf(std::filesystem::path(path));
        riscv::CoreConfig config;
        config.reset_pc = image.entry;
        config.tohost = image.tohost;
        test::Machine machine(config);
        machine.load(image);
        const double start = bench::cpu_seconds();
        sc_core::sc_start();
        double mips = 1e-6 * static_cast<double>(machine.core.instructions()) /
                      (bench::cpu_seconds() - start);
        if (machine.exit_code != 0)
            mips = -1;
        const bool reported = write(ends[1], &mips, sizeof mips) == sizeof mips;
        _exit(reported ? 0 : 1);
    }
    double mips = -1;
    const bool got = read(ends[0], &mips, sizeof mips) == sizeof mips;
    close(ends[0]);
    close(ends[1]);
    waitpid(child, nullptr, 0);
    return got ? mips : -1;
}

bool report(const char* name, const char* path)
{
    std::array<double, 5> mips{};
    for (double& each : mips)
        each = measure(path);
    std::sort(mips.begin(), mips.end());
    std::printf("core, %s: %.0f MIPS (median of 5; %.0f to %.0f)\n", name, mips[2], mips[0],
                mips[4]);
    return mips[0] > 0;
}

} // namespace

int sc_main(int, char**)
{
    const bool ok =
        report("ALU loop", LEVEE_BENCH_ALU) && report("int8 dot product", LEVEE_BENCH_DOT);
    std::printf("calibrate: %.1f M steps/s\n", bench::calibrate());
    return ok ? 0 : 1;
}
