// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/summary.hpp"

#include "platform/observe/report/si.hpp"

#include <array>
#include <cstdio>

namespace levee {

namespace {

std::string plain(double value, const char* unit)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.3g %s", value, unit);
    return text.data();
}

/// Returns a number without an SI prefix: with four significant digits below 1000, and otherwise
/// without a fraction or an exponent.
std::string figure(double value)
{
    std::array<char, 352> text{}; // the largest double has 309 digits
    std::snprintf(text.data(), text.size(), value < 1000 ? "%.4g" : "%.0f", value);
    return text.data();
}

void line(std::string& out, const char* title, const std::string& value)
{
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "%-16s", title);
    out += name.data() + value + "\n";
}

void phase(std::string& out, const Results& results, const std::string& name)
{
    const double duration = results.number(name + ".seconds");
    if (duration <= 0)
        return;
    std::string text = si(duration, "s");
    if (const double rate = results.number(name + ".tokens_per_s"); rate > 0)
        text += ", " + si(rate, "tokens/s");
    if (const auto load = results.metrics.find("bounds." + name + ".load");
        load != results.metrics.end())
        text += ", " + std::get<std::string>(load->second);
    line(out, name.c_str(), text);
}

/// Returns a text such as " of 3 texts"; empty if the task has questions instead of
/// texts.
std::string of_texts(const Results& results)
{
    if (!results.metrics.contains("score.texts"))
        return "";
    const auto texts = static_cast<std::uint64_t>(results.number("score.texts"));
    return " of " + std::to_string(texts) + (texts == 1 ? " text" : " texts");
}

} // namespace

std::string summary(const Results& results, const std::vector<std::string>& memories,
                    const std::string& results_file)
{
    std::string out;
    line(out, "simulated time", si(results.number("sim.seconds"), "s"));
    phase(out, results, "prefill");
    phase(out, results, "decode");
    if (results.metrics.contains("score.perplexity"))
        line(out, "perplexity",
             figure(results.number("score.perplexity")) + " over " +
                 si(results.number("score.tokens"), "tokens") + of_texts(results));
    if (results.metrics.contains("recall.share"))
        line(out, "recall",
             figure(100 * results.number("recall.share")) + " % answered; chance " +
                 figure(100 * results.number("recall.chance")) + " %");
    for (const std::string& memory : memories) {
        const double read = results.number(memory + ".read_bytes");
        const double written = results.number(memory + ".write_bytes");
        if (read + written > 0)
            line(out, memory.c_str(), si(read, "B read, ") + si(written, "B written"));
    }
    std::string host = si(results.number("host.wall_s"), "s wall clock, ") +
                       si(results.number("host.cpu_s"), "s CPU; ") +
                       plain(results.number("host.mips"), "MIPS");
    if (const double rate = results.number("host.tokens_per_s"); rate > 0)
        host += ", " + si(rate, "tokens/s");
    line(out, "host", host);
    for (const std::string& warning : results.warnings)
        line(out, "warning", warning);
    line(out, "results", results_file);
    if (!results.error.empty())
        line(out, "error", results.error);
    if (results.exit_code != 0)
        line(out, "exit code", std::to_string(results.exit_code));
    return out;
}

} // namespace levee
