import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("A-01: a locked account in identity's trail")
struct SignInSignalsTests {
    private let identity: IdentityFixture
    private let signals: SignInSignalsHandler

    init() async throws {
        identity = try IdentityFixture()
        signals = SignInSignalsHandler(store: identity.store, writer: identity.writer)
    }

    private func note(
        _ owner: IdentityV1.NoteLockRequest.Owner?, limit: String = "failed-sign-in-by-account",
        key: String? = nil, application: String = CallContext.gateway
    ) async throws {
        let until = identity.time.now() + .seconds(900)
        var context = identity.context(key, application: application)
        context.metadata[Metadata.Key.place] = "JP;;;"
        context.metadata[Metadata.Key.agent] = "safari 18, ios"
        _ = try await signals.noteLock(
            .init(limit: limit, untilMs: until.milliseconds, owner: owner), context)
    }

    private static let record = """
        kind = 'account.locked' AND account IS NOT NULL AND country = 'JP'
        AND agent = 'safari 18, ios' AND attempt = 900 AND outcome = 'auth/too-many-requests'
        """

    @Test("a record has the account, the limit, where it came from, and how long it lasts")
    func known() async throws {
        _ = try await identity.register()
        try await note(.email("ADA@example.org"))
        let record = Self.record + " AND detail = 'failed-sign-in-by-account'"
        #expect(try await identity.count("audit", where: record) == 1)
    }

    @Test("an address, a number or a text that no account has is counted by its limit")
    func unknown() async throws {
        try await note(.email("nobody@example.org"))
        try await note(.email("no address"))
        try await note(.phoneNumber("+4915112345678"), limit: "phone-code-guess")
        #expect(try await identity.count("audit") == 0)
        let counted = "kind = 'account.locked' AND detail"
        let byAccount = "\(counted) = 'failed-sign-in-by-account' AND refusals = 2"
        #expect(try await identity.count("refusal_count", where: byAccount) == 1)
        let byCode = "\(counted) = 'phone-code-guess' AND refusals = 1"
        #expect(try await identity.count("refusal_count", where: byCode) == 1)
    }

    @Test("G-25: a repeat writes one row")
    func repeated() async throws {
        _ = try await identity.register()
        for _ in 0..<3 { try await note(.email("ada@example.org"), key: "k") }
        #expect(try await identity.count("audit", where: Self.record) == 1)
    }

    @Test("R-03, N-01: the owner is told once a day, however often strangers lock the account")
    func told() async throws {
        _ = try await identity.registerProved()
        func told() async throws -> Int {
            try await identity.relay()
            return identity.templates.count { $0 == "sign-in-locked" }
        }
        for number in 0..<3 {
            try await note(.email("ada@example.org"), key: "\(number)")
            try await note(.email("ada@example.org"), limit: "phone-code-guess", key: "c\(number)")
            identity.time.advance(by: .seconds(3_600))
        }
        #expect(try await told() == 1)
        #expect(try await identity.count("audit", where: "kind = 'account.locked'") == 6)
        identity.time.advance(by: NoticeRule.day - .seconds(3 * 3_600 + 1))
        try await note(.email("ada@example.org"))
        #expect(try await told() == 1)
        identity.time.advance(by: .seconds(1))
        try await note(.email("ada@example.org"))
        #expect(try await told() == 2)
    }

    @Test("R-03, N-07: the owner of a number is told by push, never by a text")
    func toldByPush() async throws {
        let phone = PhoneCodeFixture(identity)
        let account = try await phone.account().accountId
        identity.pushes.register(account)
        try await note(.phoneNumber(PhoneCodeFixture.number), limit: "phone-code-guess")
        try await identity.relay()
        #expect(identity.pushes.pushes.map(\.template) == ["sign-in-locked"])
        #expect(identity.texts.texts.map(\.template) == ["phone-code"])
    }

    @Test("a limit that locks no account and a request without an owner are refused")
    func malformed() async throws {
        for limit in ["sign-up-by-address", "failed-sign-in-by-address", "canary", ""] {
            let error = try await refusal {
                try await note(.email("ada@example.org"), limit: limit)
            }
            #expect(error.code == .invalidArgument, "\(limit)")
        }
        #expect(try await refusal { try await note(nil) }.code == .invalidArgument)
    }

    @Test("only the gateway may report", arguments: ["app", "web", "session", "tool", ""])
    func others(application: String) async throws {
        let error = try await refusal {
            try await note(.email("ada@example.org"), application: application)
        }
        #expect(error.code == .permissionDenied)
    }
}
