// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/mutant_run.hpp"

#include "platform/studies/cosim/cosim.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace levee::test {

std::string Mutant::text() const
{
    return "`" + place + "` | " + rule + " | `" + original + "` → `" + faulty + "`";
}

std::vector<Mutant> read_mutants(const std::string& list)
{
    std::ifstream lines(list);
    std::vector<Mutant> mutants;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        Mutant mutant;
        std::string number;
        std::getline(fields, number, '\t');
        mutant.number = static_cast<unsigned>(std::stoul(number));
        for (std::string* field : {&mutant.place, &mutant.rule, &mutant.original, &mutant.faulty})
            std::getline(fields, *field, '\t');
        mutants.push_back(std::move(mutant));
    }
    if (mutants.empty())
        throw std::runtime_error(list + ": no faults are listed");
    return mutants;
}

bool is_caught(const MakeMutant& make, unsigned mutant, std::uint64_t operations)
{
    const std::unique_ptr<cosim::Bench> bench = make(mutant);
    for (std::uint64_t i = 0; i < operations; ++i) {
        const cosim::Outcome outcome = bench->run(i, true);
        if (outcome.value || outcome.cycle)
            return true;
    }
    return false;
}

std::string surprises(const Check& is_told, const std::vector<Mutant>& mutants)
{
    std::ifstream page(LEVEE_RTL_PAGE);
    const std::string argued{std::istreambuf_iterator<char>(page), {}};
    if (argued.empty())
        throw std::runtime_error(LEVEE_RTL_PAGE ": cannot be read");
    std::string found;
    for (const Mutant& mutant : mutants) {
        const bool changes_nothing = argued.find(mutant.text()) != std::string::npos;
        if (is_told(mutant) == changes_nothing)
            found += (changes_nothing ? "caught: " : "not caught: ") + mutant.text() + "\n";
    }
    return found;
}

std::vector<Mutant> sample(std::vector<Mutant> mutants, std::size_t count, std::uint32_t seed)
{
    cosim::Draw draw(seed, 0);
    for (std::size_t i = 0; i < mutants.size() && i < count; ++i)
        std::swap(mutants[i],
                  mutants[i + draw.below(static_cast<std::uint32_t>(mutants.size() - i))]);
    if (mutants.size() > count)
        mutants.resize(count);
    return mutants;
}

} // namespace levee::test
