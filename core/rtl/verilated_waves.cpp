// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/verilated_waves.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee {

namespace {

std::uint32_t codes_of(const WaveSignal& signal)
{
    return static_cast<std::uint32_t>(signal.words.size());
}

/// Declares the names of a signal's values as FST enumeration number `number`.
void declare_names(VerilatedFst& fst, const WaveSignal& signal, int number)
{
    std::vector<const char*> names, values;
    std::vector<std::string> binary;
    for (std::size_t value = 0; value < signal.names.size(); ++value) {
        std::string bits;
        for (unsigned bit = signal.bits; bit-- > 0;)
            bits += (value >> bit & 1) != 0 ? '1' : '0';
        binary.push_back(std::move(bits));
    }
    for (std::size_t value = 0; value < signal.names.size(); ++value) {
        names.push_back(signal.names[value].c_str());
        values.push_back(binary[value].c_str());
    }
    fst.declDTypeEnum(number, signal.name.substr(signal.name.rfind(' ') + 1).c_str(),
                      static_cast<std::uint32_t>(names.size()), signal.bits, names.data(),
                      values.data());
}

} // namespace

void VerilatedWaves::open(const std::filesystem::path& fst)
{
    fst_.set_time_unit("1ps");
    fst_.set_time_resolution("1ps");
    if (beside_ != nullptr) {
        fst_.spTrace()->addInitCb(init, this);
        fst_.spTrace()->addFullCb(full, this);
        fst_.spTrace()->addChgCb(change, this);
    }
    fst_.open(fst.c_str());
    if (!fst_.isOpen())
        throw std::runtime_error(fst.string() + ": waves cannot be written");
}

void VerilatedWaves::dump(std::uint64_t ps)
{
    if (!is_empty_ && ps <= last_ps_)
        return;
    is_empty_ = false;
    last_ps_ = ps;
    fst_.dump(ps);
}

void VerilatedWaves::declare(VerilatedFst& fst)
{
    constexpr int names_base = 1 << 20; // Above the numbers of the design's own types.
    int names = names_base;
    std::uint32_t code = first_code_;
    for (const WaveSignal& signal : beside_->all()) {
        const int number = signal.names.empty() ? -1 : ++names;
        if (number > 0)
            declare_names(fst, signal, number);
        const auto type = signal.is_integer ? FST_VT_VCD_INTEGER : FST_VT_VCD_WIRE;
        if (signal.bits == 1)
            fst.declBit(code, signal.name.c_str(), number, FST_VD_OUTPUT, type, false, -1);
        else
            fst.declArray(code, signal.name.c_str(), number, FST_VD_OUTPUT, type, false, -1,
                          static_cast<int>(signal.bits) - 1, 0);
        code += codes_of(signal);
    }
}

void VerilatedWaves::init(void* waves, VerilatedFst* fst, std::uint32_t code)
{
    auto& self = *static_cast<VerilatedWaves*>(waves);
    self.first_code_ = code;
    self.declare(*fst);
}

void VerilatedWaves::full(void* waves, VerilatedFst::Buffer* buffer)
{
    const auto& self = *static_cast<VerilatedWaves*>(waves);
    std::uint32_t code = self.first_code_;
    for (const WaveSignal& signal : self.beside_->all()) {
        buffer->fullWData(buffer->oldp(code), signal.words.data(), static_cast<int>(signal.bits));
        code += codes_of(signal);
    }
}

void VerilatedWaves::change(void* waves, VerilatedFst::Buffer* buffer)
{
    const auto& self = *static_cast<VerilatedWaves*>(waves);
    std::uint32_t code = self.first_code_;
    for (const WaveSignal& signal : self.beside_->all()) {
        buffer->chgWData(buffer->oldp(code), signal.words.data(), static_cast<int>(signal.bits));
        code += codes_of(signal);
    }
}

} // namespace levee
