// Holds the database against the journals, which are the truth.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/store.h"

#include <QString>

#include <cstddef>

namespace ui_test {

struct JournalComparison {
    std::size_t values = 0;  ///< numbers that the journals hold
    QString difference;      ///< the first one; empty: the database holds exactly what the journals hold
};

/// Every number of every complete line, bit for bit, with its step and time; samples and events by their count.
JournalComparison compareWithJournals(const storage::Store& store, const contract::RunFolder& run);

}  // namespace ui_test
