// SPDX-License-Identifier: Apache-2.0
// Levee's reference of a block as a DPI library. It is only compiled in an export, where bench.hpp
// names the block's bench (docs/own_rtl.md).
#include "bench.hpp"
#include "levee_reference.h"
#include "link.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <ucontext.h>
#include <vector>

namespace levee::dpi {

namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;

/// Runs a bench's operations on a separate stack.
class Session {
public:
    Session(std::uint32_t seed, std::uint64_t operations, bool values_only)
        : seed_(seed), operations_(operations), values_only_(values_only), stack_(stack_bytes)
    {
        getcontext(&bench_);
        bench_.uc_stack.ss_sp = stack_.data();
        bench_.uc_stack.ss_size = stack_.size();
        bench_.uc_link = &simulator_;
        makecontext(&bench_, run_session, 0);
    }

    /// Lets the bench run to its next cycle. Returns false if there is none.
    bool resume()
    {
        if (!is_done_)
            swapcontext(&simulator_, &bench_);
        return !is_done_;
    }
    void suspend() { swapcontext(&bench_, &simulator_); }
    int close()
    {
        std::printf("%s: %llu operations, seed %u, %llu comparisons\n", bench_name,
                    static_cast<unsigned long long>(done_), seed_,
                    static_cast<unsigned long long>(comparisons_));
        if (!failed_ && (!is_done_ || comparisons_ == 0)) {
            std::printf("FAILED: %s\n",
                        is_done_ ? "nothing was compared" : "the simulation was stopped too early");
            return 1;
        }
        std::printf("%s\n", failed_ ? "FAILED" : "PASSED");
        return failed_ ? 1 : 0;
    }

private:
    static void run_session();
    void run()
    {
        try {
            const std::unique_ptr<cosim::Bench> bench = make_bench(seed_);
            while (done_ < operations_ && !failed_)
                run_operation(*bench);
        } catch (const std::exception& error) {
            std::printf("%s\n", error.what());
            failed_ = true;
        }
        is_done_ = true;
    }
    void run_operation(cosim::Bench& bench)
    {
        const cosim::Outcome outcome = bench.run(done_);
        comparisons_ += outcome.comparisons;
        const std::optional<Difference>& first =
            outcome.value || values_only_ ? outcome.value : outcome.cycle;
        if (first) {
            failed_ = true;
            std::printf("  differs    in %s\n  operation  %llu: %s\n%s",
                        outcome.value ? "value" : "cycle", static_cast<unsigned long long>(done_),
                        bench.describe(done_).c_str(), describe(*first).c_str());
        }
        ++done_;
    }

    std::uint32_t seed_;
    std::uint64_t operations_, done_ = 0, comparisons_ = 0;
    bool values_only_, is_done_ = false, failed_ = false;
    std::vector<char> stack_;
    ucontext_t simulator_{}, bench_{};
};

std::unique_ptr<Session> session; // a global variable, since the DPI's functions have no object

void Session::run_session()
{
    session->run();
}

} // namespace

Vector& inputs()
{
    static Vector vector(input_bits);
    return vector;
}

Vector& outputs()
{
    static Vector vector(output_bits);
    return vector;
}

void exchange()
{
    session->suspend();
}

} // namespace levee::dpi

void levee_reference_open(std::int32_t seed, std::int32_t operations, std::int32_t values_only)
{
    levee::dpi::session = std::make_unique<levee::dpi::Session>(
        static_cast<std::uint32_t>(seed), static_cast<std::uint64_t>(operations), values_only != 0);
}

std::int32_t levee_reference_inputs(std::uint32_t* inputs)
{
    if (!levee::dpi::session->resume())
        return 0;
    levee::dpi::Vector& vector = levee::dpi::inputs();
    std::memcpy(inputs, vector.data(), vector.words() * sizeof *inputs);
    return 1;
}

void levee_reference_outputs(const std::uint32_t* outputs)
{
    levee::dpi::Vector& vector = levee::dpi::outputs();
    std::memcpy(vector.data(), outputs, vector.words() * sizeof *outputs);
}

std::int32_t levee_reference_close()
{
    return levee::dpi::session->close();
}
