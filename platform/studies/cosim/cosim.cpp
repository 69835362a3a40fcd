// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/cosim.hpp"

#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "core/rtl/build/build.hpp"
#include "platform/run/run.hpp"
#include "platform/studies/cosim/coverage.hpp"
#include "platform/studies/cosim/export.hpp"

#include <cstdio>
#include <stdexcept>

namespace levee::cosim {

namespace {

/// Returns the design `name`. With the user's own design, `name` may also be a block, whose first
/// design is returned.
const Target& find_target(const std::string& name, bool is_own)
{
    std::vector<std::string> names;
    std::string list;
    for (const Target& target : targets()) {
        if (target.name == name || (is_own && target.block == name))
            return target;
        names.push_back(target.name);
        list += "\n  " + target.name + "  " + target.text;
    }
    const std::string near = config::nearest(name, names);
    throw std::runtime_error("cosim: there is no RTL called '" + name + "'" +
                             (near.empty() ? "" : "; did you mean '" + near + "'?") +
                             "\nexpected one of:" + list);
}

const char* word(Difference::Kind kind)
{
    switch (kind) {
    case Difference::Kind::Value:
        return "value";
    case Difference::Kind::Cycle:
        return "cycle";
    default:
        return "assertion";
    }
}

void print_difference(const Difference& difference, std::uint64_t operation, const Bench& bench)
{
    std::printf("  differs    in %s\n  operation  %llu: %s\n%s", word(difference.kind),
                static_cast<unsigned long long>(operation), bench.describe(operation).c_str(),
                describe(difference).c_str());
}

void print_coverage(const Report& report)
{
    if (report.coverage.empty()) {
        std::printf("covered: the design has no cover points\n");
        return;
    }
    std::printf("covered: %zu of %zu points\n", report.coverage.size() - report.not_covered.size(),
                report.coverage.size());
    for (const auto& [name, count] : report.coverage)
        std::printf("  %-28s %10llu%s\n", name.c_str(), static_cast<unsigned long long>(count),
                    count == 0 ? "  NEVER" : "");
}

void print_failure(const Request& request, const Report& report, const Bench& bench)
{
    std::printf("%s differs from its reference:\n", request.block.c_str());
    if (report.value)
        print_difference(*report.value, report.value_operation, bench);
    if (report.cycle) {
        print_difference(*report.cycle, report.cycle_operation, bench);
        if (!report.value)
            std::printf("  values     equal in all %llu operations: only the clock cycles of "
                        "outputs differ\n",
                        static_cast<unsigned long long>(report.operations));
    }
    std::printf("to repeat: ./levee cosim %s%s%s --seed %u --ops %llu --waves%s\n",
                request.block.c_str(), request.rtl.empty() ? "" : " --rtl ",
                shell_word(request.rtl).c_str(), request.options.seed,
                static_cast<unsigned long long>(report.failing_operation() + 1),
                request.options.compare_cycles ? "" : " --values-only");
}

/// The design to compare: one that belongs to the block, or a user's design that is built now.
struct Subject {
    std::function<std::unique_ptr<Bench>()> make_bench;
    own_rtl::Recording recording; ///< empty for a design that was built with Levee
};

Subject make_subject(const Target& target, const Request& request, const own_rtl::Tools& tools)
{
    const std::uint32_t seed = request.options.seed;
    if (request.rtl.empty() && request.coverage.empty())
        return {[&target, seed] { return target.make(seed); }, {}};
    const own_rtl::Description description =
        request.rtl.empty() ? own_rtl::tree_description(*target.source, nullptr, tools)
                            : own_rtl::read_description(config::load_yaml(request.rtl));
    const auto flavour =
        request.coverage.empty() ? own_rtl::Flavour::Checked : own_rtl::Flavour::Covered;
    const own_rtl::Loaded loaded = own_rtl::load(description, target.boundary, flavour, tools);
    return {[&target, model = loaded.model, seed] { return target.make_on(model, seed); },
            loaded.recording};
}

/// Writes waveforms of the operation that differs, or else of the last operation.
void write_waves_of(const Request& request, const Report& report, Bench& fresh)
{
    std::filesystem::create_directories(request.out);
    const std::filesystem::path fst = request.out / (request.block + ".fst");
    const std::uint64_t operation =
        report.differs() ? report.failing_operation() : report.operations - 1;
    write_waves(fresh, operation, fst);
    std::printf("waves of operation %llu: %s\n", static_cast<unsigned long long>(operation),
                fst.c_str());
}

/// Prints the result and returns the exit code for the shell.
int verdict(const Request& request, const Report& report, const Bench& bench)
{
    if (report.differs()) {
        print_failure(request, report, bench);
        return run_lockstep_failed;
    }
    if (report.comparisons == 0) {
        std::printf("failed: nothing was compared; more operations (--ops) may help\n");
        return run_lockstep_failed;
    }
    if (request.options.needs_coverage && !report.not_covered.empty()) {
        std::printf(
            "failed: cover points were not hit; more operations (--ops) may hit them, or another "
            "--seed\n");
        return run_not_covered;
    }
    std::printf("equal, in values%s\n", request.options.compare_cycles ? " and cycles" : "");
    return 0;
}

} // namespace

Report run(Bench& bench, const Options& options)
{
    Report report;
    for (std::uint64_t i = 0; i < options.operations && !report.value; ++i) {
        Outcome outcome = bench.run(i);
        if (!options.compare_cycles)
            outcome.cycle.reset();
        ++report.operations;
        report.cycles += outcome.cycles;
        report.comparisons += outcome.comparisons;
        if (!outcome.value && !outcome.cycle && bench.design().failed_assertions() != 0)
            outcome.value =
                Difference{Difference::Kind::Rule, "an assertion of the design", "named above",
                           outcome.cycles,         "no failed assertion",        "a failed one"};
        if (outcome.value) {
            report.value = outcome.value;
            report.value_operation = i;
        }
        if (outcome.cycle && !report.cycle) {
            report.cycle = outcome.cycle;
            report.cycle_operation = i;
        }
    }
    report.coverage = bench.design().coverage();
    for (const auto& [name, count] : report.coverage)
        if (count == 0)
            report.not_covered.push_back(name);
    return report;
}

void write_waves(Bench& fresh, std::uint64_t last, const std::filesystem::path& fst)
{
    for (std::uint64_t i = 0; i < last; ++i)
        (void)fresh.run(i);
    config::check_output(fst);
    fresh.record(fst);
    (void)fresh.run(last);
    fresh.record({});
}

int run_cosim(const Request& request)
{
    const Target& target = find_target(request.block, !request.rtl.empty());
    if (!request.export_to.empty()) {
        export_bench(target, {request.export_to, request.rtl, request.options.operations,
                              request.options.seed});
        return 0;
    }
    const own_rtl::Tools tools = own_rtl::default_tools();
    const Subject subject = make_subject(target, request, tools);
    const std::unique_ptr<Bench> bench = subject.make_bench();
    if (request.waves && !bench->design().can_trace())
        throw std::runtime_error(without_waves);
    const Report report = run(*bench, request.options);
    std::printf("%s: %llu operations, seed %u, %llu cycles, %llu comparisons\n",
                request.block.c_str(), static_cast<unsigned long long>(report.operations),
                request.options.seed, static_cast<unsigned long long>(report.cycles),
                static_cast<unsigned long long>(report.comparisons));
    print_coverage(report);
    if (!request.coverage.empty())
        write_coverage(subject.recording, tools, request.coverage,
                       request.block + ".seed" + std::to_string(request.options.seed) + ".ops" +
                           std::to_string(request.options.operations));
    if (request.waves && report.operations != 0)
        write_waves_of(request, report, *subject.make_bench());
    return verdict(request, report, *bench);
}

} // namespace levee::cosim
