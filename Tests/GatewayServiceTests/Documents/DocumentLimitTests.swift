import Contracts
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
    private static let work = "document-work-by-account"
    /// A document of the longest size: 4 units.
    private static let long = #"{"x":""# + String(repeating: "x", count: (64 << 10) - 64) + #""}"#

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

    private var unitsLeft: UInt32 {
        get throws { try fixture.inner.left(Self.work, ada.account.accountId) }
    }

    private func write(
        _ names: some Sequence<String>, _ json: String, merge: Bool = false,
        _ other: CallContext? = nil
    ) async throws -> [GatewayV1.WrittenDocument] {
        try await fixture.documents.writeDocuments(
            .init(
                writes: names.map {
                    .init(collection: "settings", name: $0, json: json, merge: merge)
                }), other ?? context
        ).written
    }

    @Test("SECURITY.md, Costs: a call is charged by the bytes that it works on, before the work")
    func charged() async throws {
        let names = (0..<15).map { "d\($0)" }
        #expect(try unitsLeft == 240)
        #expect(try await write(names, "{}").count == 15)
        #expect(try unitsLeft == 239, "15 KiB: each document counts as 1 KiB")
        for name in names {
            _ = try await write([name], Self.long)
            fixture.time.advance(by: .seconds(1))
        }
        fixture.time.advance(by: .seconds(60))
        #expect(try await write(names, #"{"y":1}"#, merge: true).map(\.version).last == 3)
        #expect(try unitsLeft == 180, "15 times 64 KiB")
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 59)
    }

    @Test("R-03: a call that costs more than is left is refused before its work, and stays a call")
    func spent() async throws {
        let names = (0..<15).map { "d\($0)" }
        for name in names {
            _ = try await write([name], Self.long)
            fixture.time.advance(by: .seconds(1))
        }
        fixture.time.advance(by: .seconds(60))
        for _ in 0..<4 { _ = try await write(names, #"{"y":1}"#, merge: true) }
        #expect(try unitsLeft == 0)
        let refused = try await refusal { try await write(names, #"{"y":2}"#, merge: true) }
        #expect(refused.code == .tooManyRequests)
        // The one unit that is charged with the call: 60 s / 241.
        #expect(refused.retryAfter.map { $0 <= .milliseconds(250) } == true)
        fixture.time.advance(by: .seconds(1))
        let later = try await refusal { try await write(names, #"{"y":2}"#, merge: true) }
        #expect(later.code == .tooManyRequests && (later.retryAfter ?? .zero) > .seconds(10))
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 55)
        // What the request shows is charged before identity is asked.
        let own = try await refusal { try await write(["d0"], Self.long) }
        #expect(own.code == .tooManyRequests)
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 55, "refunded")
        #expect(try await write(["d0"], "{}").first?.version == 6)
        fixture.time.advance(by: .seconds(60))
        #expect(try await write(["d1"], Self.long).first?.version == 6)
    }

    @Test("G-25: a retry pays for its work again, and not for the call")
    func retried() async throws {
        _ = try await write(["a"], Self.long)
        fixture.time.advance(by: .seconds(60))
        let context = fixture.context("k").bearing(ada.session.accessToken)
        for _ in 0..<3 {
            #expect(
                try await write(["a"], #"{"y":1}"#, merge: true, context).first?.version == 2)
        }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 59)
        // The repeats are answered without work, and without its price.
        #expect(try unitsLeft == 236)
        let refused = fixture.context("r").bearing(ada.session.accessToken)
        for _ in 0..<3 {
            let text = #"{"z":""# + String(repeating: "z", count: 64) + #""}"#
            let error = try await refusal { try await write(["a"], text, merge: true, refused) }
            #expect(error.code == .invalidDocument)
        }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 58)
        #expect(try unitsLeft == 226, "one unit with the call, and three with each attempt")
    }
}
