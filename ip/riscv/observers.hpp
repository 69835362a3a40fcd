// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"

#include <vector>

namespace levee::riscv {

/// Several observers as one. The first that says no is the last that is asked: those behind it see
/// an instruction once, when it does execute.
class Observers : public Observer {
public:
    void add(Observer& observer) { observers_.push_back(&observer); }
    void clear() { observers_.clear(); }

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override
    {
        for (Observer* observer : observers_)
            if (!observer->before_instruction(pc, cycle))
                return false;
        return true;
    }
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override
    {
        for (Observer* observer : observers_)
            observer->after_access(address, size, write);
    }

private:
    std::vector<Observer*> observers_;
};

} // namespace levee::riscv
