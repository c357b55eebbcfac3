#include "tests/ui/support/ui_test_main.h"
#include "ui/base/background.h"

#include <QImage>
#include <QLinearGradient>
#include <QPainter>
#include <QSemaphore>
#include <QThread>

#include <atomic>
#include <memory>

class BackgroundTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAnswerComesOnTheGuiThread()
    {
        int answer = 0;
        QThread* answeredOn = nullptr;
        QThread* workedOn = nullptr;
        ui::inBackground(this, [&] { workedOn = QThread::currentThread(); return 42; }, [&](int value) {
            answer = value;
            answeredOn = QThread::currentThread();
        });
        QTRY_COMPARE(answer, 42);
        QCOMPARE(answeredOn, thread());
        QVERIFY(workedOn != thread());
    }

    void theAnswerToAContextThatIsGoneIsDropped()
    {
        bool isAnswered = false;
        QSemaphore mayWork;
        auto context = std::make_unique<QObject>();
        ui::inBackground(context.get(), [&] { mayWork.acquire(); return 1; }, [&](int) { isAnswered = true; });
        context.reset();
        mayWork.release();
        bool isLater = false;
        ui::inBackground(this, [] { return true; }, [&](bool) { isLater = true; });
        QTRY_VERIFY(isLater);
        QVERIFY(!isAnswered);
    }

    /// A window is painted while any number of jobs wait for a disk or another process.
    void m17_paintingDoesNotWaitForBackgroundWork()
    {
        QSemaphore mayEnd;
        std::atomic<int> impatient = 0;
        constexpr int kJobs = 20;
        int ended = 0;
        for (int job = 0; job < kJobs; ++job) {
            const auto work = [&] {
                constexpr int kTimeoutMs = 500;
                if (!mayEnd.tryAcquire(1, kTimeoutMs))
                    ++impatient;
                return true;
            };
            ui::inBackground(this, work, [&](bool) { ++ended; });
        }
        QImage image(400, 900, QImage::Format_ARGB32_Premultiplied);
        QLinearGradient gradient(0, 0, 400, 0);
        gradient.setColorAt(0, Qt::white);
        gradient.setColorAt(1, Qt::black);
        QPainter painter(&image);
        painter.fillRect(image.rect(), gradient);
        painter.end();
        QCOMPARE(impatient.load(), 0);
        mayEnd.release(kJobs);
        QTRY_COMPARE(ended, kJobs);
    }
};

ATELIER_UI_TEST_MAIN(BackgroundTest)
#include "tst_background.moc"
