// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/power.hpp"

#include "core/units/wide.hpp"

#include <stdexcept>

namespace levee::dram {

namespace {

constexpr std::uint64_t zeptojoules_per_attojoule = 1000;

/// numerator / denominator zeptojoules in lowest terms.
CommandEnergy energy(Wide numerator, Wide denominator)
{
    if (numerator == 0)
        return {0, 1};
    const Wide divisor = common_divisor(numerator, denominator);
    numerator /= divisor;
    denominator /= divisor;
    if (numerator >> 64 != 0 || denominator >> 64 != 0)
        throw std::overflow_error(
            "the energy of a DRAM command exceeds 64 bits; expected lower currents or voltages");
    return {static_cast<std::uint64_t>(numerator), static_cast<std::uint64_t>(denominator)};
}

using Current = std::uint64_t Rail::*;

/// Power of `current`, in nanowatts (millivolts times microamperes).
std::uint64_t power(const Datasheet& datasheet, Current current)
{
    std::uint64_t sum = 0;
    for (const Rail& rail : datasheet.rails)
        sum += rail.millivolts * rail.*current;
    return sum;
}

std::uint64_t above(const Datasheet& datasheet, Current current, Current standby)
{
    return power(datasheet, current) - power(datasheet, standby);
}

/// Energy of one bank's refresh above standby, for all devices of a channel.
CommandEnergy refresh_energy(const Datasheet& datasheet, const Parameters& p)
{
    const Wide all = Wide{above(datasheet, &Rail::idd5, &Rail::idd3n)} * p.timing.rfc_all *
                     p.organisation.data_bits;
    if (p.refresh == RefreshMode::AllBank)
        return energy(all, datasheet.data_bits);
    Wide nanowatts = 0;
    for (const Rail& rail : datasheet.rails) {
        if (!rail.idd5_bank)
            return energy(all, Wide{datasheet.data_bits} * p.banks_per_rank());
        nanowatts += Wide{rail.millivolts} * *rail.idd5_bank;
    }
    nanowatts -= power(datasheet, &Rail::idd3n);
    return energy(nanowatts * p.timing.rfc_bank * p.organisation.data_bits, datasheet.data_bits);
}

CommandEnergy burst_energy(const Datasheet& datasheet, const Parameters& p, Current current,
                           const std::optional<std::uint64_t>& stated, std::uint64_t interface)
{
    const std::uint64_t bits =
        std::uint64_t{p.organisation.data_bits} * p.organisation.burst_length;
    const Wide of_bits = Wide{bits} * (stated.value_or(0) + interface) * zeptojoules_per_attojoule;
    if (stated)
        return energy(of_bits, 1);
    // A burst takes bits / (channel's width x rate) on width / (device's width) devices.
    const Wide per_second = Wide{datasheet.data_rate} * datasheet.data_bits;
    const Wide above_standby = Wide{above(datasheet, current, &Rail::idd3n)} * bits * ps_per_second;
    return energy(above_standby + of_bits * per_second, per_second);
}

CommandEnergy standby(const Datasheet& datasheet, const Parameters& p, Current current)
{
    const Organisation& o = p.organisation;
    return energy(Wide{power(datasheet, current)} * o.channels * o.ranks * o.data_bits,
                  datasheet.data_bits);
}

} // namespace

std::vector<std::string> validate(const Datasheet& datasheet)
{
    std::vector<std::string> faults;
    const auto need = [&](bool good, const char* fault) {
        if (!good)
            faults.emplace_back(fault);
    };
    const auto least = [&](Current current, Current standby, const char* fault) {
        need(power(datasheet, current) >= power(datasheet, standby), fault);
    };
    if (!datasheet.activate) {
        least(&Rail::idd0, &Rail::idd3n_bank,
              "idd0 is less power than idd3n_bank (by default idd3n); expected at least as much");
        least(&Rail::idd0, &Rail::idd2n,
              "idd0 is less power than idd2n; expected at least as much");
    }
    if (!datasheet.read_bit)
        least(&Rail::idd4r, &Rail::idd3n,
              "idd4r is less power than idd3n; expected at least as much");
    if (!datasheet.write_bit)
        least(&Rail::idd4w, &Rail::idd3n,
              "idd4w is less power than idd3n; expected at least as much");
    least(&Rail::idd5, &Rail::idd3n, "idd5 is less power than idd3n; expected at least as much");
    std::size_t with_bank = 0;
    std::uint64_t bank = 0;
    for (const Rail& rail : datasheet.rails) {
        with_bank += rail.idd5_bank ? 1 : 0;
        bank += rail.millivolts * rail.idd5_bank.value_or(0);
    }
    need(with_bank == 0 || with_bank == datasheet.rails.size(),
         "idd5_bank is given for some supplies only; expected all or none");
    need(with_bank == 0 || bank >= power(datasheet, &Rail::idd3n),
         "idd5_bank is less power than idd3n; expected at least as much");
    return faults;
}

CommandEnergies command_energies(const Datasheet& datasheet, const Parameters& parameters)
{
    const Timing& t = parameters.timing;
    const unsigned channel = parameters.organisation.data_bits, device = datasheet.data_bits;
    CommandEnergies result;
    if (datasheet.activate) {
        result.activate = energy(Wide{*datasheet.activate} * zeptojoules_per_attojoule *
                                     parameters.organisation.page_bytes,
                                 datasheet.activate_bytes);
    } else {
        result.activate = energy(
            Wide{above(datasheet, &Rail::idd0, &Rail::idd3n_bank)} * t.ras * channel, device);
        result.precharge = energy(
            Wide{above(datasheet, &Rail::idd0, &Rail::idd2n)} * (t.rc - t.ras) * channel, device);
    }
    result.read_burst = burst_energy(datasheet, parameters, &Rail::idd4r, datasheet.read_bit,
                                     datasheet.interface_read_bit);
    result.write_burst = burst_energy(datasheet, parameters, &Rail::idd4w, datasheet.write_bit,
                                      datasheet.interface_write_bit);
    result.refresh = refresh_energy(datasheet, parameters);
    result.active_standby = standby(datasheet, parameters, &Rail::idd3n);
    result.idle_standby = standby(datasheet, parameters, &Rail::idd2n);
    result.self_refresh = standby(datasheet, parameters, &Rail::idd6);
    return result;
}

} // namespace levee::dram
