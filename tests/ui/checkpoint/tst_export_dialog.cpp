// M11, E7: exporting a checkpoint from the window: the formats offered, the files written, what is refused.
#include "ui/checkpoint/export_dialog.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/safetensors.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace fs = std::filesystem;
using ui::ExportDialog;

namespace {

template <typename Widget>
Widget* named(const ExportDialog& dialog, const QString& name)
{
    for (Widget* widget : dialog.findChildren<Widget*>())
        if (widget->accessibleName() == name)
            return widget;
    return nullptr;
}

QPushButton* button(const ExportDialog& dialog, const QString& text)
{
    for (QPushButton* found : dialog.findChildren<QPushButton*>())
        if (found->text() == text)
            return found;
    return nullptr;
}

QString shownNote(const ExportDialog& dialog)
{
    QStringList texts;
    for (const QLabel* label : dialog.findChildren<QLabel*>())
        texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

std::vector<float> valuesOf(const fs::path& file, const std::string& name)
{
    const contract::SafetensorsFile opened(file);
    const auto* tensor = opened.find(name);
    std::vector<float> values(tensor ? tensor->elements() : 0);
    if (tensor)
        opened.read(*tensor, 0, values.data(), values.size() * sizeof(float));
    return values;
}

}  // namespace

class ExportDialogTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_root;
    fs::path m_run, m_base;
    QString m_parent;

    /// A checkpoint of a run that began from a model with one layer, "a", whose weight is {1, 2, 3, 4}.
    fs::path checkpoint(const tests::Tensors& trained, const std::map<std::string, std::string>& options, bool knowsModel = true)
    {
        contract::Experiment experiment;
        if (knowsModel) {
            experiment.set("model.name", std::string("diffusers"));
            experiment.set("model.folder", m_base.string());
        }
        const contract::RunFolder run(m_run);
        contract::writeAttempt(run, contract::newStart(1, 1), experiment);
        tests::writeCheckpoint(run.checkpoint(7), trained, options);
        return run.checkpoint(7);
    }
    fs::path adapterCheckpoint(bool knowsModel = true)
    {
        return checkpoint({{{"a.lora_A.default.weight", "F32", {1, 2}}, {1, 2}}, {{"a.lora_B.default.weight", "F32", {2, 1}}, {3, 4}}},
            {{"lora.alpha", "1"}}, knowsModel);
    }
    /// The files' names and sizes are shown only when all is written.
    QString exported(ExportDialog& dialog, const char* format)
    {
        auto* formats = named<QComboBox>(dialog, "Format");
        if (!QTest::qWaitFor([&] { return formats->count() > 0; }, 20'000))
            return QStringLiteral("no format is offered");
        formats->setCurrentIndex(formats->findData(QString::fromLatin1(format)));
        QSignalSpy ended(&dialog, &ExportDialog::exported);
        const QString folder = named<QLineEdit>(dialog, "Folder for the files")->text();
        QTest::mouseClick(button(dialog, "Export"), Qt::LeftButton);
        return ended.wait(20'000) && ended.first().first().toString() == folder ? folder : shownNote(dialog);
    }

private Q_SLOTS:
    void init()
    {
        const fs::path root = fs::path(m_root.path().toStdString()) / QTest::currentTestFunction() / (QTest::currentDataTag() ? QTest::currentDataTag() : "");
        m_run = root / "runs" / "digits";
        m_base = root / "base";
        m_parent = QString::fromStdString((root / "out").string());
        fs::create_directories(root / "out");
        tests::writeTensors(m_base / "transformer" / "diffusion_pytorch_model.safetensors", {{{"a.weight", "F32", {2, 2}}, {1, 2, 3, 4}}});
        std::ofstream(m_base / "transformer" / "config.json") << R"({"_class_name":"SD3Transformer2DModel"})";
        std::ofstream(m_base / "model_index.json")
            << R"({"_class_name":"StableDiffusion3Pipeline","transformer":["diffusers","SD3Transformer2DModel"]})";
    }

    void m11_aLoraLeavesInEveryFormat_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<std::vector<float>>("values");
        const std::vector<float> up = {3, 4};
        QTest::newRow("safetensors") << "model.safetensors" << "a.lora_B.default.weight" << up;
        QTest::newRow("diffusers") << "pytorch_lora_weights.safetensors" << "transformer.a.lora_B.weight" << up;
        QTest::newRow("peft") << "adapter_model.safetensors" << "base_model.model.a.lora_B.weight" << up;
        QTest::newRow("kohya") << "pytorch_lora_weights.safetensors" << "lora_unet_a.lora_up.weight" << up;
        // {1, 2, 3, 4} + {3, 4}ᵀ · {1, 2}
        QTest::newRow("merged") << "diffusion_pytorch_model.safetensors" << "a.weight" << std::vector<float> {4, 8, 7, 12};
    }
    void m11_aLoraLeavesInEveryFormat()
    {
        QFETCH(QString, file);
        QFETCH(QString, tensor);
        QFETCH(std::vector<float>, values);
        ExportDialog dialog(adapterCheckpoint(), m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        const QString folder = exported(dialog, QTest::currentDataTag());
        QCOMPARE(folder, m_parent + "/digits-step-7-" + QTest::currentDataTag());
        QCOMPARE(valuesOf(fs::path((folder + "/" + file).toStdString()), tensor.toStdString()), values);
        QVERIFY2(shownNote(dialog).contains("written to " + folder), qPrintable(shownNote(dialog)));
        QVERIFY(button(dialog, "Close") && button(dialog, "Open folder")->isVisibleTo(&dialog));
    }

    void m11_aWholeModelHasNoLoraToOffer()
    {
        ExportDialog dialog(checkpoint({{{"a.weight", "F32", {2, 2}}, {5, 6, 7, 8}}}, {}), m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        const QString folder = exported(dialog, "diffusers");
        const auto* formats = named<QComboBox>(dialog, "Format");
        QCOMPARE(formats->count(), 2);
        QCOMPARE(formats->findData("peft"), -1);
        QCOMPARE(valuesOf(fs::path((folder + "/diffusion_pytorch_model.safetensors").toStdString()), "a.weight"),
            (std::vector<float> {5, 6, 7, 8}));
        QVERIFY(QFile::exists(folder + "/config.json"));
    }

    void m11_theMovingAverageAndAPrecisionCanBeChosen()
    {
        const fs::path folder = checkpoint({{{"a.weight", "F32", {2}}, {5, 6}}, {{"average", "F32", {2}}, {7, 8}}}, {});
        contract::CheckpointManifest manifest = contract::readManifest(folder);
        for (contract::TensorEntry& entry : manifest.tensors)
            if (entry.name == "model/average")
                entry.name = "ema/a.weight";
        contract::writeManifest(folder, manifest);
        ExportDialog dialog(folder, m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        auto* weights = named<QComboBox>(dialog, "Weights");
        QTRY_COMPARE(weights->count(), 2);
        weights->setCurrentIndex(weights->findData("ema"));
        auto* precision = named<QComboBox>(dialog, "Precision");
        precision->setCurrentIndex(precision->findData("BF16"));
        const fs::path file = fs::path(exported(dialog, "safetensors").toStdString()) / "model.safetensors";
        const contract::SafetensorsFile written(file);
        QCOMPARE(written.find("a.weight")->dtype, std::string("BF16"));
        std::uint16_t halves[2] = {};
        written.read(*written.find("a.weight"), 0, halves, sizeof halves);
        QCOMPARE(halves[0], 0x40e0);  // 7
        QCOMPARE(halves[1], 0x4100);  // 8
    }

    void m11_theModelIsAskedForWhereTheRunDoesNotNameIt()
    {
        ExportDialog dialog(adapterCheckpoint(false), m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        auto* formats = named<QComboBox>(dialog, "Format");
        QTRY_VERIFY(formats->count() > 0);
        QCOMPARE(formats->currentData().toString(), QStringLiteral("safetensors"));
        QVERIFY(button(dialog, "Export")->isEnabled());
        formats->setCurrentIndex(formats->findData("peft"));
        QVERIFY(!button(dialog, "Export")->isEnabled());
        QVERIFY2(shownNote(dialog).contains("Name the folder of the model"), qPrintable(shownNote(dialog)));
        named<QLineEdit>(dialog, "Folder of the model from which the training started")->setText(QString::fromStdString(m_base.string()));
        QVERIFY(button(dialog, "Export")->isEnabled());
    }

    void m11_whatIsThereIsNotOverwritten()
    {
        ExportDialog dialog(adapterCheckpoint(), m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QTRY_VERIFY(button(dialog, "Export")->isEnabled());
        auto* folder = named<QLineEdit>(dialog, "Folder for the files");
        folder->setText(QString::fromStdString(m_base.string()));
        QVERIFY(!button(dialog, "Export")->isEnabled());
        QVERIFY2(shownNote(dialog).contains("is not empty; choose a new folder"), qPrintable(shownNote(dialog)));
        folder->setText("here");
        QVERIFY(!button(dialog, "Export")->isEnabled());
    }

    void m11_aDamagedModelIsNamedAndTheFormStays()
    {
        const fs::path weights = m_base / "transformer" / "diffusion_pytorch_model.safetensors";
        ExportDialog dialog(adapterCheckpoint(), m_parent, nullptr);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QTRY_VERIFY(button(dialog, "Export")->isEnabled());
        fs::resize_file(weights, 20);
        QTest::mouseClick(button(dialog, "Export"), Qt::LeftButton);
        QTRY_VERIFY2(shownNote(dialog).contains(QString::fromStdString(weights.string())), qPrintable(shownNote(dialog)));
        QVERIFY(button(dialog, "Export")->isEnabled() && named<QLineEdit>(dialog, "Folder for the files")->isEnabled());
    }
};

QTEST_MAIN(ExportDialogTest)
#include "tst_export_dialog.moc"
