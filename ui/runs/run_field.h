// The value columns of the runs table: an option or a metric of every run.
#pragma once
#include "storage/store.h"

#include <QString>

#include <optional>
#include <vector>

namespace ui {

/// What one run has for a storage::RunField; without text when it has nothing.
struct FieldValue {
    QString text;                  ///< an option's value as the experiment says it; empty for a metric
    std::optional<double> number;  ///< of a metric, or of an option whose value is a number
    bool isMissing() const { return text.isEmpty() && !number; }
};

/// The value of an option, whose text may be a number.
FieldValue optionValue(const QString& text);

/// The heading of the column: "optim.lr", "loss", "lowest loss".
QString titleOf(const storage::RunField& field);

/// Identifies the field in settings: "option:optim.lr", "last:loss", "lowest:loss", "highest:reward".
QString idOf(const storage::RunField& field);
/// nullopt when idOf() cannot have made @p id.
std::optional<storage::RunField> fieldFromId(const QString& id);

}  // namespace ui
