// What a person adds to runs: written to the run's folder first, then taken over by the index.
#pragma once
#include "engine/contract/annotations.h"
#include "ui/base/store_service.h"

#include <QObject>

#include <functional>

namespace ui {

class RunEdits : public QObject {
    Q_OBJECT
public:
    explicit RunEdits(StoreService& store, QObject* parent = nullptr);

    void rename(const QString& folder, const QString& name);
    void setArchived(const QString& folder, bool isArchived);

Q_SIGNALS:
    void failed(const QString& message);

private:
    void edit(const QString& folder, std::function<void(contract::Annotations&)> change);

    StoreService& m_store;
};

}  // namespace ui
