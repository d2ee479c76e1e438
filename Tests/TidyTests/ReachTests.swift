import Foundation
import TestSupport
import Testing

@Suite("Nothing is there without a way to it")
struct ReachTests {
    /// The page that lists what no flow reaches.
    private static let page = RequirementsPage.path

    @Test("what no flow reaches is on the page with its reason, and nothing else is")
    func reached() throws {
        let checkout = try Checkout.here.get()
        let rows = NotReachedRow.all(in: try checkout.text(of: Self.page))
        #expect(!rows.isEmpty && rows.allSatisfy { !$0.reason.isEmpty })
        let found = Set(try Self.notReached(in: checkout))
        let listed = Set(rows.map(\.subject))
        expectNone(
            found.subtracting(listed).map {
                Finding(path: Self.page, line: 1, complaint: "nothing reaches \($0), not listed")
            })
        // A field that nobody fills cannot be told from one that is carried on.
        expectNone(
            rows.filter { $0.kind != "field" && !found.contains($0.subject) }.map {
                Finding(path: Self.page, line: $0.line, complaint: "\($0.subject) is reached")
            })
    }

    @Test("each field that the page lists exists")
    func fields() throws {
        let checkout = try Checkout.here.get()
        let declared = try ProtoSource.all().flatMap(\.declarations)
        let fields = Set(declared.filter { $0.kind == .field }.map(\.name))
        let listed = NotReachedRow.all(in: try checkout.text(of: Self.page))
            .filter { $0.kind == "field" }
        // There may be none to list.
        #expect(fields.contains("postern.wire.v1.Error.second_proof"))
        expectNone(
            listed.filter { !fields.contains($0.name) }.map {
                Finding(path: Self.page, line: $0.line, complaint: "no field \($0.name)")
            })
    }

    @Test("of two of a kind, the one that nothing uses is found")
    func twin() throws {
        let folder = try TemporaryFolder()
        let git = try SystemCommand("git", ["init", "-q", folder.path])
        #expect(git.exitCode == 0)
        for (path, text) in Self.sample {
            try FileManager.default.createDirectory(
                atPath: (folder.file(path) as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try folder.write(text, to: path)
        }
        let found = try Self.notReached(in: try Checkout(root: folder.path))
        #expect(
            found == [
                "method postern.session.v1.Ends/Forget", "method postern.session.v1.Ends/Check",
                "error auth/unused", "limit uncharged", "audit unwritten.kind", "mail idle",
                "push idle", "push silent", "column a.loose", "column a.old", "column a.unwritten",
                "column c.lost",
                "setting Sources/SessionService/ASettings.swift: unread",
                "setting Sources/SessionService/ASettings.swift: unreadName",
            ])
    }

    @Test("a member has the name or the call before it as its receiver")
    func receivers() {
        let text = """
            a.end(1)
            b?.end(1)
            try await c
                .end(1)
            d(x(")"), 2).end(1)
            e { $0.end(1) }
            f = .end(1)
            end(1)
            """
        let index = IdentifierIndex([SwiftSource(path: "x", text: text)])
        #expect(
            index.places(of: "end").map(\.receiver) == ["a", "b", "c", "d", "$0", nil, nil])
    }

    @Test("a name counts in code only, and a declaration is no call")
    func index() {
        let text = """
            // A comment names .register(
            func register() { peer.register(1) }
            let a = "x.register("
            register(registered)
            """
        let index = IdentifierIndex([SwiftSource(path: "x", text: text)])
        let places = index.places(of: "register")
        #expect(places.map(\.line) == [1, 1, 3])
        #expect(places.map(\.isMember) == [false, true, false])
        #expect(places.map(\.isCalled) == [false, true, true])
    }

    /// What no flow reaches, as kind and name, in the order of `Reach`.
    private static func notReached(in checkout: Checkout) throws -> [String] {
        let reach = try Reach(checkout)
        return try reach.methods().map { "method \($0)" }
            + reach.errorCodes().map { "error \($0)" }
            + reach.limits().map { "limit \($0)" }
            + reach.auditKinds().map { "audit \($0)" }
            + reach.mails().map { "mail \($0)" }
            + reach.shortMessages()
            + reach.columns().map { "column \($0)" }
            + reach.settings().map { "setting \($0)" }
    }

    /// A small checkout. What is called `used` is reached. `Check` is called of one service of two.
    /// What identity's parts reach counts as what its own module reaches.
    private static let sample = [
        "Protos/postern/session/v1/clocks.proto": """
        package postern.session.v1;
        service Clocks {
          rpc Check(CheckRequest) returns (CheckResponse);
          rpc Start(StartRequest) returns (StartResponse);
          rpc Stop(StopRequest) returns (StopResponse);
        }
        """,
        "Protos/postern/session/v1/ends.proto": """
        package postern.session.v1;
        service Ends {
          rpc End(EndRequest) returns (EndResponse);
          rpc Forget(ForgetRequest) returns (ForgetResponse);
          rpc Check(CheckRequest) returns (CheckResponse);
        }
        """,
        "Sources/SessionService/Ends.swift": """
        func end(_ request: EndRequest) { EndsDispatcher.self }
        func forget(_ request: ForgetRequest) { self.forget(request) }
        func check(_ clocks: ClocksDispatcher, _ ends: any EndsAPI) { ends.check(1) }
        let kinds = [AuditKind.used]
        let notice: IdentityV1.NoticeKind = .told
        """,
        "Sources/Contracts/Clocks.swift": """
        extension ClocksAPI {
            func restart() async throws { try await start(1) }
        }
        """,
        "Sources/postern/ClocksCommand.swift": """
        func ask(_ question: (ClocksClient, CallContext) async throws -> Void) {}
        ask { clock, context in try await clock.stop(1, context) }
        """,
        "Sources/SessionService/schema.sql": """
        CREATE TABLE a (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            b TEXT NOT NULL CHECK (b IN ('x', 'y'))
        , old TEXT, unwritten TEXT, loose TEXT, listed TEXT, until INTEGER) STRICT;

        CREATE UNIQUE INDEX a_key ON a (key);
        """,
        "Sources/SessionService/AStore.swift": #"""
        let columns = "CREATE TABLE a (old TEXT, unwritten TEXT)"
        try put("INSERT INTO a (key, b, old) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        try put("UPDATE a SET b = ?, old = excluded.old WHERE id = ?")
        try query("SELECT b, unwritten FROM a")
        extension Row {
            static let columns =
                "listed, "
                + "b"
        }
        try query("SELECT \(Row.columns) FROM a")
        try put("UPDATE a SET loose = ?, listed = ?, until = ? WHERE id = ?")
        log("a loose end of a")
        try query("SELECT loose FROM b")
        Purge("a", key: "id", expiry: "until")
        """#,
        "Sources/SessionService/ASettings.swift": """
        struct ASettings {
            var used = 1
            var unread = 2
            var unreadName: String?

            init(reading settings: inout SettingsReader) {
                settings.integer("used", &used)
                settings.integer(
                    "unread", &unread)
                unreadName = settings.optionalString("unread-name")
                var local = 1
                settings.integer("local", &local)
                settings.require(used + local <= unread)
            }

            var double: Int { used * 2 }
        }
        """,
        "Sources/GatewayService/End.swift": """
        let client = EndsClient(channel)
        try await client.end(request)
        try await ClocksClient(channel).check(request)
        throw ServiceError(.used)
        charge(.used)
        """,
        "Sources/IdentityService/Send.swift": """
        send(Mail(.used))
        push(PushTemplate.used)
        """,
        "Sources/AccountLife/Tell.swift": """
        notices.write(
            .noticed, to: owner)
        """,
        "Sources/IdentityService/schema.sql": """
        CREATE TABLE c (
            id INTEGER PRIMARY KEY,
            kept TEXT, lost TEXT) STRICT;
        """,
        "Sources/PersonalData/CStore.swift": """
        try put("INSERT INTO c (kept, lost) VALUES (?, ?)")
        try query("SELECT kept FROM c")
        """,
        "Sources/IdentityService/Idle.swift": """
        let namesake = AuditKind.idle
        """,
        "Sources/ServiceRuntime/Errors/ErrorCatalogue.swift": """

            case used = "auth/used"
            case unused = "auth/unused"

        """,
        "Sources/Contracts/Limits/SomeLimits.swift": """
        extension LimitName {
            static let used = LimitName(1)
            static let uncharged = LimitName(2)
        }
        """,
        "Sources/Storage/Audit/AuditKind.swift": """

            case used = "used.kind"
            case unwritten = "unwritten.kind"

        """,
        "Sources/Contracts/Templates/MailTemplate.swift": """

            case used
            case noticed
            case told
            case idle

            switch self {
            case .noticed: Row(1, push: .noticed, text: .noticed)
            case .idle: Row(2, push: .silent)
            }
        """,
        "Sources/Contracts/Templates/PushTemplate.swift": """

            case used
            case noticed
            case idle
            case silent

        """,
        "Sources/Contracts/Templates/SMSTemplate.swift": """

            case noticed

        """,
    ]
}

/// A row of the table of what no flow reaches.
private struct NotReachedRow {
    let kind: String
    let name: String
    let reason: String
    /// Counted from 1.
    let line: Int

    /// As `ReachTests` names it.
    var subject: String { "\(kind) \(name)" }

    /// The rows below the heading of the table.
    static func all(in page: String) -> [NotReachedRow] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix("| kind | name |") } ?? lines.endIndex
        return lines[start...].enumerated().dropFirst(2)
            .prefix { $0.element.hasPrefix("|") }
            .map { offset, row in
                let cells = row.split(separator: "|").map { String($0.trimmed) }
                return NotReachedRow(
                    kind: cells.first ?? "",
                    name: cells.dropFirst().first?.filter { $0 != "`" } ?? "",
                    reason: cells.dropFirst(2).first ?? "", line: start + offset + 1)
            }
    }
}
