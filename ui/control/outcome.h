// How an operation of RunControl ended, as it comes from another thread.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "ui/language/outside_text.h"

#include <QString>

#include <exception>

namespace ui {

/// The result of an operation: a run's id and folder, or an error in one sentence.
struct Outcome {
    QString runId;
    QString folder;
    QString error;
    QString notice = {};  ///< see RunControl::resumed()
};

/// Calls @p work, which returns a run folder; turns an exception into an Outcome with its message.
template <typename Work>
Outcome outcomeOf(const QString& runId, Work work)
{
    try {
        const contract::RunFolder folder = work();
        return {QString::fromStdString(folder.id()), QString::fromStdString(folder.root().string()), {}};
    } catch (const std::exception& error) {
        return {runId, {}, translatedSentence(error.what())};
    }
}

inline contract::RunFolder runFolder(const QString& folder)
{
    return contract::RunFolder(folder.toStdString());
}

}  // namespace ui
