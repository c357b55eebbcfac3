// Draws an SVG icon in several sizes: draw_icon FILE.svg FOLDER NAME writes FOLDER/48x48/apps/NAME.png and so on.
#include <QDir>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

#include <cstdio>

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    QSvgRenderer icon(arguments.value(1));
    if (arguments.size() != 4 || !icon.isValid()) {
        std::fputs("usage: draw_icon FILE.svg FOLDER NAME\n", stderr);
        return 2;
    }
    for (const int size : {16, 22, 24, 32, 48, 64, 128, 256}) {
        QImage image(size, size, QImage::Format_ARGB32);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        icon.render(&painter);
        painter.end();
        const QString folder = arguments[2] + QStringLiteral("/%1x%1/apps").arg(size);
        if (!QDir().mkpath(folder) || !image.save(folder + '/' + arguments[3] + QStringLiteral(".png"))) {
            std::fprintf(stderr, "%s cannot be written\n", qPrintable(folder));
            return 1;
        }
    }
    return 0;
}
