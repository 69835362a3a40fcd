// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"

#include <algorithm>
#include <vector>

namespace levee::riscv {

/// Combines several observers. If one observer stops the hart, the observers after it are not
/// called. Each observer therefore sees an instruction only once, when the instruction executes.
class Observers : public Observer {
public:
    void add(Observer& observer) { observers_.push_back(&observer); }
    void clear() { observers_.clear(); }

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override
    {
        for (Observer* observer : observers_)
            if (!observer->before_instruction(pc, cycle))
                return false;
        intersect();
        return true;
    }
    /// Returns the range of code that no observer needs to see.
    const CodeRange* straight() const override
    {
        for (const Observer* observer : observers_)
            if (observer->straight() == nullptr)
                return nullptr;
        return &straight_;
    }
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override
    {
        for (Observer* observer : observers_)
            observer->after_access(address, size, write);
    }

private:
    void intersect()
    {
        straight_ = {0, UINT64_MAX, true};
        for (const Observer* observer : observers_)
            if (const CodeRange* range = observer->straight()) {
                straight_.begin = std::max(straight_.begin, range->begin);
                straight_.end = std::min(straight_.end, range->end);
                straight_.knows_jumps = straight_.knows_jumps && range->knows_jumps;
            }
    }

    CodeRange straight_;
    std::vector<Observer*> observers_;
};

} // namespace levee::riscv
