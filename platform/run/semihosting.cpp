// SPDX-License-Identifier: Apache-2.0
#include "platform/run/semihosting.hpp"

namespace levee {

namespace {

semihost::Machine machine_of(System& system, Recorder& recorder)
{
    riscv::Core& core = system.core();
    return {[&core](std::uint32_t address, std::span<std::uint8_t> bytes) {
                return core.debug_read(address, bytes) == bytes.size();
            },
            [&core](std::uint32_t address, std::span<const std::uint8_t> bytes) {
                return core.debug_write(address, bytes) == bytes.size();
            },
            [&system](char byte) { system.uart().sink(byte); },
            [&recorder](int code) { recorder.on_exit(code, sc_core::sc_time_stamp()); },
            [] { return sc_core::sc_time_stamp().value(); },
            [&system] { return system.uart().take(); }};
}

constexpr unsigned a0 = 10;

} // namespace

Semihosting::Semihosting(System& system, Recorder& recorder, const std::filesystem::path& folder,
                         const std::filesystem::path& file, const ElfImage& program,
                         const std::string& input)
    : core_(system.core()), service_(machine_of(system, recorder), folder, file.filename().string())
{
    core_.on_semihosting = [this](std::uint32_t operation, std::uint32_t parameter) {
        core_.hart().set_reg(a0, service_.call(operation, parameter));
    };
    for (const char byte : input)
        system.uart().push(static_cast<std::uint8_t>(byte));
    if (!program.tohost)
        return;
    htif_.emplace(machine_of(system, recorder),
                  semihost::Htif::Words{*program.tohost, program.fromhost});
    core_.on_htif = [this](std::uint64_t request) { return htif_->serve(request); };
}

Semihosting::~Semihosting()
{
    core_.on_semihosting = nullptr;
    core_.on_htif = nullptr;
}

} // namespace levee
