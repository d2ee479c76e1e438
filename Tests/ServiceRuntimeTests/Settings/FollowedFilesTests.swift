import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite("Files that are read again for changes")
struct FollowedFilesTests {
    /// The files' text, and the values that were put into force.
    private final class Fixture: Sendable {
        let inFiles = Mutex("one")
        let current = Mutex(["one"])
        let log = CapturedLog()
        let metrics = MetricsRegistry()

        var files: FollowedFiles<String> {
            FollowedFiles(
                "a.yaml", setting: "a-file", current: "one",
                log: .init(
                    log.logger(), reloaded: ("test.reloaded", "reloaded"),
                    failed: ("test.reload.failed", "reloading failed")),
                metrics: metrics,
                read: { self.inFiles.withLock { $0 } },
                use: { text in
                    if text.contains("bad") { return ["bad", "worse"] }
                    self.current.withLock { $0.append(text) }
                    return []
                })
        }
    }

    @Test(
        "a change is used once two reads agree, and an invalid one is logged once",
        arguments: [
            (["one", "one"], [], ["one"]),
            (["two", "two", "two"], ["test.reloaded"], ["one", "two"]),
            (["t", "tw", "two"], [], ["one"]),
            (["two", "one", "two"], [], ["one"]),
            (["bad", "bad", "bad"], ["test.reload.failed"], ["one"]),
            (
                ["bad", "bad", "one", "one"], ["test.reload.failed", "test.reloaded"],
                ["one", "one"]
            ),
        ] as [([String], [String], [String])])
    func looks(_ reads: [String], _ events: [String], _ current: [String]) {
        let fixture = Fixture()
        let files = fixture.files
        for text in reads {
            fixture.inFiles.withLock { $0 = text }
            files.look()
        }
        let lines = fixture.log.lines
        #expect(lines.count == events.count)
        for (line, event) in zip(lines, events) {
            #expect(line.contains("\"\(event)\"") && line.contains("a.yaml"))
            #expect(line.contains("bad; worse") == (event == "test.reload.failed"))
        }
        #expect(fixture.current.withLock { $0 } == current)
    }

    @Test("the metric is 1 from a change with mistakes to one without")
    func metric() {
        let fixture = Fixture()
        let files = fixture.files
        func isFailed(after text: String) -> Bool? {
            fixture.inFiles.withLock { $0 = text }
            for _ in 1...2 { files.look() }
            let page = fixture.metrics.prometheusText()
            let series = #"postern_file_reload_failed{setting="a-file"}"#
            return page.contains("\(series) 1\n")
                ? true : page.contains("\(series) 0\n") ? false : nil
        }
        #expect(isFailed(after: "one") == false)
        #expect(isFailed(after: "bad") == true)
        #expect(isFailed(after: "bad again") == true)
        #expect(isFailed(after: "one") == false)
    }
}
