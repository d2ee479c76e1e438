import PublicCalls
import RPC
import TestSupport
import Testing

@testable import GatewayService
@testable import Storage

/// Each request of `PublicCalls` whose method changes something, made by a person in Berlin with a
/// known browser. So a new method needs no line here.
@Suite("A-01: the records of each call say how and from where", .timeLimit(.minutes(5)))
struct CallRecordsTests {
    private static let calls = Dictionary(
        uniqueKeysWithValues: PublicCalls.all.filter { $0.method.remembersRepeats }
            .map { ($0.name, $0) })
    private static let names = calls.keys.sorted()

    /// Calls that leave a record of where they came from, whatever else they do.
    private static let located: Set<String> = [
        "Auth/SignUpWithPassword", "Auth/SignInWithPassword", "Auth/SignOut, all sessions",
        "Guests/SignInAsGuest", "Providers/SignInWithProvider",
        "PhoneSignIn/SignInWithPhoneCode", "PhoneSignIn/LinkPhone",
        "SignInMethods/LinkProvider", "SignInMethods/LinkPassword", "SignInMethods/UnlinkMethod",
        "Emails/CorrectEmail",
        "Passwords/ChangePassword", "Passwords/ResetPassword", "Auth/DisownSignIn",
        "AccountSessions/EndSession", "AccountSessions/EndOtherSessions",
        "AccountSessions/Reauthenticate, password", "SignInChallenges/CompleteSignIn, password",
        "SecondFactors/ConfirmTOTP", "SecondFactors/RemoveSecondFactor",
        "SecondFactors/RegenerateRecoveryCodes", "SecondFactors/KeepSecondFactors",
        "SignInChallenges/CompleteSignIn, authenticator app",
        "SignInChallenges/CompleteSignIn, recovery code",
    ]

    @Test("the calls of the table exist")
    func table() {
        #expect(Self.located.subtracting(Self.names).sorted() == [])
    }

    @Test(
        "a record with a caller has country and agent, and each kind that has details has one",
        arguments: names)
    func records(name: String) async throws {
        let call = try #require(Self.calls[name])
        try await ProviderFixture.withPeople { fixture in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let request = try await ada.messages(of: call)
            try await gateway.inner.settle()
            let ends = try await gateway.inner.trailEnds()
            var context = ada.contextAtGateway(of: call)
            context.metadata[Metadata.Key.clientAddress] = KnownOrigin.address
            context.metadata[Metadata.Key.clientAgent] = KnownOrigin.userAgent
            _ = try await RepeatFixture(gateway, flags: [KnownOrigin.flag])
                .send(call, request, in: context)
            let records = try await gateway.inner.records(after: ends)
            for record in records where record.hasAddress {
                #expect(record.country == "DE", "\(record.kind)")
                #expect(record.agent == KnownOrigin.agent, "\(record.kind)")
            }
            for record in records where AuditKind(rawValue: record.kind)?.detail != nil {
                #expect(record.detail != nil, "\(record.kind)")
            }
            if Self.located.contains(name) {
                #expect(records.contains { $0.hasAddress }, "\(records.map(\.kind))")
            }
        }
    }
}

/// A record of a trail.
private struct CallRecord: Sendable {
    let kind: String
    let hasAddress: Bool
    let detail: String?
    let country: String?
    let agent: String?

    init(_ row: SQLRow) throws {
        kind = try row.text("kind")
        hasAddress = try row.optionalBlob("client_address") != nil
        detail = try row.optionalText("detail")
        country = try row.optionalText("country")
        agent = try row.optionalText("agent")
    }
}

extension InnerServices {
    /// The positions of the last records of identity and session.
    fileprivate func trailEnds() async throws -> [Int64] {
        var ends: [Int64] = []
        for store in [identityStore, sessionStore] {
            try await store.number(.audit)
            let end = try await store.read { session in
                try session.queryOne("SELECT coalesce(max(number), 0) FROM audit") {
                    try $0.integer(0)
                }
            }
            ends.append(end ?? 0)
        }
        return ends
    }

    /// The records of identity and session after these positions.
    fileprivate func records(after ends: [Int64]) async throws -> [CallRecord] {
        var records: [CallRecord] = []
        for (store, end) in zip([identityStore, sessionStore], ends) {
            try await store.number(.audit)
            records += try await store.read { session in
                try session.query(
                    """
                    SELECT kind, client_address, detail, country, agent FROM audit
                    WHERE number > ? ORDER BY number
                    """, [.integer(end)], CallRecord.init)
            }
        }
        return records
    }
}
