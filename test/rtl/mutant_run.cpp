// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/mutant_run.hpp"

#include "platform/studies/cosim/cosim.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace levee::test {

std::vector<Mutant> read_mutants(const std::string& list)
{
    std::ifstream lines(list);
    std::vector<Mutant> mutants;
    for (std::string line; std::getline(lines, line);) {
        const auto number_end = line.find('\t');
        Mutant mutant;
        mutant.number = static_cast<unsigned>(std::stoul(line.substr(0, number_end)));
        mutant.text = line.substr(number_end + 1);
        std::istringstream fields(mutant.text);
        std::string place, statement;
        std::getline(fields, place, '\t');
        std::getline(fields, statement, '\t');
        std::getline(fields, mutant.rule, '\t');
        mutants.push_back(std::move(mutant));
    }
    if (mutants.empty())
        throw std::runtime_error(list +
                                 ": lists no faults; expected the list that mutate.py writes");
    return mutants;
}

namespace {

/// Reads the faults that change nothing, by their text, with the reason for each.
std::map<std::string, std::string> read_equivalent(const std::string& path)
{
    std::ifstream lines(path);
    std::map<std::string, std::string> reasons;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#"))
            continue;
        const auto text_end = line.rfind('\t');
        if (text_end == std::string::npos || text_end + 1 == line.size())
            throw std::runtime_error(path +
                                     ": expected a fault and, after a tab, its reason: " + line);
        reasons[line.substr(0, text_end)] = line.substr(text_end + 1);
    }
    if (reasons.empty())
        throw std::runtime_error(path + ": cannot be read");
    return reasons;
}

} // namespace

std::set<std::string> rules_of(const std::vector<Mutant>& mutants)
{
    std::set<std::string> rules;
    for (const Mutant& mutant : mutants)
        rules.insert(mutant.rule);
    return rules;
}

std::set<std::string> all_rules()
{
    return {"adder", "comparison", "constant", "index", "logic", "mux", "reset", "shift", "width"};
}

bool is_caught(const MakeMutant& make, unsigned mutant, std::uint64_t operations)
{
    const std::unique_ptr<cosim::Bench> bench = make(mutant);
    for (std::uint64_t i = 0; i < operations; ++i) {
        const cosim::Outcome outcome = bench->run(i);
        if (outcome.value || outcome.cycle)
            return true;
    }
    return false;
}

std::string surprises(const Check& is_detected, const std::vector<Mutant>& mutants,
                      const std::string& equivalent)
{
    // This number detects 99 % of the faults that are not listed.
    constexpr std::uint64_t few_operations = 50;
    const auto reasons = read_equivalent(equivalent);
    std::string found;
    for (const Mutant& mutant : mutants) {
        const bool changes_nothing = reasons.contains(mutant.text);
        if (is_detected(mutant, changes_nothing ? few_operations : most_operations) ==
            changes_nothing)
            found += (changes_nothing ? "caught: " : "not caught: ") + mutant.text + "\n";
    }
    return found;
}

std::string strays(const std::vector<Mutant>& mutants, const std::string& equivalent)
{
    auto reasons = read_equivalent(equivalent);
    for (const Mutant& mutant : mutants)
        reasons.erase(mutant.text);
    std::string found;
    for (const auto& [text, reason] : reasons)
        found += text + "\n";
    return found;
}

} // namespace levee::test
