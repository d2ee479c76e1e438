import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: limits on writes of documents", .timeLimit(.minutes(1)))
struct DocumentLimitTests {
    private static let writes = "document-write-by-account"
    private static let changes = "profile-update-by-account"

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    /// Of a call that begins now.
    private var context: CallContext {
        fixture.context().bearing(ada.session.accessToken)
    }

    @Test("R-03: the 61st write in a minute is refused with the wait; reads and others go on")
    func writes() async throws {
        for number in 1...60 { _ = try await fixture.write("{\"a\":\(number)}", in: context) }
        let write = try await refusal { try await fixture.write("{}", in: context) }
        let removal = try await refusal {
            try await fixture.documents.removeDocument(
                .init(collection: "settings", name: "main"), context)
        }
        for refused in [write, removal] {
            #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(60))
        }
        #expect(try await fixture.read(in: context).version == 60)
        let eve = try await fixture.signUp("eve@example.org")
        _ = try await fixture.write(
            "{}", in: fixture.context().bearing(eve.session.accessToken))
        fixture.time.advance(by: .seconds(60))
        #expect(try await fixture.write("{}", in: context).version == 61)
    }

    @Test("R-03: documents of the collection profile count as changes of the profile too")
    func profile() async throws {
        for number in 1...10 {
            _ = try await fixture.write("{\"a\":\(number)}", to: "profile", in: context)
        }
        let refused = try await refusal {
            try await fixture.write("{}", to: "profile", in: context)
        }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(3_600))
        let update = try await refusal {
            try await fixture.profile.updateProfile(.init(name: .displayName("A")), context)
        }
        #expect(update.code == .tooManyRequests)
        _ = try await fixture.write("{}", in: context)
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 49)
    }

    @Test("R-03: a write that is refused counts as a write, and not as a change of the profile")
    func refused() async throws {
        _ = try await fixture.write("{}", to: "profile", in: context)
        for _ in 0..<20 {
            let conflict = try await refusal {
                try await fixture.documents.writeDocument(
                    .init(
                        write: .init(
                            collection: "profile", name: "main", json: "{}",
                            base: .baseVersion(7))), context)
            }
            #expect(conflict.code == .documentConflict)
        }
        let invalid = try await refusal {
            try await fixture.write("[]", to: "profile", in: context)
        }
        #expect(invalid.code == .invalidDocument)
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 38)
        #expect(try fixture.inner.left(Self.changes, ada.account.accountId) == 9)
    }

    @Test("G-25: a repeat with the same key is counted once")
    func repeated() async throws {
        var context = fixture.context("k").bearing(ada.session.accessToken)
        for _ in 0..<3 { #expect(try await fixture.write("{}", in: context).version == 1) }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 59)
        context = fixture.context("l").bearing(ada.session.accessToken)
        #expect(try await fixture.write("{}", in: context).version == 2)
    }

    @Test("R-03: a caller without a session uses no limit up")
    func withoutSession() async throws {
        for token in [nil, "a.b.c"] {
            let error = try await refusal {
                try await fixture.write("{}", in: fixture.context().bearing(token))
            }
            #expect(error.code == .invalidAccessToken)
        }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 60)
    }

    @Test("R-07: without the rate limiter documents are written, unless the operator refuses")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        #expect(try await fixture.write("{}", in: context).version == 1)
        let strict = try await GatewayFixture(
            flags: ["--limiter-failure-document-write=refuse"], limits: FailingLimits())
        let eve = try await strict.signUp()
        let error = try await refusal {
            try await strict.write(
                "{}", in: strict.context().bearing(eve.session.accessToken))
        }
        #expect(error.code == .unavailable)
    }
}
