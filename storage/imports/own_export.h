// Reads back what Atelier has exported: see storage/exports/export_metrics.h.
#pragma once
#include "storage/imports/csv_reader.h"
#include "storage/imports/json_reader.h"
#include "storage/imports/run_writer.h"

#include <string>

namespace storage {

/// Whether the table has the columns of exportCsv(), with or without the last one: nothing is superseded then.
bool isOwnExport(const CsvReader& table);

/// Reads all values, bit by bit, with their ranks and attempts. @throws std::runtime_error in one sentence when it was changed into something
/// that no run can have.
void readOwnCsv(CsvReader& table, RunWriter& writer);

/// The same for exportJson(). @param json new, of which nothing was read
void readOwnJson(JsonReader& json, RunWriter& writer);

/// The name in a run's id, without date and letters: "digits" of "digits-20261121-101500-x3k9"; all of a text that is no such id.
std::string nameInId(const std::string& id);
/// Whether a run's folder may have that name.
bool isRunId(const std::string& id);

}  // namespace storage
