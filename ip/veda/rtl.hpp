#pragma once

#include "ip/veda/core.hpp"
#include "ip/veda/pins.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace levee::veda {

/// The RTL did what its contract excludes: a result nobody waits for, or none for too long.
class RtlFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The arrays in RTL behind the interface of the reference. The design is clocked only in run and
/// finish.
class RtlCore final : public Core {
public:
    /// Who stalls the port: called once a cycle, true where nothing is offered or taken.
    struct Stalls {
        std::function<bool()> operands;
        std::function<bool()> results;
    };

    explicit RtlCore(std::unique_ptr<Pins> pins, Stalls stalls = {});

    /// Without a finish before it, the operation follows in the very next cycle.
    void begin(const Configuration& configuration) override;
    /// Throws RtlFault.
    void run(std::span<const Product> side_by_side) override;
    /// Waits for the results that are outstanding. Throws RtlFault.
    [[nodiscard]] std::uint64_t finish() override;

    [[nodiscard]] Pins& pins() { return *pins_; }
    /// Clock cycles so far.
    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    /// Results still to come.
    [[nodiscard]] std::size_t outstanding() const;

private:
    struct Expected {
        Beat::Target target;
        bool outer = false;
    };

    bool cycle(const Beat* beat);
    void expect(const Beat& beat);
    void collect(const Outputs& result);

    std::unique_ptr<Pins> pins_;
    Stalls stalls_;
    Configuration configuration_;
    Beat beat_;
    std::vector<std::deque<Expected>> expected_; ///< by array
    std::uint64_t cycles_ = 0;
    std::uint64_t begun_ = 0;       ///< cycles_ before the operation
    std::uint64_t last_result_ = 0; ///< cycles_ with the last result's
};

} // namespace levee::veda
