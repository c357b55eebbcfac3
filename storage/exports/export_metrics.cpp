#include "storage/exports/export_metrics.h"

#include "engine/contract/formats/text.h"
#include "storage/exports/csv.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace storage {
namespace {

std::vector<SeriesRow> sortedSeries(const Store& store, const std::string& runId)
{
    std::vector<SeriesRow> all = store.series(runId);
    std::ranges::sort(all, {}, [](const SeriesRow& each) {
        return std::tuple(each.metric, each.rank, each.attempt);
    });
    return all;
}

std::string jsonValue(double value)
{
    if (value == 0 && std::signbit(value))
        return "-0.0";  // JSON parsers read "-0" as the integer 0
    const std::string text = contract::shortestText(value);
    return std::isfinite(value) ? text : "\"" + text + "\"";
}

bool isSuperseded(const SeriesRow& series, const Point& point)
{
    return series.supersededAfter && point.step > *series.supersededAfter;
}

}  // namespace

void exportCsv(const Store& store, const std::string& runId, const Write& write)
{
    write("metric,rank,attempt,step,t_ms,value,superseded\n");
    for (const SeriesRow& series : sortedSeries(store, runId)) {
        const std::string start = csvCell(series.metric) + "," + std::to_string(series.rank) + ","
            + std::to_string(series.attempt) + ",";
        for (const Point& point : store.points(series.id))
            write(start + std::to_string(point.step) + "," + contract::shortestText(point.tMs) + ","
                + contract::shortestText(point.value) + (isSuperseded(series, point) ? ",true\n" : ",false\n"));
    }
}

void exportJson(const Store& store, const std::string& runId, const Write& write)
{
    std::string head = "{\"run\":";
    contract::appendJsonString(head, runId);
    head += ",\"attempts\":[";
    for (const AttemptRow& attempt : store.attempts(runId)) {
        head += head.ends_with('[') ? "\n" : ",\n";
        head += "{\"attempt\":" + std::to_string(attempt.number) + ",\"start_unix_ms\":" + std::to_string(beginUnixMs(attempt)) + ",\"parent_step\":"
            + std::to_string(attempt.parentStep) + "}";
    }
    write(head + "\n],\"columns\":[\"step\",\"t_ms\",\"value\",\"superseded\"],\"series\":[");
    bool isFirstSeries = true;
    for (const SeriesRow& series : sortedSeries(store, runId)) {
        std::string line = isFirstSeries ? "\n{\"metric\":" : ",\n{\"metric\":";
        isFirstSeries = false;
        contract::appendJsonString(line, series.metric);
        write(line + ",\"rank\":" + std::to_string(series.rank) + ",\"attempt\":"
            + std::to_string(series.attempt) + ",\"points\":[");
        bool isFirst = true;
        for (const Point& point : store.points(series.id)) {
            write((isFirst ? "[" : ",[") + std::to_string(point.step) + "," + jsonValue(point.tMs) + ","
                + jsonValue(point.value) + (isSuperseded(series, point) ? ",true]" : ",false]"));
            isFirst = false;
        }
        write("]}");
    }
    write("\n]}\n");
}

}  // namespace storage
