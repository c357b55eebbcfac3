#include "ui/runs/run_edits.h"

#include "ui/base/background.h"
#include "ui/language/outside_text.h"

#include <utility>

namespace ui {
namespace {

using contract::Annotations;

/// Sets those fields of @p target that differ between @p from and @p to.
void applyDifference(const Annotations& from, const Annotations& to, Annotations& target)
{
    const auto apply = [&](auto field) {
        if (from.*field != to.*field)
            target.*field = to.*field;
    };
    apply(&Annotations::name);
    apply(&Annotations::project);
    apply(&Annotations::tags);
    apply(&Annotations::notes);
    apply(&Annotations::isArchived);
    const auto applyToLine = [&](auto field) {
        if (from.line.*field != to.line.*field)
            target.line.*field = to.line.*field;
    };
    applyToLine(&contract::RunLine::colour);
    applyToLine(&contract::RunLine::dash);
    applyToLine(&contract::RunLine::marker);
}

}  // namespace

RunEdits::RunEdits(StoreService& store, Write write, QObject* parent)
    : QObject(parent)
    , m_store(store)
    , m_write(std::move(write))
{
}

void RunEdits::writeHere(const contract::RunFolder& folder, const Annotations& before, const Annotations& after)
{
    contract::appendAnnotations(folder.annotations(), before, after);
}

RunEdits::~RunEdits()
{
    for (const Job& job : m_waiting)
        job.write();
}

std::chrono::steady_clock::time_point RunEdits::undoableSince() const
{
    return m_undone < m_steps.size() ? m_steps[m_steps.size() - 1 - m_undone].time : std::chrono::steady_clock::time_point();
}

void RunEdits::edit(const QString& what, const QStringList& folders, Change change)
{
    const auto write = [folders, change = std::move(change), save = m_write] {
        Result result;
        for (const QString& folder : folders) {
            try {
                const contract::RunFolder edited(folder.toStdString());
                Edited run {folder, contract::readAnnotations(edited.annotations()), {}};
                run.after = run.before;
                change(run.after);
                save(edited, run.before, run.after);
                if (run.before != run.after)
                    result.runs.push_back(std::move(run));
            } catch (const std::exception& error) {
                result.error = translatedSentence(error.what());
            }
        }
        return result;
    };
    start({write, [this, what](const Result& result) {
               if (result.runs.empty())
                   return;
               m_steps.resize(m_steps.size() - std::exchange(m_undone, 0));
               m_steps.push_back({what, result.runs, std::chrono::steady_clock::now()});
               Q_EMIT done(what, static_cast<int>(result.runs.size()));
           }});
}

void RunEdits::undo()
{
    if (m_undone == m_steps.size())
        return;
    ++m_undone;
    restore(m_steps[m_steps.size() - m_undone], true);
}

void RunEdits::redo()
{
    if (m_undone == 0)
        return;
    --m_undone;
    restore(m_steps[m_steps.size() - 1 - m_undone], false);
}

void RunEdits::restore(const Step& step, bool isUndo)
{
    const auto write = [runs = step.runs, isUndo, save = m_write] {
        Result result;
        for (const Edited& run : runs) {
            try {
                const contract::RunFolder edited(run.folder.toStdString());
                const Annotations now = contract::readAnnotations(edited.annotations());
                Annotations then = now;
                applyDifference(isUndo ? run.after : run.before, isUndo ? run.before : run.after, then);
                save(edited, now, then);
                result.runs.push_back(run);
            } catch (const std::exception& error) {
                result.error = translatedSentence(error.what());
            }
        }
        return result;
    };
    start({write, [this, what = step.what](const Result& result) { Q_EMIT done(what, static_cast<int>(result.runs.size())); }});
}

void RunEdits::start(Job job)
{
    m_waiting.push_back(std::move(job));
    startNext();
}

void RunEdits::startNext()
{
    if (m_isWriting || m_waiting.empty())
        return;
    m_isWriting = true;
    Job job = std::move(m_waiting.front());
    m_waiting.pop_front();
    inBackground(this, std::move(job.write), [this, written = std::move(job.written)](const Result& result) {
        for (const Edited& run : result.runs)
            m_store.catchUp(run.folder);
        written(result);
        if (!result.error.isEmpty())
            Q_EMIT failed(result.error);
        m_isWriting = false;
        startNext();
    });
}

}  // namespace ui
