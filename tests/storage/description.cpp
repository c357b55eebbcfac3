#include "tests/storage/description.h"

#include <bit>
#include <sstream>

namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::string standing(const storage::SampleRow& row)
{
    if (!row.standing)
        return {};
    const storage::Standing& standing = *row.standing;
    std::ostringstream out;
    out << '|' << standing.round << '|' << bits(standing.reward) << '|' << bits(standing.promptReward) << '|'
        << bits(standing.goldReward.value_or(-1)) << '|' << standing.promptPlace << '|' << standing.prompts << '|' << standing.place << '|'
        << standing.samples;
    return out.str();
}

void describeRun(const storage::RunRow& run, std::ostream& out)
{
    out << "run " << run.id << '|' << run.folder << '|' << run.name << '|' << run.project << '|' << run.notes
        << '|' << run.isArchived << '|' << run.createdUnixMs << '|' << run.attempts << '|' << run.ranks << '|'
        << run.totalSteps << '|' << run.lastStep << '|' << run.lastRecordUnixMs << '|'
        << (run.lastLoss ? bits(*run.lastLoss) : 1) << '|' << run.outcome << '|' << run.cause;
    for (const std::string& tag : run.tags)
        out << "|#" << tag;
    out << '\n';
}

void describeAttempts(const storage::Store& store, const std::string& run, std::ostream& out)
{
    for (const storage::AttemptRow& row : store.attempts(run)) {
        out << "attempt " << row.number << '|' << row.startUnixMs << '|' << row.ranks << '|' << row.host << '|'
            << row.parentCheckpoint << '|' << row.parentStep << '|' << row.lastStep << '|' << row.outcome
            << '|' << row.cause << '\n';
        for (const storage::ParameterRow& parameter : store.parameters(run, row.number))
            out << "  " << parameter.key << '=' << parameter.value << '\n';
    }
}

void describeSeries(const storage::Store& store, const std::string& run, std::ostream& out)
{
    for (const storage::SeriesRow& row : store.series(run)) {
        out << "series " << row.metric << '|' << row.rank << '|' << row.attempt << '|' << row.points << '|'
            << row.firstStep << '|' << row.lastStep << '|' << (row.last ? bits(*row.last) : 1) << '|'
            << row.nonFinite << '|' << row.supersededAfter.value_or(-1) << '\n';
        for (const storage::Point& point : store.points(row.id))
            out << point.step << ' ' << bits(point.tMs) << ' ' << bits(point.value) << '\n';
    }
}

void describeValues(const storage::Store& store, std::ostream& out)
{
    using Kind = storage::RunField::Kind;
    for (const std::string& metric : store.fieldNames().metrics)
        for (const Kind kind : {Kind::Last, Kind::Lowest, Kind::Highest})
            for (const storage::RunValue& value : store.values({kind, metric}))
                out << "value " << metric << '|' << int(kind) << '|' << value.run << '|' << bits(value.number) << '\n';
}

void describeRest(const storage::Store& store, const std::string& run, std::ostream& out)
{
    for (const storage::CheckpointRow& row : store.checkpoints(run)) {
        out << "checkpoint " << row.step << '|' << row.path << '|' << row.attempt << '|' << row.unixMs << '|'
            << row.bytes << '|' << row.isPinned;
        for (const auto& [name, value] : row.metrics)
            out << '|' << name << '=' << bits(value);
        out << '\n';
    }
    for (const storage::SampleRow& row : store.samples(run))
        out << "sample " << row.step << '|' << row.attempt << '|' << row.file << '|' << row.prompt << '|'
            << row.seed << '|' << bits(row.guidance) << '|' << row.weights << '|' << row.unixMs << standing(row) << '\n';
    for (const storage::EventRow& row : store.events(run, 1'000'000))
        out << "event " << row.attempt << '|' << row.rank << '|' << row.step << '|' << row.unixMs << '|'
            << row.level << '|' << row.kind << '|' << row.message << '\n';
}

}  // namespace

std::string describe(const storage::Store& store)
{
    std::ostringstream out;
    for (const storage::RunRow& run : store.runs()) {
        describeRun(run, out);
        describeAttempts(store, run.id, out);
        describeSeries(store, run.id, out);
        describeRest(store, run.id, out);
    }
    describeValues(store, out);
    return out.str();
}
