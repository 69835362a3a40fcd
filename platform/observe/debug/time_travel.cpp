// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/time_travel.hpp"

#include "core/flow/flow_engine.hpp"

#include <spdlog/sinks/sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace levee::debug {

namespace {

using Json = nlohmann::json;

/// On the way to an earlier position, the run makes checkpoints at these numbers of cycles before
/// it. The debugger often goes back again from there.
constexpr std::uint64_t ways_ahead[] = {1'000'000, 10'000};

Json to_json(const Position& at)
{
    return {at.cycle, at.ps, at.instructions};
}

Position position_from(const Json& json)
{
    return {json.at(0), json.at(1), json.at(2)};
}

Json to_json(const std::vector<Point>& points)
{
    Json all = Json::array();
    for (const Point& point : points)
        all.push_back({static_cast<int>(point.kind), point.address, point.bytes});
    return all;
}

std::vector<Point> points_from(const Json& json)
{
    std::vector<Point> points;
    for (const Json& one : json)
        points.push_back({static_cast<PointKind>(one.at(0).get<int>()), one.at(1), one.at(2)});
    return points;
}

} // namespace

TimeTravel::TimeTravel(riscv::Core& core, CoreStops& stops, RunControl& control, Host host)
    : core_(core), stops_(stops), control_(control), host_(std::move(host))
{
}

Position TimeTravel::here() const
{
    return {core_.cycles(), now_ps(), core_.instructions()};
}

bool TimeTravel::make_checkpoint(bool kept)
{
    if (!copies_) {
        copies_ = std::make_unique<SleepingCopies>();
        copies_->shared().text_bytes = host_.text_bytes();
        host_.share_text(&copies_->shared().text_bytes);
    }
    const Position at = here();
    const Server::Handles handles = host_.suspend();
    std::vector<int> inherited = list_.fds();
    inherited.push_back(handles.listener);
    if (handles.client >= 0)
        inherited.push_back(handles.client);
    try {
        SleepingCopies::Made made = copies_->make(inherited);
        if (made.woken) {
            list_.forget();
            wake_up(std::move(*made.woken));
            return true;
        }
        list_.add(at, kept, std::move(made.wake));
    } catch (const std::runtime_error&) {
        host_.resume();
        throw;
    }
    host_.resume();
    return false;
}

bool TimeTravel::before_going_on()
{
    const bool first = list_.empty();
    if (!first && !std::exchange(changed_, false))
        return false;
    const Position at = here();
    if (!first) {
        list_.drop_behind(at.cycle);
        copies_->shared().furthest = at.cycle;
        copies_->shared().text_bytes = host_.text_bytes();
        mute(false);
    }
    changed_ = false;
    return make_checkpoint(!first);
}

void TimeTravel::every(std::uint64_t cycles)
{
    every_ = cycles;
    next_ = core_.cycles() + cycles;
    if (cycles != 0)
        stops_.add_cycle(next_);
}

TimeTravel::Stop TimeTravel::stopped()
{
    const Position at = here();
    if (copies_) {
        std::uint64_t& furthest = copies_->shared().furthest;
        furthest = std::max(furthest, at.cycle);
        if (muted_ && at.cycle >= furthest)
            mute(false);
    }
    if (every_ != 0 && at.cycle >= next_) {
        every(every_);
        host_.record(at);
        wanted_ |= list_.is_worth(at.cycle);
    }
    const Checkpoint* const last = list_.at_or_before(at.cycle);
    if (std::exchange(wanted_, false) && (last == nullptr || last->at.cycle != at.cycle) &&
        make_checkpoint(false))
        return Stop::GoesOn;
    if (!journey_)
        return Stop::Ordinary;
    const bool asleep = core_.hart().sleeping();
    if (at.cycle < journey_->to.cycle || (asleep && at.ps < journey_->to.ps)) {
        make_on_the_way();
        return Stop::GoesOn;
    }
    if (journey_->search)
        return finish_search();
    return arrive(*std::exchange(journey_, std::nullopt));
}

/// Adds the debugger's breakpoints and watchpoints again, and prepares the reply to the debugger.
TimeTravel::Stop TimeTravel::arrive(const Journey& journey)
{
    reply_ = journey.reply;
    text_ = journey.text;
    for (const Point& point : journey.points)
        control_.add(point);
    if (!journey.file.empty())
        host_.load(journey.file);
    arrival_ = Arrival{core_.instructions(), journey.reported};
    return Stop::Arrived;
}

/// Makes a checkpoint if the last one is farther away than the destination. Does nothing otherwise.
bool TimeTravel::make_on_the_way()
{
    const std::uint64_t at = core_.cycles();
    const Checkpoint* const last = list_.at_or_before(at);
    return last != nullptr && at - last->at.cycle > journey_->to.cycle - at &&
           make_checkpoint(false);
}

/// Ends the search in one part of the run, at the end of that part.
TimeTravel::Stop TimeTravel::finish_search()
{
    const Journey journey = *std::exchange(journey_, std::nullopt);
    const auto found = control_.end_search(journey.reported);
    Journey back;
    back.points = journey.points;
    if (found) {
        back.to.cycle = found->cycle;
        back.to.ps = core_.clock().edge_ps(found->cycle).value_or(0);
        back.reply = found->reply;
        back.text = found->text;
        if (found->watch)
            back.reported.push_back(*found->watch);
        if (found->cycle == core_.cycles()) {
            std::ranges::copy(journey.reported, std::back_inserter(back.reported));
            return arrive(back);
        }
        while (const Checkpoint* const from = list_.at_or_before(found->cycle))
            hand_over(*from, back);
    } else if (!search_before(began_, journey.step, journey.points, {}) && !list_.empty()) {
        back.to = list_.all().front().at;
        back.reply = no_history;
        hand_over(list_.all().front(), back);
    }
    back.reply = no_history;
    return arrive(back);
}

/// Searches for a stop between the last checkpoint before `limit` and `limit` itself. If the
/// checkpoint's process cannot take over, tries an earlier one. Returns only on failure.
bool TimeTravel::search_before(const Position& limit, bool step, const std::vector<Point>& points,
                               const std::vector<Point>& reported)
{
    while (const Checkpoint* const from = list_.before(limit.cycle))
        hand_over(*from, {limit, true, step, {}, {}, points, reported, {}});
    return false;
}

std::string TimeTravel::go_back(bool step)
{
    const bool still_there = arrival_ && arrival_->instructions == core_.instructions();
    search_before(here(), step, control_.points(),
                  still_there ? arrival_->reported : std::vector<Point>{});
    return no_history;
}

std::string TimeTravel::restart(std::uint64_t id)
{
    const Checkpoint* const checkpoint = list_.find(id);
    if (checkpoint == nullptr)
        return "there is no checkpoint " + std::to_string(id) +
               "; 'monitor checkpoints' lists them\n";
    Journey there;
    there.to = checkpoint->at;
    there.points = control_.points();
    hand_over(*checkpoint, there);
    return "checkpoint " + std::to_string(id) + " no longer exists\n";
}

void TimeTravel::run_anew(const std::string& file)
{
    if (list_.empty() || list_.all().front().at.cycle == core_.cycles())
        return;
    Journey there;
    there.to = list_.all().front().at;
    there.points = control_.points();
    there.reply = std::string("T05") + thread_suffix;
    there.file = file;
    hand_over(list_.all().front(), there);
}

bool TimeTravel::hand_over(const Checkpoint& from, const Journey& journey)
{
    const unsigned id = from.id;
    const int wake = from.wake.get();
    const Server::Handles handles = host_.suspend();
    std::vector<int> fds{handles.listener};
    if (handles.client >= 0)
        fds.push_back(handles.client);
    std::ranges::copy(list_.fds(), std::back_inserter(fds));
    const Json text{{"acks", handles.acks},
                    {"client", handles.client >= 0},
                    {"list", list_.json()},
                    {"every", every_},
                    {"to", to_json(journey.to)},
                    {"search", journey.search},
                    {"step", journey.step},
                    {"reply", journey.reply},
                    {"text", journey.text},
                    {"points", to_json(journey.points)},
                    {"reported", to_json(journey.reported)},
                    {"file", journey.file}};
    const bool done = copies_->hand_over(wake, text.dump(), fds);
    host_.resume();
    list_.remove(id);
    return done;
}

/// Runs in the process that takes over the run.
void TimeTravel::wake_up(Handover handover)
{
    const Json json = Json::parse(handover.text);
    std::vector<OwnedFd> fds = std::move(handover.fds);
    const bool has_client = json.at("client");
    const int listener = fds.at(0).release();
    const int client = has_client ? fds.at(1).release() : -1;
    fds.erase(fds.begin(), fds.begin() + (has_client ? 2 : 1));
    list_.adopt(json.at("list"), std::move(fds));
    host_.carry_on({listener, client, json.at("acks")}, dup(copies_->life()));
    changed_ = false;
    every(json.at("every"));
    if (core_.cycles() < copies_->shared().furthest)
        mute(true);
    begin({position_from(json.at("to")), json.at("search"), json.at("step"), json.at("reply"),
           json.at("text"), points_from(json.at("points")), points_from(json.at("reported")),
           json.at("file")});
}

void TimeTravel::begin(const Journey& journey)
{
    journey_ = journey;
    began_ = here();
    control_.remove_all();
    if (journey.search)
        control_.search(journey.points, journey.step);
    else
        control_.run_free();
    const Position& to = journey.to;
    stops_.add_cycle(to.cycle, to.ps);
    for (const std::uint64_t ahead : ways_ahead)
        if (to.cycle > began_.cycle + ahead)
            stops_.add_cycle(to.cycle - ahead);
}

void TimeTravel::give_up()
{
    if (!journey_)
        return;
    if (journey_->search)
        (void)control_.end_search({});
    for (const Point& point : journey_->points)
        control_.add(point);
    journey_.reset();
}

std::string TimeTravel::take_reply()
{
    return std::exchange(reply_, {});
}

/// Suppresses the program's text that the terminal has already shown.
void TimeTravel::mute(bool quiet)
{
    muted_ = quiet;
    if (quiet)
        stops_.add_cycle(copies_->shared().furthest);
    if (const auto logger = spdlog::get("platform"))
        for (const auto& sink : logger->sinks())
            sink->set_level(quiet ? spdlog::level::off : spdlog::level::trace);
}

} // namespace levee::debug
