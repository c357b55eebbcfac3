#include "engine/comm/errors.h"
#include "engine/data/digits.h"

#include <ATen/ops/bincount.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>

#include "tests/engine/data/gzip_file.h"
#include "tests/paths.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <sys/stat.h>

namespace fs = std::filesystem;
using engine::DataSplit;
using engine::LabelledImages;
using engine::loadDigits;

namespace {

const fs::path kDigits = ATELIER_SOURCE_DIR "/resources/digits.csv.gz";

using Row = std::vector<float>;  // pixels, then the label

std::vector<Row> rowsOf(const LabelledImages& data)
{
    const at::Tensor table
        = at::cat({data.images.flatten(1), data.labels.to(at::kFloat).unsqueeze(1)}, 1).contiguous();
    std::vector<Row> rows;
    const float* values = table.const_data_ptr<float>();
    for (std::int64_t row = 0; row < table.size(0); ++row)
        rows.emplace_back(values + row * table.size(1), values + (row + 1) * table.size(1));
    return rows;
}

/// The rows of the file, read another way.
std::vector<Row> rowsOfTheFile()
{
    std::vector<Row> rows;
    const gzFile gzip = gzopen(kDigits.c_str(), "rb");
    std::array<char, 4096> line {};
    while (gzgets(gzip, line.data(), static_cast<int>(line.size()))) {
        Row row;
        for (const QByteArray& field : QByteArray(line.data()).trimmed().split(','))
            row.push_back(row.size() < 64 ? field.toFloat() / 8 - 1 : field.toFloat());
        rows.push_back(row);
    }
    gzclose(gzip);
    return rows;
}

std::vector<Row> sorted(std::vector<Row> rows)
{
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::string line(const std::string& pixel = "8", const std::string& label = "3", int pixels = 64)
{
    std::string text;
    for (int column = 0; column < pixels; ++column)
        text += (column == 10 ? pixel : "0") + ",";
    return text + label + "\n";
}

/// Returns the error message of loading @p file, without the file's name; empty on success.
QString complaint(const fs::path& file)
{
    try {
        loadDigits(file, 0.1, 1);
        return {};
    } catch (const engine::EngineError& error) {
        const auto text = QString::fromUtf8(error.what());
        const auto name = QString::fromStdString(file.string());
        return text.startsWith(name) ? text.mid(name.size()) : "no file name in: " + text;
    }
}

}  // namespace

class DigitsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path file(const char* name = "d.csv.gz") const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void everyRowOfTheFileComesOnce()
    {
        const DataSplit split = loadDigits(kDigits, 0.1, 7);
        QCOMPARE(split.training.images.sizes(), at::IntArrayRef({1617, 1, 8, 8}));
        QCOMPARE(split.validation.images.sizes(), at::IntArrayRef({180, 1, 8, 8}));
        QCOMPARE(split.training.images.scalar_type(), at::kFloat);
        QCOMPARE(split.training.labels.scalar_type(), at::kLong);
        QCOMPARE(split.training.classes, 10);

        auto rows = rowsOf(split.training);
        const auto heldOut = rowsOf(split.validation);
        rows.insert(rows.end(), heldOut.begin(), heldOut.end());
        QVERIFY(sorted(rows) == sorted(rowsOfTheFile()));
    }

    void heldOutRowsAreNotTrainedOn()
    {
        // No two rows of the file are equal, so that a row in both parts would be one row twice.
        const DataSplit split = loadDigits(kDigits, 0.1, 7);
        const auto training = sorted(rowsOf(split.training));
        for (const Row& row : rowsOf(split.validation))
            QVERIFY(!std::binary_search(training.begin(), training.end(), row));
        // Each class has its share: the file is not cut in order.
        const at::Tensor counts = split.validation.labels.bincount({}, 10);
        QVERIFY(counts.min().item<std::int64_t>() >= 6);
    }

    void splitDependsOnTheSeedAlone()
    {
        const DataSplit one = loadDigits(kDigits, 0.1, 7);
        const DataSplit same = loadDigits(kDigits, 0.1, 7);
        const DataSplit other = loadDigits(kDigits, 0.1, 8);
        QVERIFY(at::equal(one.training.images, same.training.images));
        QVERIFY(at::equal(one.validation.labels, same.validation.labels));
        QVERIFY(!at::equal(one.validation.images, other.validation.images));
    }

    void splitIsTheSameOnEveryMachine()
    {
        // Computed apart from this code: splitmix64 and Fisher–Yates in a few lines of Python.
        const DataSplit split = loadDigits(kDigits, 0.1, 7);
        const auto file = rowsOfTheFile();
        const auto heldOut = rowsOf(split.validation);
        const std::vector<std::size_t> golden = {242, 1354, 968, 1337, 204, 514, 348, 1275};
        for (std::size_t place = 0; place < golden.size(); ++place)
            QVERIFY2(heldOut[place] == file[golden[place]], qPrintable(QString::number(place)));
    }

    void fractionIsRounded_data()
    {
        QTest::addColumn<double>("fraction");
        QTest::addColumn<int>("heldOut");
        QTest::newRow("none") << 0.0 << 0;
        QTest::newRow("half") << 0.5 << 2;
        QTest::newRow("rounded") << 0.4 << 2;
        QTest::newRow("one row left to train on") << 0.99 << 3;
    }
    void fractionIsRounded()
    {
        QFETCH(double, fraction);
        QFETCH(int, heldOut);
        writeGzip(file(), line("0") + line("1") + line("2") + line("16"));
        const DataSplit split = loadDigits(file(), fraction, 1);
        QCOMPARE(split.validation.images.size(0), heldOut);
        QCOMPARE(split.training.images.size(0), 4 - heldOut);
    }

    void impossibleFractionIsRejected()
    {
        for (const double fraction : {-0.1, 1.0, std::nan("")})
            QVERIFY_THROWS_EXCEPTION(engine::EngineError, loadDigits(kDigits, fraction, 1));
    }

    void brightnessSpansMinusOneToOne()
    {
        writeGzip(file(), line("16", "9"));
        const DataSplit split = loadDigits(file(), 0, 1);
        QCOMPARE(split.training.images.min().item<float>(), -1.0F);
        QCOMPARE(split.training.images[0][0][1][2].item<float>(), 1.0F);  // column 10, row by row
        QCOMPARE(split.training.images.sum().item<float>(), -62.0F);
        QCOMPARE(split.training.labels.item<std::int64_t>(), 9);
    }

    void lastLineMayLackItsEndAndLinesMayEndInDosStyle()
    {
        std::string text = line("1") + line("2");
        text.pop_back();
        text.insert(text.find('\n'), "\r");
        writeGzip(file(), text);
        QCOMPARE(loadDigits(file(), 0, 1).training.images.size(0), 2);
    }

    void hostileTextIsNamedByFileAndLine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& text, const char* expected) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromUtf8(expected);
        };
        const std::string good = line();
        row("a column less", good + line("8", "3", 63), ", line 2: has 64 columns, must have 65 (64 pixels and a label)");
        row("a column more", good + line("8", "3,3"), ", line 2: has 66 columns, must have 65 (64 pixels and a label)");
        row("empty line", good + "\n" + good, ", line 2: has 0 columns, must have 65 (64 pixels and a label)");
        row("word", good + good + line("x"), ", line 3: column 11 is \"x\", must be an integer from 0 to 16");
        row("fraction", line("8.5"), ", line 1: column 11 is \"8.5\", must be an integer from 0 to 16");
        row("space", line(" 8"), ", line 1: column 11 is \" 8\", must be an integer from 0 to 16");
        row("nothing", line(""), ", line 1: column 11 is \"\", must be an integer from 0 to 16");
        row("too bright", line("17"), ", line 1: column 11 is \"17\", must be an integer from 0 to 16");
        row("negative", line("-1"), ", line 1: column 11 is \"-1\", must be an integer from 0 to 16");
        row("beyond 64 bits", line("99999999999999999999999"),
            ", line 1: column 11 is \"99999999999999999999…\", must be an integer from 0 to 16");
        row("control characters", line("\x1b[31m"), ", line 1: column 11 is \"?[31m\", must be an integer from 0 to 16");
        row("label 10", line("8", "10"), ", line 1: column 65 is \"10\", must be an integer from 0 to 9");
        row("header", "pixel,label\n" + good, ", line 1: has 2 columns, must have 65 (64 pixels and a label)");
        row("empty", "", ": has no rows");
    }
    void hostileTextIsNamedByFileAndLine()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        writeGzip(file(), text.toStdString());
        QCOMPARE(complaint(file()), expected);
    }

    void fileThatIsNotGzipIsNamed()
    {
        writeBytes(file(), line());
        QCOMPARE(complaint(file()), QString(": is not a gzip file"));
        writeBytes(file(), "");
        QCOMPARE(complaint(file()), QString(": is not a gzip file"));
    }

    void fileCutShortAnywhereIsNamed()
    {
        const std::string whole = readBytes(kDigits);
        for (std::size_t size = 2; size < whole.size(); size = size < 30 ? size + 1 : size * 2) {
            writeBytes(file(), whole.substr(0, size));
            QCOMPARE(complaint(file()), QString(": is truncated; download it again"));
        }
        writeBytes(file(), whole.substr(0, whole.size() - 1));
        QCOMPARE(complaint(file()), QString(": is truncated; download it again"));
    }

    void flippedBitIsNoticed()
    {
        std::string bytes = readBytes(kDigits);
        for (const std::size_t place : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 6}) {
            std::string damaged = bytes;
            damaged[place] = static_cast<char>(damaged[place] ^ 4);
            writeBytes(file(), damaged);
            QVERIFY(!complaint(file()).isEmpty());
        }
    }

    void bombIsRefused()
    {
        writeGzip(file(), std::string((std::size_t {64} << 20) + 1, '0'));
        QVERIFY(fs::file_size(file()) < 100'000);
        QCOMPARE(complaint(file()), QString(": unpacks to more than 64 MiB"));
    }

    void fileThatCannotBeReadIsNamed()
    {
        QCOMPARE(complaint(file("none")), QString(": cannot be read (No such file or directory)"));
        QCOMPARE(complaint(m_folder.path().toStdString()), QString(": is not a regular file but a folder"));
        QCOMPARE(::mkfifo(file("pipe").c_str(), 0600), 0);
        QCOMPARE(complaint(file("pipe")), QString(": is not a regular file but a pipe, a socket or a device"));
    }
};

QTEST_GUILESS_MAIN(DigitsTest)
#include "tst_digits.moc"
