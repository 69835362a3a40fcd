// SPDX-License-Identifier: Apache-2.0
#include "platform/run/draft_share.hpp"

#include "core/units/clock.hpp"

namespace levee {

void DraftShare::request(levee_request_event event, std::uint32_t number, std::uint64_t ps)
{
    if (event != LEVEE_REQUEST_DRAFT && event != LEVEE_REQUEST_DRAFTED)
        return;
    const std::optional<energy::Attojoules> energy = observers_.energy_until(ps);
    has_energy_ = energy.has_value();
    if (event == LEVEE_REQUEST_DRAFT) {
        begun_ps_ = ps;
        begun_energy_ = energy.value_or(0);
        return;
    }
    ps_ += ps - begun_ps_;
    prompt_ps_ += number == 0 ? ps - begun_ps_ : 0;
    energy_ += energy.value_or(0) - begun_energy_;
}

void DraftShare::report(Results& results)
{
    results.metrics["speculation.draft_s"] = seconds(ps_);
    results.metrics["speculation.draft_prompt_s"] = seconds(prompt_ps_);
    const double decode_s = results.number("decode.seconds");
    if (decode_s > 0)
        results.metrics["speculation.draft_time_share"] = seconds(ps_) / decode_s;
    if (!has_energy_)
        return;
    results.metrics["speculation.draft_j"] = energy::joules(energy_);
    const double decode_j = results.number("energy.phase.decode_j");
    if (decode_j > 0)
        results.metrics["speculation.draft_energy_share"] = energy::joules(energy_) / decode_j;
}

} // namespace levee
