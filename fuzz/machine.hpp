// SPDX-License-Identifier: Apache-2.0
// A system with every block. Its core sleeps.
#pragma once

#include "fuzz/door.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/machine/assembly/system.hpp"

namespace levee::fuzz {

class Machine : hostlink::Listener {
public:
    Machine() : system_(plan_, core(), *this) { system_.load(program_, "sleep"); }

    [[nodiscard]] System& system() { return system_; }
    [[nodiscard]] const SystemPlan& plan() const { return plan_; }
    [[nodiscard]] const ElfImage& program() const { return program_; }

private:
    static SystemPlan plan_of_all()
    {
        const config::FileFinder finder(LEVEE_SCENARIOS);
        return plan_system_of(
            config::load_scenario({LEVEE_SCENARIOS "/../fuzz/machine.yaml", {}, {}}, finder));
    }
    static ElfImage sleep()
    {
        constexpr std::uint8_t wfi_and_jump_back[] = {0x73, 0x00, 0x50, 0x10,
                                                      0x6F, 0xF0, 0xDF, 0xFF};
        ElfImage image;
        image.entry = LEVEE_TCM_BASE;
        image.segments.push_back({image.entry,
                                  sizeof wfi_and_jump_back,
                                  {std::begin(wfi_and_jump_back), std::end(wfi_and_jump_back)}});
        image.symbols.push_back({image.entry, sizeof wfi_and_jump_back, "main"});
        return image;
    }
    [[nodiscard]] riscv::CoreConfig core() const
    {
        riscv::CoreConfig core = plan_.config.core;
        core.reset_pc = program_.entry;
        return core;
    }

    void on_exit(int /*code*/, const sc_core::sc_time& /*at*/) override {}
    void on_phase(levee_phase /*phase*/, const sc_core::sc_time& /*at*/) override {}
    void on_token(std::uint32_t /*sequence*/, std::uint32_t /*id*/,
                  const sc_core::sc_time& /*at*/) override
    {
    }
    void on_mark(const hostlink::MarkedPart& /*part*/, bool /*begins*/,
                 const sc_core::sc_time& /*at*/) override
    {
    }
    void on_metric(const std::string& /*name*/, levee_metric_kind /*kind*/,
                   std::uint64_t /*bits*/) override
    {
    }

    SystemPlan plan_ = plan_of_all();
    ElfImage program_ = sleep();
    System system_;
};

} // namespace levee::fuzz
