// The user's edits of a run: each is written to the run's folder, from where the index then reads it.
#pragma once
#include "engine/contract/run/annotations.h"
#include "ui/base/store_service.h"

#include <QObject>

#include <functional>

namespace ui {

class RunEdits : public QObject {
    Q_OBJECT
public:
    /// @param store must outlive this.
    explicit RunEdits(StoreService& store, QObject* parent = nullptr);

    /// Both return at once and write on another thread; failed() is emitted if that does not succeed.
    void rename(const QString& folder, const QString& name);
    void setArchived(const QString& folder, bool isArchived);

Q_SIGNALS:
    void failed(const QString& message);

private:
    void edit(const QString& folder, std::function<void(contract::Annotations&)> change);

    StoreService& m_store;
};

}  // namespace ui
