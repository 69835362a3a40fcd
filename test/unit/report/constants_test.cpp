// SPDX-License-Identifier: Apache-2.0
// Tests devices with one fitted constant. Each of a device's rows is predicted with the constant of
// its other rows.
#include "platform/studies/reproduce/constants.hpp"
#include "platform/studies/reproduce/report.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee::reproduce;

namespace {

struct Rate {
    std::string id;
    double simulated, published;
};

/// Rows of the devices, and constants that apply to several rows.
struct Devices {
    Plan plan;
    std::vector<Comparison> lines;

    explicit Devices(const std::vector<Rate>& rates)
    {
        plan.rows.resize(rates.size());
        for (std::size_t i = 0; i < rates.size(); ++i) {
            plan.rows[i].id = rates[i].id.substr(0, rates[i].id.find('/'));
            Comparison line;
            line.row = &plan.rows[i];
            line.id = rates[i].id;
            line.simulated = {rates[i].simulated, {}};
            line.published = rates[i].published;
            lines.push_back(line);
        }
    }
    void constant(const std::string& name, Constant::Form form, std::vector<std::string> rows)
    {
        plan.constants.push_back({name, {}, form, std::move(rows), "", true});
    }
};

} // namespace

TEST_CASE("a share is the geometric mean of the other rows' shares")
{
    Devices devices({{"A", 10, 5}, {"B", 20, 10}, {"C", 40, 16}});
    devices.constant("board", Constant::Form::Share, {"A", "B", "C"});
    const Predictions held = hold_out(devices.plan, devices.lines);
    REQUIRE(held.size() == 3);
    CHECK(held.at("C").value == Approx(0.5));
    CHECK(*held.at("C").rate == Approx(20));
    CHECK(*held.at("C").ratio == Approx(1.25));
    CHECK(*held.at("A").rate == Approx(10 * std::sqrt(0.5 * 0.4)));
    const auto errors = held_out_errors(devices.plan, devices.lines);
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].name == "board");
    CHECK(errors[0].rows == 3);
    CHECK(*errors[0].value == Approx(std::cbrt(0.5 * 0.5 * 0.4)));
    CHECK(errors[0].worst == Approx(0.25));
    CHECK(errors[0].worst_id == "C");
    CHECK(errors[0].median == Approx(1 - std::sqrt(0.5 * 0.4) / 0.5));
    CHECK(errors[1].name == "all");
}

TEST_CASE("seconds are the mean of the other rows' times beyond the simulated ones")
{
    Devices devices({{"A/1", 10, 5}, {"A/2", 20, 10}, {"B", 100, 10}});
    devices.constant("gpu", Constant::Form::Seconds, {"A", "B"}); // "A" means both A/1 and A/2.
    const Predictions held = hold_out(devices.plan, devices.lines);
    REQUIRE(held.size() == 3);
    CHECK(held.at("A/1").value == Approx((0.05 + 0.09) / 2));
    CHECK(*held.at("A/1").rate == Approx(1 / (0.1 + 0.07)));
    CHECK(*held.at("B").rate == Approx(1 / (0.01 + 0.075)));
}

TEST_CASE("no row is predicted from itself, or from seconds that leave no time")
{
    Devices alone({{"A", 10, 5}});
    alone.constant("board", Constant::Form::Share, {"A"});
    CHECK(hold_out(alone.plan, alone.lines).empty());
    const auto errors = held_out_errors(alone.plan, alone.lines);
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].rows == 0);
    CHECK(constants_text(errors).find("board: 0 of 1 rows, each predicted from the device's "
                                      "other rows; constant: 0.5 of the simulated rate\n") == 0);
    CHECK(held_out_errors(alone.plan, {}).empty());

    Devices faster({{"A", 10, 1000}, {"B", 100, 50}}); // A is faster than its memory allows.
    faster.constant("gpu", Constant::Form::Seconds, {"A", "B"});
    const Predictions held = hold_out(faster.plan, faster.lines);
    CHECK_FALSE(held.at("B").rate);
    CHECK(held.at("A").rate);
    const auto few = held_out_errors(faster.plan, faster.lines);
    CHECK(few[0].rows == 1);
    CHECK(constants_text(few).find("gpu: 1 of 2 rows") == 0);
}

TEST_CASE("tables have columns of constants only if there are constants")
{
    Devices devices({{"A", 10, 5}, {"B", 20, 10}});
    const std::string plain = comparison_csv(devices.lines);
    CHECK(plain.find("held_out") == std::string::npos);
    devices.constant("board", Constant::Form::Share, {"A", "B"});
    const std::string with = comparison_csv(devices.lines, hold_out(devices.plan, devices.lines));
    CHECK(with.find("constant,constant_without_row,held_out,held_out_ratio\n") !=
          std::string::npos);
    CHECK(with.find("board,0.5,5,1\n") != std::string::npos);
    CHECK(constants_text(held_out_errors(devices.plan, devices.lines))
              .find("board: 2 rows, each predicted from the device's other rows: median error "
                    "0.0 %, worst 0.0 %") == 0);
}

TEST_CASE("devices that no form fits count among all, and a second sum excludes them")
{
    Devices devices({{"A", 10, 5}, {"B", 20, 10}, {"C", 10, 2}, {"D", 10, 8}});
    devices.constant("board", Constant::Form::Share, {"A", "B"});
    devices.constant("other", Constant::Form::Share, {"C", "D"});
    CHECK(held_out_errors(devices.plan, devices.lines).size() == 3);
    devices.plan.constants[1].fits = false;
    devices.plan.goals.push_back({"g", 1, 2, 0.03, 0.1});
    const auto errors = held_out_errors(devices.plan, devices.lines);
    REQUIRE(errors.size() == 4);
    CHECK(errors[2].rows == 4);
    CHECK(errors[2].devices == 2);
    CHECK(errors[2].worst == Approx(3.0)); // For C, 10 x 0.8 is predicted and 2 is measured.
    CHECK(errors[3].name == "all that fit");
    CHECK(errors[3].rows == 2);
    CHECK(errors[3].worst == Approx(0.0));
    const std::string text = goals_text(devices.plan, errors);
    CHECK(text.find("goal g, all: NOT met: 2 devices (at least 1), 4 rows (at least 2)") == 0);
    CHECK(text.find("goal g, all that fit: met") != std::string::npos);
}

TEST_CASE("the text of a constant has its form and value")
{
    Devices devices({{"A", 10, 5}, {"B", 20, 10}, {"C", 10, 5}, {"D", 20, 20.0 / 3}});
    devices.constant("board", Constant::Form::Share, {"A", "B"});
    devices.constant("gpu", Constant::Form::Seconds, {"C", "D"});
    const std::string text = constants_text(held_out_errors(devices.plan, devices.lines));
    CHECK(text.find("; constant: 0.5 of the simulated rate\n") != std::string::npos);
    CHECK(text.find("; constant: 0.1 s more than simulated\n") != std::string::npos);
}
