// SPDX-License-Identifier: Apache-2.0
// Prints how fast the core interprets inside SystemC. The code is in memory that the core reads by
// pointer, or in memory behind a bus and caches, or a call profiler is attached. Also prints the
// cost of a fence.i. Figures are medians of five processes, next to those of calibrate. `core_bench
// PROGRAM nobody|profile|timeline` runs one program once.
#include "platform/observe/profile/call_profile.hpp"
#include "platform/observe/trace/timeline_calls.hpp"
#include "test/bench/calibrate/calibrate.hpp"
#include "test/unit/riscv/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace levee;

/// What observes the core during a measurement.
enum class Watch { Nobody, Profile, Timeline };

/// The core's call stack as `--trace timeline` writes it.
class Calls {
public:
    Calls(const riscv::Clock& clock, const std::filesystem::path& path)
        : writer_(path), calls_(writer_, clock, track)
    {
        writer_.name_process(track.process, "core");
    }
    trace::CallListener& listener() { return calls_; }
    void close() { writer_.close(); }

private:
    static constexpr trace::Track track{1, 1};
    trace::JsonTimeline writer_;
    trace::TimelineCalls calls_;
};

struct Figures {
    double instructions = 0;
    double seconds = 0;
    int exit_code = -1;
};

void load(test::Machine& machine, const ElfImage& image)
{
    for (const ElfSegment& segment : image.segments) {
        const bool slow = segment.address < test::ram_base;
        std::vector<std::uint8_t>& bytes = slow ? machine.slow.bytes : machine.ram.bytes;
        std::copy(segment.data.begin(), segment.data.end(),
                  bytes.begin() + (segment.address - (slow ? test::slow_base : test::ram_base)));
    }
}

Figures run(const std::string& name, Watch watch)
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    const auto image = load_elf(std::filesystem::path(LEVEE_BENCH_DIR) / (name + ".elf"));
    riscv::CoreConfig config;
    config.quantum_cycles = 10'000;
    config.reset_pc = image.entry;
    config.tohost = image.tohost;
    if (image.entry < test::ram_base) {
        config.icache = riscv::CacheConfig{8192, 32, 2};
        config.dcache = riscv::CacheConfig{16384, 32, 4};
        config.cacheable = {{test::slow_base, test::slow_bytes, 31.25}};
    }
    test::Machine machine(config);
    load(machine, image);
    const trace::Symbols symbols(image.symbols);
    profile::CallProfile profile;
    Calls timeline(machine.core.clock(), name + ".json.gz");
    trace::CallListener& listener =
        watch == Watch::Profile ? static_cast<trace::CallListener&>(profile) : timeline.listener();
    trace::CallTracker tracker(machine.core.hart(), symbols, listener);
    if (watch != Watch::Nobody)
        machine.core.observe(tracker);
    const double start = bench::cpu_seconds();
    sc_core::sc_start();
    timeline.close();
    const double seconds = bench::cpu_seconds() - start;
    std::filesystem::remove(name + ".json.gz");
    return {static_cast<double>(machine.core.instructions()), seconds,
            machine.exit_code.value_or(-1)};
}

// SystemC elaborates once per process, so each measurement is a child that reports through a pipe.
Figures measure(const std::string& name, Watch watch)
{
    int ends[2];
    if (pipe(ends) != 0)
        std::exit(2);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const Figures figures = run(name, watch);
        const bool reported = write(ends[1], &figures, sizeof figures) == sizeof figures;
        _exit(reported ? 0 : 1);
    }
    Figures figures;
    const bool got = read(ends[0], &figures, sizeof figures) == sizeof figures;
    close(ends[0]);
    close(ends[1]);
    waitpid(child, nullptr, 0);
    return got ? figures : Figures{};
}

/// Prints the median of a figure over five runs; returns false if a run failed.
template <class Rate>
bool report(const char* what, const char* unit, const char* name, Watch watch, Rate rate)
{
    std::array<double, 5> rates{};
    bool ok = true;
    for (double& each : rates) {
        const Figures figures = measure(name, watch);
        ok = ok && figures.exit_code == 0;
        each = rate(figures);
    }
    std::sort(rates.begin(), rates.end());
    std::printf("core, %s: %.3g %s (median of 5; %.3g to %.3g)%s\n", what, rates[2], unit, rates[0],
                rates[4], ok ? "" : ": FAILED");
    return ok;
}

bool report_mips(const char* what, const char* name, Watch watch = Watch::Nobody)
{
    return report(what, "MIPS", name, watch, [](const Figures& figures) {
        return 1e-6 * figures.instructions / figures.seconds;
    });
}

/// Runs a program once, so that a profiler can measure this process; for example, `core_bench calls
/// timeline`.
int run_once(const std::string& name, const std::string& watch)
{
    const std::map<std::string, Watch> watches{
        {"nobody", Watch::Nobody}, {"profile", Watch::Profile}, {"timeline", Watch::Timeline}};
    const auto chosen = watches.find(watch);
    if (chosen == watches.end()) {
        std::fprintf(stderr, "core_bench: expected nobody, profile or timeline, not %s\n",
                     watch.c_str());
        return 2;
    }
    const Figures figures = run(name, chosen->second);
    std::printf("%.0f instructions, %.3g MIPS\n", figures.instructions,
                1e-6 * figures.instructions / figures.seconds);
    return figures.exit_code;
}

} // namespace

int sc_main(int argc, char** argv)
{
    if (argc == 3)
        return run_once(argv[1], argv[2]);
    constexpr double fences = 200'000; // Number of fence.i that modify.S executes.
    bool ok = report_mips("ALU loop", "alu");
    ok &= report_mips("int8 dot product", "dot");
    ok &= report_mips("calls", "calls");
    ok &= report_mips("ALU loop behind the bus, cached", "alu_cached");
    ok &= report_mips("int8 dot product behind the bus, cached", "dot_cached");
    ok &= report_mips("calls behind the bus, cached", "calls_cached");
    ok &= report_mips("ALU loop, calls profiled", "alu", Watch::Profile);
    ok &= report_mips("int8 dot product, calls profiled", "dot", Watch::Profile);
    ok &= report_mips("calls, profiled", "calls", Watch::Profile);
    ok &= report_mips("int8 dot product, in a timeline", "dot", Watch::Timeline);
    ok &= report_mips("calls, in a timeline", "calls", Watch::Timeline);
    ok &= report("a turn of a self-modifying loop, with 216 instructions", "us", "modify",
                 Watch::Nobody,
                 [](const Figures& figures) { return 1e6 * figures.seconds / fences; });
    std::printf("calibrate: %.1f M steps/s\n", bench::calibrate());
    return ok ? 0 : 1;
}
