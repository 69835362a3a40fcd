// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/campaign.hpp"

#include "platform/observe/report/json_text.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/stop_signals.hpp"
#include "platform/studies/faults/injected_run.hpp"
#include "platform/studies/faults/records.hpp"
#include "platform/studies/faults/tables.hpp"
#include "platform/studies/sweep/announcer.hpp"
#include "platform/studies/sweep/content_hash.hpp"
#include "platform/studies/sweep/run_content.hpp"
#include "platform/studies/sweep/shared_prices.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>
#include <thread>
#include <unistd.h>

namespace levee::campaign {

namespace {

namespace fs = std::filesystem;

/// Returns a text for a fault's key. Equal texts mean equal runs.
std::string text_of(const faults::Fault& fault)
{
    std::string text = std::to_string(fault.at);
    for (const faults::Flip& flip : fault.flips)
        text += "; " + faults::text_of(flip);
    return text;
}

/// Executes a campaign's runs in a folder.
class Runs {
public:
    Runs(const Study& study, const Work& work, const std::string& content, const fs::path& folder,
         const CampaignRequest& request)
        : study_(study), work_(work), content_(content), request_(request), folder_(folder),
          records_(folder_.path(), request.shard, request.resume),
          scratch_(sweep::scratch_folder(folder_.path(), request.shard))
    {
        fs::remove_all(scratch_);
        const std::string warning = records_.read();
        if (!warning.empty())
            std::fprintf(stderr, "%s", warning.c_str());
    }
    ~Runs()
    {
        std::error_code ignored;
        fs::remove_all(scratch_, ignored);
    }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    /// Runs once without a fault, and finds the study's sites in the machine.
    void survey()
    {
        const std::string key = sweep::content_hash(content_ + "\nwithout a fault");
        if (records_.find(key) == nullptr)
            run_first(key);
        golden_.emplace(golden_of(*records_.find(key)));
        for (const Site& site : study_.sites)
            domains_.emplace_back(site, golden_->survey);
        reached_.assign(domains_.size(), 0);
    }

    void run()
    {
        for (std::vector<Wanted> wanted = next(); !wanted.empty(); wanted = next())
            run_wanted(wanted);
    }

    /// Writes the tables. Returns the campaign's exit code.
    int finish() const
    {
        if (!request_.shard.whole()) {
            if (!request_.quiet)
                std::printf("shard %u/%u is done; the campaign without --shard makes the tables\n",
                            request_.shard.index, request_.shard.of);
            return 0;
        }
        const std::vector<SiteTally> tallies = this->tallies();
        const Campaign campaign{study_, golden_->survey, tallies};
        write(campaign);
        const std::uint64_t broken = host_crashes(tallies);
        if (broken != 0)
            std::fprintf(
                stderr,
                "%llu runs crashed Levee itself ('host_crash' in faults.csv); please report this\n",
                static_cast<unsigned long long>(broken));
        return broken == 0 ? 0 : campaign_failed;
    }

    [[nodiscard]] std::string state() const { return std::to_string(done_) + " runs are recorded"; }

private:
    struct Wanted {
        std::string key;
        faults::Fault fault;
        std::string title;
    };

    void run_first(const std::string& key)
    {
        sweep::Ended ended;
        const auto task = [&](std::size_t, unsigned, int output) {
            records_.leave_to_parent();
            return run_without_fault(work_, scratch_ / "0", output);
        };
        sweep::run_forks(1, 1, task, sweep::shared_prices(),
                         [&](std::size_t, const sweep::Ended& its) {
                             ended = its;
                             return true;
                         });
        nlohmann::json record = record_of_golden(ended);
        (void)golden_of(record); // throws for a failed run, which is not recorded
        records_.add(key, std::move(record));
    }

    [[nodiscard]] std::string key_of(const faults::Fault& fault) const
    {
        return sweep::content_hash(content_ + "\nlimit " + std::to_string(study_.limit) + "\n" +
                                   text_of(fault));
    }

    [[nodiscard]] const nlohmann::json* record_of(const Domain& domain, std::uint64_t number) const
    {
        return records_.find(key_of(domain.draw(study_.seed, number).fault));
    }

    /// Returns the injections that are still to run before each site is checked again. A shard
    /// returns only injections that belong to it.
    std::vector<Wanted> next()
    {
        std::vector<Wanted> wanted;
        std::set<std::string> keys;
        for (std::size_t i = 0; i < domains_.size(); ++i)
            while (!has_enough(i) && !want(i, keys, wanted)) {
            }
        return wanted;
    }

    /// Adds a site's missing injections up to its next check. Returns false if none is missing.
    bool want(std::size_t site, std::set<std::string>& keys, std::vector<Wanted>& wanted)
    {
        const Domain& domain = domains_[site];
        const std::uint64_t look = next_look(reached_[site]);
        bool missing = false;
        for (std::uint64_t number = reached_[site]; number < look; ++number) {
            if (!request_.shard.has(number))
                continue;
            const faults::Fault fault = domain.draw(study_.seed, number).fault;
            const std::string key = key_of(fault);
            if (records_.find(key) != nullptr)
                continue;
            missing = true;
            if (keys.insert(key).second)
                wanted.push_back(
                    {key, fault, domain.site().name + ", number " + std::to_string(number)});
        }
        if (!missing)
            reached_[site] = look;
        return missing;
    }

    [[nodiscard]] std::uint64_t next_look(std::uint64_t reached) const
    {
        if (study_.number)
            return *study_.number;
        return std::min<std::uint64_t>(reached + study_.until.batch, study_.until.most);
    }

    /// Returns whether a site needs no more injections. A shard decides only by the injections that
    /// it runs itself.
    [[nodiscard]] bool has_enough(std::size_t site) const
    {
        const std::uint64_t reached = reached_[site];
        if (reached == 0 || study_.number)
            return reached != 0;
        if (reached >= study_.until.most)
            return true;
        Counts counts;
        for (std::uint64_t number = 0; number < reached; ++number)
            if (request_.shard.has(number))
                counts.add(outcome_of(*record_of(domains_[site], number)).effect);
        return are_narrow(counts, reached, study_.until.width, normal_quantile(study_.confidence));
    }

    void run_wanted(const std::vector<Wanted>& wanted)
    {
        sweep::Announcer announcer(wanted.size(), 0, request_.quiet);
        const unsigned jobs =
            request_.jobs != 0 ? request_.jobs : std::max(1U, std::thread::hardware_concurrency());
        const auto task = [&](std::size_t index, unsigned slot, int output) {
            records_.leave_to_parent();
            return run_with_fault(work_, *golden_, study_.limit, wanted[index].fault,
                                  scratch_ / std::to_string(slot), output);
        };
        sweep::run_forks(wanted.size(), jobs, task, sweep::shared_prices(),
                         [&](std::size_t index, const sweep::Ended& ended) {
                             record(wanted[index], ended, announcer);
                             return true;
                         });
    }

    void record(const Wanted& wanted, const sweep::Ended& ended, sweep::Announcer& announcer)
    {
        Outcome outcome;
        try {
            outcome = outcome_of_process(ended);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(wanted.title + " (" + text_of(wanted.fault) +
                                     "): " + error.what());
        }
        nlohmann::json record = to_json(outcome);
        record["fault"] = text_of(wanted.fault);
        records_.add(wanted.key, std::move(record));
        ++done_;
        announcer.ended(outcome.effect == Effect::HostCrash);
    }

    [[nodiscard]] std::vector<SiteTally> tallies() const
    {
        std::vector<SiteTally> tallies;
        for (std::size_t i = 0; i < domains_.size(); ++i) {
            SiteTally& tally = tallies.emplace_back();
            tally.domain = &domains_[i];
            for (std::uint64_t number = 0; number < reached_[i]; ++number)
                tally.injected.push_back({domains_[i].draw(study_.seed, number),
                                          outcome_of(*record_of(domains_[i], number))});
        }
        return tallies;
    }

    [[nodiscard]] static std::uint64_t host_crashes(const std::vector<SiteTally>& tallies)
    {
        std::uint64_t crashes = 0;
        for (const SiteTally& tally : tallies)
            crashes += tally.counts().of.back(); // HostCrash is the last effect
        return crashes;
    }

    void write(const Campaign& campaign) const
    {
        const nlohmann::ordered_json all = data(campaign);
        const std::string text = table_text(campaign);
        folder_.write("faults.csv", injections_csv(campaign));
        folder_.write("sites.csv", sites_csv(campaign));
        folder_.write("parts.csv", parts_csv(campaign));
        folder_.write("faults.txt", text);
        folder_.write("faults.json", json_text(all));
        folder_.write("results.json", json_text({{"name", study_.name},
                                                 {"seed", study_.seed},
                                                 {"metrics", metrics(campaign)}}));
        write_page(folder_.path() / "report.html", "faults", all);
        if (!request_.quiet)
            std::printf("%s\n%s\n", text.c_str(), (folder_.path() / "faults.csv").c_str());
        std::fflush(stdout);
    }

    const Study& study_;
    const Work& work_;
    const std::string& content_;
    const CampaignRequest& request_;
    OutputFolder folder_;
    Records records_;
    fs::path scratch_;
    std::optional<Golden> golden_;
    std::deque<Domain> domains_;
    std::vector<std::uint64_t> reached_; ///< number of injections of each site at its last check
    std::uint64_t done_ = 0;
};

std::string content_of(const config::ScenarioSource& source, const Study& study)
{
    try {
        const config::Scenario scenario = source.load(study.overrides, {});
        return sweep::RunContent().of(scenario) + "\nseed " + std::to_string(scenario.seed);
    } catch (const config::Error& error) {
        throw config::Error(study.origins.placed(error.what(), study.overrides));
    }
}

int go_on(Runs& runs)
{
    try {
        runs.survey();
        runs.run();
        return runs.finish();
    } catch (const config::Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        const bool interrupted = dynamic_cast<const Interrupted*>(&error) != nullptr;
        std::fprintf(stderr, "%s\nthe campaign has stopped: %s; the same command continues it\n",
                     error.what(), runs.state().c_str());
        return interrupted ? ended_by_signal : campaign_failed;
    }
}

std::string pieces_text(const faults::Place& place)
{
    std::string text;
    for (const faults::Piece& piece : place.pieces)
        text += (text.empty() ? ": " : ", ") + piece.name;
    return text;
}

/// Runs a scenario without a fault, and prints the places where faults can be injected.
int list_sites(const CampaignRequest& request, const config::FileFinder& finder)
{
    const fs::path scenario = finder.scenario(request.study);
    const config::ScenarioSource source(scenario.string(), finder);
    const Work work{scenario, request.overrides, source, request.allow_outside};
    const fs::path scratch =
        fs::temp_directory_path() / ("levee-sites-" + std::to_string(::getpid()));
    sweep::Ended ended;
    sweep::run_forks(
        1, 1,
        [&](std::size_t, unsigned, int output) { return run_without_fault(work, scratch, output); },
        sweep::shared_prices(),
        [&](std::size_t, const sweep::Ended& its) {
            ended = its;
            return true;
        });
    fs::remove_all(scratch);
    const Golden golden = golden_of(record_of_golden(ended));
    for (const faults::Place& place : golden.survey.places)
        std::printf("%-12s %-24s %14llu bits%s\n", faults::named(place.kind).name,
                    place.name.c_str(), static_cast<unsigned long long>(place.bits()),
                    pieces_text(place).c_str());
    return 0;
}

/// Prints the sites of a study. It does not look for the sites in the machine, because this would
/// take a run.
int list_study(const Study& study)
{
    for (const Site& site : study.sites)
        std::printf("%-12s %-12s %s\n", site.name.c_str(), faults::named(site.kind).name,
                    site.of.c_str());
    const std::uint32_t each = study.number.value_or(study.until.most);
    std::printf("%zu sites, %s%u injections each\n", study.sites.size(),
                study.number ? "" : "at most ", each);
    return 0;
}

} // namespace

int run_campaign(const CampaignRequest& request)
{
    if (!request.resume && !request.shard.whole())
        throw config::Error("'--no-resume' cannot be used with '--shard', since it would discard "
                            "the work of other shards; expected one of the two");
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    if (request.sites)
        return list_sites(request, finder);
    const Study study = read_study(finder.study(request.study), finder, request.overrides);
    const config::ScenarioSource source(study.scenario.string(), finder);
    const std::string content = content_of(source, study);
    if (request.dry_run)
        return list_study(study);
    const Work work{study.scenario, study.overrides, source, request.allow_outside};
    Runs runs(study, work, content,
              fs::absolute(request.out.value_or(fs::path("out") / study.name)), request);
    return go_on(runs);
}

} // namespace levee::campaign
