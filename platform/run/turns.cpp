// SPDX-License-Identifier: Apache-2.0
#include "platform/run/turns.hpp"

#include "core/units/clock.hpp"
#include "platform/run/table_cell.hpp"

#include <algorithm>
#include <utility>

namespace levee {

Turns::Turns(const RunContext& run)
    : workload_(*run.inputs.work.prepared), timebase_hz_(run.inputs.plan.config.timebase_hz),
      folder_(run.folder), recorder_(run.recorder), observers_(run.observers)
{
}

bool Turns::is_wanted(const RunInputs& inputs)
{
    return inputs.work.prepared && !inputs.work.prepared->turns.empty();
}

Turns::Turn Turns::begun(std::uint64_t ps)
{
    Turn turn;
    turn.arrives_ps = ps;
    return turn;
}

/// Records the turns' times when the program's phase changes. A turn's prompt arrives when a
/// prefill begins. Its first token ends the prefill, and its answer ends when "other" begins.
void Turns::phase(levee_phase phase, std::uint64_t ps)
{
    const bool has_begun = !turns_.empty() && !turns_.back().ends_ps;
    if (phase == LEVEE_PHASE_PREFILL && !has_begun) { // a turn with saved keys and values has
                                                      // begun before its prefill
        turns_.push_back(begun(ps));
        energy_.spend(observers_.energy_until(ps), {turns_.size() - 1});
    }
    if (turns_.empty())
        return;
    if (phase == LEVEE_PHASE_DECODE)
        turns_.back().first_token_ps = ps;
    if (phase == LEVEE_PHASE_OTHER) {
        turns_.back().ends_ps = ps;
        energy_.spend(observers_.energy_until(ps)); // the energy of a pause belongs to no turn
    }
}

/// Records when keys and values are saved and loaded. A prompt may arrive during a save.
void Turns::request(levee_request_event event, std::uint32_t number, std::uint64_t ps)
{
    const energy::Attojoules energy = observers_.energy_until(ps).value_or(0);
    if (event == LEVEE_REQUEST_SAVE)
        move_ = &save_;
    if (event == LEVEE_REQUEST_RESUME && !turns_.empty()) {
        turns_.back().save = std::exchange(save_, {});
        move_ = &turns_.back().resume;
    }
    if (move_ == nullptr)
        return;
    if (event != LEVEE_REQUEST_MOVED) {
        *move_ = {ps, ps, number, energy};
        return;
    }
    move_->ends_ps = ps;
    move_->energy = energy - move_->energy;
    move_ = nullptr;
}

void Turns::token(std::uint32_t, std::uint32_t token, std::uint64_t)
{
    if (turns_.empty())
        return;
    ++turns_.back().new_tokens;
    turns_.back().last_token = token;
}

/// Returns the time until the first token; nothing if the turn had no answer.
std::optional<double> Turns::first_token_s(const Turn& turn)
{
    if (turn.new_tokens == 0 || !turn.first_token_ps)
        return std::nullopt;
    return seconds(*turn.first_token_ps - turn.arrives_ps);
}

/// Returns the time of a turn, if it has ended.
std::optional<double> Turns::seconds_of(const Turn& turn)
{
    if (!turn.ends_ps)
        return std::nullopt;
    return seconds(*turn.ends_ps - turn.arrives_ps);
}

/// Returns the rate of the tokens after the first; nothing if there are none.
std::optional<double> Turns::tokens_per_s(const Turn& turn)
{
    if (turn.new_tokens < 2 || !turn.ends_ps || *turn.ends_ps <= *turn.first_token_ps)
        return std::nullopt;
    return static_cast<double>(turn.new_tokens - 1) / seconds(*turn.ends_ps - *turn.first_token_ps);
}

/// Returns whether the turn's prompt must begin with the end token that the previous answer lacks.
bool Turns::lacks_end(std::size_t turn) const
{
    const std::uint32_t end = workload_.turns[turn].end_token;
    return end != LEVEE_NO_TOKEN && turns_[turn - 1].last_token != end;
}

/// Returns whether the cache was released before the turn.
bool Turns::is_forgotten(std::size_t turn) const
{
    return workload_.forget_after_ps && leaves_its_place(workload_, turn, timebase_hz_);
}

/// Returns the cells for saves; empty if nothing is saved.
std::string Turns::moved_cells(const Turn& turn) const
{
    if (!workload_.save_after_ps)
        return "";
    return "," + std::to_string(turn.resume.tokens) + table_cell(seconds(turn.save.ps())) +
           table_cell(seconds(turn.resume.ps()));
}

/// Reports the sums over all pauses.
void Turns::report_moves(Results& results) const
{
    if (!workload_.save_after_ps)
        return;
    Move save, resume;
    for (const Turn& turn : turns_) {
        save.ends_ps += turn.save.ps();
        save.energy += turn.save.energy;
        resume.ends_ps += turn.resume.ps();
        resume.energy += turn.resume.energy;
    }
    results.metrics["turns.save_s"] = seconds(save.ends_ps);
    results.metrics["turns.resume_s"] = seconds(resume.ends_ps);
    if (energy_.is_known()) {
        results.metrics["turns.save_j"] = energy::joules(save.energy);
        results.metrics["turns.resume_j"] = energy::joules(resume.energy);
    }
}

std::string Turns::table() const
{
    const bool saves = workload_.save_after_ps.has_value();
    std::string table = std::string("turn,cached_tokens,prompt_tokens,new_tokens,arrives_s,"
                                    "first_token_s,seconds,decode_tokens_per_s,") +
                        (saves ? "saved_tokens,save_s,resume_s," : "") + "energy_j\n";
    std::uint64_t said = 0;
    for (std::size_t i = 0; i < std::min(turns_.size(), workload_.turns.size()); ++i) {
        const Turn& turn = turns_[i];
        const std::uint64_t prompt = workload_.turns[i].tokens.size() + (lacks_end(i) ? 1 : 0);
        const std::uint64_t cached = is_forgotten(i) ? 0 : said;
        table += std::to_string(i) + "," + std::to_string(cached) + "," + std::to_string(prompt) +
                 "," + std::to_string(turn.new_tokens) + table_cell(seconds(turn.arrives_ps)) +
                 table_cell(first_token_s(turn)) + table_cell(seconds_of(turn)) +
                 table_cell(tokens_per_s(turn)) + moved_cells(turn) + energy_.cell(i) + "\n";
        said += prompt + turn.new_tokens;
    }
    const std::size_t cells_before_energy = saves ? 10 : 7;
    return table + energy_.idle_row(cells_before_energy);
}

void Turns::report(Results& results)
{
    std::vector<double> waits;
    for (const Turn& turn : turns_)
        if (const std::optional<double> wait = first_token_s(turn))
            waits.push_back(*wait);
    double sum = 0;
    for (const double wait : waits)
        sum += wait;
    energy_.spend(observers_.energy_until(recorder_.ended_ps(now_ps())));
    if (energy_.is_known())
        results.metrics["turns.idle_j"] = energy::joules(energy_.idle());
    results.metrics["turns.count"] = std::uint64_t{turns_.size()};
    if (!waits.empty()) {
        results.metrics["turns.first_token_s.mean"] = sum / static_cast<double>(waits.size());
        results.metrics["turns.first_token_s.max"] = *std::ranges::max_element(waits);
    }
    report_moves(results);
    folder_.write("turns.csv", table());
}

} // namespace levee
