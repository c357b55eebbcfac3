#include "ui/store/store_service.h"

#include "ui/language/outside_text.h"
#include "ui/store/store_keeper.h"
#include "ui/store/store_reader.h"

#include <QPointer>

namespace ui {

StoreService::StoreService(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_home(home)
    , m_queue(std::make_shared<QueryQueue>())
    , m_reader(new StoreReader(home.database()))
    , m_keeper(new StoreKeeper(home))
{
    qRegisterMetaType<storage::StoreError::Kind>();
    qRegisterMetaType<storage::Changes>();
    m_readerThread.setObjectName(QStringLiteral("store reader"));
    m_keeperThread.setObjectName(QStringLiteral("store keeper"));
    m_reader->moveToThread(&m_readerThread);
    m_keeper->moveToThread(&m_keeperThread);
    connect(&m_readerThread, &QThread::finished, m_reader, &QObject::deleteLater);
    connect(&m_keeperThread, &QThread::finished, m_keeper, &QObject::deleteLater);

    connect(m_reader, &StoreReader::opened, this, &StoreService::opened);
    connect(m_reader, &StoreReader::changed, this, &StoreService::changed);
    connect(m_reader, &StoreReader::failed, this, &StoreService::failed);
    connect(m_keeper, &StoreKeeper::failed, this, &StoreService::failed);
    connect(m_keeper, &StoreKeeper::foldersUnreadable, this, &StoreService::foldersUnreadable);
    connect(m_keeper, &StoreKeeper::ingestDelayed, this, &StoreService::ingestDelayed);
    connect(m_keeper, &StoreKeeper::runsFolderMissing, this, &StoreService::runsFolderMissing);
    connect(m_keeper, &StoreKeeper::rebuilding, this, &StoreService::rebuilding);
    connect(m_keeper, &StoreKeeper::rebuilt, this, [this] {
        QMetaObject::invokeMethod(m_reader, [reader = m_reader] {
            reader->close();
            reader->open();
            Q_EMIT reader->changed({});
        });
        Q_EMIT rebuilt();
    });
    m_readerThread.start();
    m_keeperThread.start();
    QMetaObject::invokeMethod(m_reader, &StoreReader::open);
    QMetaObject::invokeMethod(m_keeper, &StoreKeeper::catchUpAll);
}

StoreService::~StoreService()
{
    m_readerThread.quit();
    m_keeperThread.quit();
    m_readerThread.wait();
    m_keeperThread.wait();
}

QueryTicket StoreService::post(QObject* context, Job job, Failure failure, QueryLength length)
{
    auto isCancelled = std::make_shared<std::atomic<bool>>(false);
    const auto fail = [this, context = QPointer(context), failure = std::move(failure)](
                          storage::StoreError::Kind kind, const QString& message) {
        if (context && failure)
            failure(kind, message);
        else if (context)
            Q_EMIT failed(kind, message);
    };
    const auto answerHere = [this, isCancelled](Answer answer) {
        const auto unlessCancelled = [isCancelled, answer = std::move(answer)] {
            if (!*isCancelled)
                answer();
        };
        QMetaObject::invokeMethod(this, unlessCancelled, Qt::QueuedConnection);
    };
    const auto work = [reader = m_reader, context = QPointer(context), job = std::move(job), fail,
                          answerHere]() mutable {
        try {
            Answer answer = job(reader->store());
            answerHere([context, answer = std::move(answer)] {
                if (context)
                    answer();
            });
        } catch (const storage::StoreError& error) {
            answerHere([fail, kind = error.kind(), message = translatedSentence(error.what())] {
                fail(kind, message);
            });
        } catch (const std::exception& error) {
            answerHere([fail, message = translatedSentence(error.what())] {
                fail(storage::StoreError::Kind::Other, message);
            });
        }
    };
    m_queue->add(length, isCancelled, std::move(work));
    const auto runNext = [queue = m_queue] {
        if (const QueryQueue::Query next = queue->take())
            next();
    };
    QMetaObject::invokeMethod(m_reader, runNext, Qt::QueuedConnection);
    return QueryTicket(std::move(isCancelled));
}

void StoreService::catchUp(const QString& runFolder)
{
    QMetaObject::invokeMethod(m_keeper,
        [keeper = m_keeper, folder = runFolder.toStdString()] { keeper->catchUp(folder); });
}

void StoreService::readAgain()
{
    QMetaObject::invokeMethod(m_reader, &StoreReader::open);
    QMetaObject::invokeMethod(m_keeper, &StoreKeeper::catchUpAll);
}

void StoreService::forget(const QString& runId)
{
    QMetaObject::invokeMethod(
        m_keeper, [keeper = m_keeper, id = runId.toStdString()] { keeper->forget(id); });
}

void StoreService::compact()
{
    QMetaObject::invokeMethod(m_keeper, &StoreKeeper::compact);
}

void StoreService::rebuild()
{
    QMetaObject::invokeMethod(m_keeper, &StoreKeeper::rebuild);
}

}  // namespace ui
