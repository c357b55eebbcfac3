// Finds metrics by parts of their names.
#pragma once
#include <QString>

#include <optional>

namespace ui {

/// How well a metric matches @p query; greater is better, nullopt is not at all. Each word of the query must be in the name or the title
/// as it is, or in the name as some of its characters in their order ("gnrm" in "grad_norm"); upper and lower case are the same. Words as
/// they are come first, those at the beginning of a part of the name before others. An empty query matches everything alike.
std::optional<int> metricMatch(const QString& query, const QString& name, const QString& title = {});

}  // namespace ui
