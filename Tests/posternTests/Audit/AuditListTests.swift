import ArgumentParser
import JSON
import Messages
import Testing

@testable import postern

@Suite("A-01: `postern audit list`: filters and rows")
struct AuditListTests {
    private static let event = EventsV1.Event(
        position: 17, atMs: 1_795_248_340_254, kind: "session.started", accountId: "acc_1",
        sessionId: "ses_1")

    private func selects(_ arguments: [String], account: String? = nil) throws -> Bool {
        try AuditCommand.List.parse(arguments).selects(Self.event, account: account)
    }

    @Test("A-01: an entry is selected by kind or prefix, by account, and by time")
    func filters() throws {
        #expect(try selects([]))
        #expect(try selects(["--kind", "account.*", "--kind", "session.*"]))
        #expect(try selects(["--kind", "session.started"]))
        #expect(try !selects(["--kind", "session.ended"]))
        #expect(try selects([], account: "acc_1"))
        #expect(try !selects([], account: "acc_2"))
        #expect(try selects(["--from", "2026-11-21", "--before", "2026-11-22"]))
        #expect(try !selects(["--before", "2026-11-21"]))
        #expect(try selects(["--from", "2026-11-21T08:05:40Z"]))
        #expect(try !selects(["--from", "2026-11-21T08:05:41"]))
    }

    @Test(
        "a moment that is not valid is rejected",
        arguments: [
            "", "T", "2026-11-21T", "2026-11-21T8:05", "2026-11-21T24:00", "2026-11-21T08:60",
            "2026-11-21T08:05:60", "2026-11-21T08", "2026-11-21T08:05:00.5", "21.11.2026",
            "2026-11-21T08:05T",
        ])
    func moments(text: String) {
        #expect(Moment(argument: text) == nil)
    }

    @Test("a kind or prefix that no entry can have is refused, with those that are similar")
    func unknownKind() throws {
        for (kind, hint) in [
            ("session.start", "did you mean session.started"), ("nonsense", "account.*, "),
            ("limits.*", "did you mean limit.*"), ("Limit.Reached", "did you mean limit.reached"),
        ] {
            let error = #expect(throws: (any Error).self) {
                try AuditCommand.List.parse(["--kind", kind])
            }
            let text = error.map { AuditCommand.List.message(for: $0) } ?? ""
            #expect(text.contains("--kind \(kind): there is no such kind; "), "\(text)")
            #expect(text.contains(hint), "\(text)")
        }
        _ = try AuditCommand.List.parse(["--kind", "*"])
    }

    @Test("a position is one of a single trail, and the gateway has none")
    func arguments() throws {
        _ = try AuditCommand.List.parse(["--service", "session", "--after", "17"])
        for arguments in [
            ["--after", "17"], ["--after", "0"], ["--service", "gateway"], ["--limit", "0"],
            ["--service", "session", "--service", "identity", "--after", "17"],
        ] {
            #expect(throws: (any Error).self) { try AuditCommand.List.parse(arguments) }
        }
    }

    @Test("a line has the time, the place in the trail, and whether it was refused")
    func line() {
        #expect(
            Self.event.row(of: "session").line
                == "2026-11-21T08:05:40.254Z  session  17  session.started  acc_1  ses_1  done")
        var refused = Self.event
        refused.outcome = "auth/invalid-credential"
        refused.attempt = 3
        #expect(
            refused.row(of: "identity").line.hasSuffix("  auth/invalid-credential  attempt 3"))
        refused.app = "shop-web"
        #expect(refused.row(of: "identity").line.hasSuffix("  attempt 3  app shop-web"))
        refused.actor = "tool/ann"
        #expect(refused.row(of: "identity").line.hasSuffix("  app shop-web  by tool/ann"))
    }

    @Test("an entry about a key names the key, which is no attempt")
    func key() {
        let row = EventsV1.Event(kind: "key.signing-key-made", attempt: 7_234_567).row(
            of: "session")
        #expect(row.line.hasSuffix("  key.signing-key-made  done  key 7234567"))
        #expect(row.json.object?["key"] == .integer(7_234_567))
        #expect(row.json.object?["attempt"] == nil)
        let named = EventsV1.Event(
            kind: "key.signing-key-revoked", attempt: 7_234_567, keyId: "nVRlBVq0"
        ).row(of: "session")
        #expect(named.line.hasSuffix("  key.signing-key-revoked  done  key nVRlBVq0"))
        #expect(named.json.object?["key"] == .string("nVRlBVq0"))
    }
}
