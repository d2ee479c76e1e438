import FoundationEssentials
import Logging
import ServiceRuntime
import TestSupport
import Testing

/// A log line as a JSON reader decodes it.
private struct Line: Decodable {
    let time: String
    let level: String
    let service: String
    let event: String
    let detail: String?
    let session: String?
    let count: Int?
    let unlisted: String?
    let cut: Bool?
}

private func read(_ log: CapturedLog) throws -> [Line] {
    try log.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
}

@Suite("Logs: an event is one line, and outside text appears only in escaped fields")
struct JSONLogHandlerTests {
    @Test("a line has time, level, service, event, message and fields, with numbers as numbers")
    func line() {
        let log = CapturedLog()
        log.logger(service: "session").event(
            .info, "session.created", "a session was created",
            [.session: "ses_0000000000001", .milliseconds: .milliseconds(.seconds(2)), .part: true])
        #expect(
            log.lines == [
                #"{"time":"2026-01-01T00:00:00.000Z","level":"info","service":"session","#
                    + #""event":"session.created","message":"a session was created","#
                    + #""milliseconds":2000,"part":true,"#
                    + #""session":"ses_0000000000001"}"#
            ])
    }

    @Test(
        "SECURITY.md, Secrets: outside text stays one escaped field of one line",
        arguments: [
            "line\nbreak", "\r\n{\"level\":\"info\",\"event\":\"forged\"}", "quote\" and \\",
            "\u{1B}[2J\u{1B}[31mred", "\u{9B}31m", "nul\0", "\u{7F}\u{85}\u{2028}\u{2029}",
            "\u{202E}drawkcab\u{2066}", "tab\t", "é 漢 🙂", "", "\u{FEFF}", "a\u{0301}",
        ])
    func hostile(text: String) throws {
        let log = CapturedLog()
        log.logger().warning("test.seen", "seen", fields: [.detail: .text(text)])
        #expect(try read(log).first?.detail == text)
        #expect(log.bytes.count { $0 == UInt8(ascii: "\n") } == 1)
        let line = try #require(log.lines.first)
        let shown = line.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control
                && scalar.properties.generalCategory != .lineSeparator
                && scalar.properties.generalCategory != .paragraphSeparator
                && !scalar.properties.isBidiControl
        }
        #expect(shown)
    }

    @Test(
        "bytes that are not UTF-8 are replaced",
        arguments: [[0xFF, 0x41], [0xC0, 0x80], [0xED, 0xA0, 0x80]])
    func invalid(bytes: [UInt8]) throws {
        let log = CapturedLog()
        log.logger().warning("test.seen", "seen", fields: [.detail: .bytes(bytes)])
        #expect(try read(log).first?.detail?.contains("\u{FFFD}") == true)
    }

    @Test("a long value is cut at a whole character, and a line has at most 4,096 bytes")
    func bounds() throws {
        let log = CapturedLog()
        let long = String(repeating: "🙂\n", count: 100_000)
        let fields = LogField.allCases.filter { $0 != .count }.map { ($0, LogValue.text(long)) }
        log.logger().warning("test.long", "long", fields: Dictionary(uniqueKeysWithValues: fields))
        #expect(log.bytes.count <= 4_096)
        let line = try #require(try read(log).first)
        #expect(line.cut == true)
        log.logger().warning("test.one", "one", fields: [.detail: .text(long)])
        let detail = try #require(try read(log).last?.detail)
        #expect(detail.hasSuffix("…"))
        #expect(detail.utf8.count <= 1_100)
        #expect(try read(log).last?.cut == nil)
    }

    @Test("unlisted fields are named without their values")
    func unlisted() throws {
        let log = CapturedLog()
        var logger = log.logger()
        logger[metadataKey: "email"] = "ada@example.org"
        logger.info("from a library", metadata: ["peer-address": "192.0.2.1"])
        #expect(try read(log).first?.unlisted == "email peer-address")
        #expect(!String(decoding: log.bytes, as: UTF8.self).contains("ada@"))
        #expect(!String(decoding: log.bytes, as: UTF8.self).contains("192.0.2.1"))
    }

    @Test("many long or hostile unlisted names stay within the line's limit")
    func unlistedMany() throws {
        let log = CapturedLog()
        let metadata = (0..<1_000).map {
            (
                "\u{1B}\n\"\($0)" + String(repeating: "x", count: 500),
                Logger.MetadataValue.string("")
            )
        }
        log.logger().info("x", metadata: Dictionary(uniqueKeysWithValues: metadata))
        #expect(log.bytes.count <= 4_096)
        #expect(try read(log).count == 1)
    }

    @Test("an event's error is its detail, and a line's field overrides the logger's")
    func merging() throws {
        let log = CapturedLog()
        let logger = log.logger().with([.count: 1, .session: "ses_1"])
        logger.info("test.a", "a", fields: [.count: 2])
        logger.error("b", error: ServiceError(.weakPassword, detail: "inner"))
        let lines = try read(log)
        #expect(lines.first?.count == 2)
        #expect(lines.first?.session == "ses_1")
        #expect(lines.last?.detail?.contains("inner") == true)
    }

    @Test("below the level nothing is written, and the fields are not evaluated")
    func level() {
        let log = CapturedLog()
        let logger = Logger.json(service: "test", level: .warning, time: ManualTime(), sink: log)
        func fields() -> [LogField: LogValue] {
            Issue.record("the fields of an unwritten line were made")
            return [:]
        }
        logger.info("test.quiet", "quiet", fields: fields())
        #expect(log.lines.isEmpty)
    }

    @Test("lines of a hundred tasks do not mix")
    func concurrent() async throws {
        let log = CapturedLog()
        let logger = log.logger()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask { logger.info("test.n", "n", fields: [.count: .count(index)]) }
            }
        }
        #expect(Set(try read(log).compactMap(\.count)) == Set(0..<100))
    }
}
